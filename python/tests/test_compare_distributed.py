# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is said of a comparison over several GPUs, without torch."""

import json

import pytest
from bench import compare_distributed
from bench.peers import distributed_report


def entry(**fuse):
    """A mode where Fuse takes 2 ms and eager 3."""
    mine = {"seconds": 2e-3, "first_seconds": 1.0, "right": True, "worst": 1.1, **fuse}
    return {
        "mode": "inference",
        "peers": {
            "eager": {"seconds": 3e-3, "first_seconds": 0.1, "right": True},
            "fuse": mine,
            "compile": {"skipped": "the time was over"},
        },
    }


def test_times_are_over_ours():
    assert distributed_report.speedups(entry()) == pytest.approx({"eager": 1.5})
    text = "\n".join(distributed_report.lines(entry()))
    assert "compile  the time was over" in text and "eager 1.50" in text


def test_what_is_wrong_fails():
    assert not distributed_report.is_wrong(entry())
    assert distributed_report.is_wrong(entry(right=False))
    assert distributed_report.is_wrong(entry(failures=["no"]))
    assert "WRONG" in "\n".join(distributed_report.lines(entry(right=False)))


def test_a_file_has_a_run_for_each_way_to_split(tmp_path):
    file = tmp_path / "runs.json"
    for number, sequence in enumerate((False, True, False)):
        compare_distributed.write(file, {"sequence": sequence, "number": number})
    assert [run["number"] for run in json.loads(file.read_text())] == [1, 2]


def test_an_unknown_mode_is_refused(capsys):
    with pytest.raises(SystemExit):
        compare_distributed.parse_arguments(["--modes", "dreaming"])
    assert "expected modes of inference, training" in capsys.readouterr().err
