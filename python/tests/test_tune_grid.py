# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/tuning/tune_grid.py writes what the tuner has measured, case by case."""

import json
import sys
from types import SimpleNamespace

import fuse_compiler as fuse
from tuning import tune_grid

MEASURED = [{"kernel": "k", "trials": [{"schedule": "s", "us": 1.0}], "best": 0}]


def run(monkeypatch, folder, compile_program, *words):
    monkeypatch.setattr(fuse, "compile", compile_program)
    arguments = ["--families", "softmax", "--dtypes", "f32", "--sets", "square"]
    monkeypatch.setattr(
        sys, "argv", ["tune_grid.py", "--out", str(folder), *arguments, *words]
    )
    status = tune_grid.main()
    return status, folder / "tuned.json"


def test_writes_what_was_measured(monkeypatch, tmp_path):
    asked = []

    def compile_program(text, *, target, autotune, tuning):
        asked.append((target, autotune, tuning))
        return SimpleNamespace(tuning=MEASURED)

    status, file = run(monkeypatch, tmp_path, compile_program)
    assert status == 0
    assert asked == [("cuda", [(4096, 4096)], tmp_path / "tuning.json")]
    assert json.loads(file.read_text()) == [
        {"name": "softmax f32 4096x4096", "tuning": MEASURED}
    ]


def test_goes_on_after_a_failure_and_tells(monkeypatch, tmp_path):
    def compile_program(*_, **__):
        raise fuse.Error("expected a GPU")

    status, file = run(monkeypatch, tmp_path, compile_program)
    assert status == 1
    (case,) = json.loads(file.read_text())
    assert case["error"] == "expected a GPU"


def test_says_what_it_had_no_time_for(monkeypatch, tmp_path, capsys):
    status, file = run(monkeypatch, tmp_path, None, "--budget", "-1")
    assert status == 0 and not file.exists()
    assert "1 cases left out: no time" in capsys.readouterr().out
