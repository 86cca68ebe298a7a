# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The comparison of contractions on the CPU with NumPy, on small sizes."""

import pytest
from bench import compare_cpu_contractions
from bench.peers import cpu_report


def small(case):
    name, order, dtype, rows, columns, summed, epilogue = case
    sizes = (
        min(size, limit) for size, limit in ((rows, 33), (columns, 70), (summed, 300))
    )
    return (name, order, dtype, *sizes, epilogue)


@pytest.mark.parametrize(
    "case", sorted({small(case) for case in compare_cpu_contractions.cases()}), ids=str
)
def test_results_are_compared(case):
    entry = compare_cpu_contractions.compare(case, seconds=0)
    assert entry["rounds"] >= 5 and entry["ratio"] > 0


def test_wrong_results_are_refused(monkeypatch):
    case = ("squares", "nn", "f32", 8, 8, 8, "")
    monkeypatch.setattr(
        compare_cpu_contractions, "numpy_of", lambda *_: lambda x, w: x @ w + 1
    )
    with pytest.raises(SystemExit, match="to agree with NumPy"):
        compare_cpu_contractions.compare(case, seconds=0)


def test_a_line_has_the_median_and_the_worst():
    def entry(ratio, columns, cores):
        case = ["layers", "nt", "f32", 1, columns, 64, ""]
        return {"case": case, "cores": cores, "ratio": ratio}

    cases = [entry(0.9, 10, "one"), entry(1.1, 20, "one"), entry(1.2, 30, "one")]
    lines = list(cpu_report.table({"cases": cases}))
    assert lines[0] == "| set | cases | one core | worst |"
    assert lines[2] == "| layers | 3 | 1.10 | 0.90: 1 x 10 x 64 nt f32 |"
    both = list(cpu_report.table({"cases": [*cases, entry(2.0, 10, "all")]}))
    assert both[2] == "| layers | 3 | 1.10 | 2.00 | 0.90: 1 x 10 x 64 nt f32 |"
