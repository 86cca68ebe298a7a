# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What remarks predict for products of one row with narrow weights, against the times of
results/weights-sweep.json.xz."""

from pathlib import Path

import fuse_compiler as fuse
import pytest
from bench.peers import packed
from tuning import sweep_weights

ROOT = Path(__file__).resolve().parents[2]
SWEEP = ROOT / "results" / "weights-sweep.json.xz"


def ratios(kind):
    """Predicted times over those of the fastest schedule that was measured, cold."""
    measured = {each["name"]: each["us"] for each in packed.read_json(SWEEP)}
    for case in sweep_weights.cases([1], ["LLaMA-3 8B", "Qwen2.5 7B"]):
        if case.name not in measured or kind not in case.name:
            continue
        times = [
            cold
            for schedule, (cold, *_) in measured[case.name].items()
            if schedule.startswith("#fuse.rows")
        ]
        program = fuse.inspect(case.program, chip="sm_90")
        facts = [each["facts"] for each in program.remarks]
        (predicted,) = [each["Predicted"] for each in facts if "Predicted" in each]
        yield float(predicted.split(" us")[0]) / min(times)


@pytest.mark.parametrize("kind, most", [("int8", 1.25), ("f8", 1.25), ("int4", 2.6)])
def test_weights_of_a_row_are_predicted_as_they_were_measured(kind, most):
    found = list(ratios(kind))
    assert len(found) >= 4
    assert all(1 / 1.25 < each < most for each in found)
