# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The comparison of contractions with cuBLAS, as far as it needs no GPU."""

import fuse_compiler as fuse
import pytest
from bench import compare_contractions
from bench.peers import contraction_cases, contraction_report, quantized_cases

CASES = [*contraction_cases.all_cases(), *quantized_cases.all_cases()]
# One of each way to write a program.
PROGRAMS = {case.name.rsplit(" ", 1)[0]: case for case in CASES if case.set != "layers"}


@pytest.mark.parametrize("case", PROGRAMS.values(), ids=PROGRAMS)
def test_programs_fit_their_inputs(case):
    # The ordinary cores take less time to compile for.
    result = fuse.inspect(case.program, chip="sm_80")
    assert len(result.inputs) == len(case.inputs)
    for tensor, given in zip(result.inputs, case.inputs, strict=True):
        assert tensor.dtype == given.dtype
        for dim, size in zip(tensor.shape, given.shape, strict=True):
            assert dim == size or isinstance(dim, str)


def test_names_are_unique():
    assert len({case.name for case in CASES}) == len(CASES)


def test_layers_of_llama():
    shapes = {case.shape for case in CASES if case.name.startswith("LLaMA-3 8B")}
    assert {(4096, 6144, 4096), (4096, 28672, 4096), (64, 4096, 14336)} <= shapes


def entry(name, group, fuse_us, cublas_us, wrong=0, **others):
    times = {"fuse": fuse_us, "cublas": cublas_us, "cublaslt": 2 * cublas_us} | others
    medians = {each: {"median": us} for each, us in times.items()}
    return {
        "name": f"{name} 64x32x16",
        "set": group,
        "shape": [64, 32, 16],
        "flops": 2 * 64 * 32 * 16,
        "bytes": 2 * (64 * 16 + 32 * 16),
        "kernels": ["#fuse.mma<...>"],
        "errors": {each: {"max": 0.5, "wrong": wrong} for each in times},
        "cold": medians,
        "warm": medians,
    }


def test_the_faster_of_both_libraries_counts():
    assert contraction_report.ratio(entry("o", "layers", 10, 9), "cold") == 0.9


def test_what_is_below_is_counted_and_listed():
    entries = [entry("o", "layers", 10, 9), entry("qkv", "layers", 10, 10)]
    assert (
        "| layers, 1024 to 16,384 rows | 2 | 0.95 | 0.95 | 0.90: 64 x 32 x 16 | 1 below 0.97 |"
        in (contraction_report.plain_table(entries))
    )
    behind = contraction_report.behind_table(entries)
    assert [row.split(" |")[0] for row in behind[2:]] == ["| o"]


def test_wrong_results_have_no_figure():
    entries = [entry("o", "layers", 1, 9, wrong=3)]
    assert len(contraction_report.plain_table(entries)) == 2
    assert "WRONG: 3 elements" in compare_contractions.line(entries[0])


def test_fused_beside_its_bar_and_torch():
    entries = [entry("residual", "fused", 10, 9, eager=12)]
    assert contraction_report.fused_table(entries)[2] == (
        "| residual | 64 x 32 x 16 | 1 | 1.11 | 1.11 | 1.03 | 1.20 |"
    )
