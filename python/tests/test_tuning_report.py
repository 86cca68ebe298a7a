# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/tuning/tuning_report.py counts what fuse bench --autotune has measured."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parents[2] / "tools" / "tuning" / "tuning_report.py"


def kernel(*times: float, spills: int | None = None) -> dict:
    trials = [
        {"schedule": f"s{i}", "us": time, "spills": i == spills}
        for i, time in enumerate(times)
    ]
    return {"kernel": "k", "key": "00", "best": 0, "trials": trials}


def report(tmp_path: Path, cases: list[dict]) -> subprocess.CompletedProcess:
    file = tmp_path / "tuned.json"
    file.write_text(json.dumps(cases))
    return subprocess.run(
        [sys.executable, TOOL, file], capture_output=True, text=True, check=False
    )


def test_counts_choices_within_three_percent(tmp_path):
    result = report(
        tmp_path,
        [
            {"name": "near", "tuning": [kernel(102.0, 100.0)]},
            {"name": "far", "tuning": [kernel(104.0, 100.0)]},
            {"name": "right", "tuning": [kernel(90.0, 100.0)]},
        ],
    )
    assert result.returncode == 0
    assert "2 of 3 choices (67%) are within 3%" in result.stdout
    assert "| far: k | 104.00 | 100.00 | 1.040 | `s0` | `s1` |" in result.stdout
    assert result.stdout.index("far: k") < result.stdout.index("near: k")


def test_does_not_take_a_schedule_that_spills_for_the_best(tmp_path):
    result = report(
        tmp_path, [{"name": "case", "tuning": [kernel(100.0, 101.0, 50.0, spills=2)]}]
    )
    assert "| 1.000 | `s0` | the same |" in result.stdout


@pytest.mark.parametrize("cases", [[], [{"name": "broken", "error": "no"}]])
def test_fails_without_results(tmp_path, cases):
    assert report(tmp_path, cases).returncode == 1
