# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/tuning/replay_sweeps.py, and by it the choice of schedules against measured times."""

import argparse
import json
import os
import shutil
from pathlib import Path

import pytest
from bench.peers import packed
from tuning import replay_sweeps

FAST = "#fuse.rows<threads = 128, vector = 8, rows_per_block = 1, hold = cache>"
SLOW = "#fuse.rows<threads = 512, vector = 8, rows_per_block = 1, hold = cache>"
OTHER = "#fuse.rows<threads = 256, vector = 8, rows_per_block = 1, hold = cache>"
CASE = {"family": "rms_norm", "dtype": "bf16", "shape": [8, 64]}


def replay_of(chosen, predicted, times=None):
    return replay_sweeps.Replay(
        CASE, times or {FAST: 10.0, SLOW: 12.0}, chosen, predicted
    )


def test_losses_are_parts_of_the_best_time():
    replay = replay_of(SLOW, {SLOW: 9.0, FAST: 11.0})
    assert replay.loss(SLOW) == pytest.approx(0.2)
    assert replay.loss(FAST) == 0
    assert replay.loss(OTHER) is None
    assert replay.error == pytest.approx(9 / 12 - 1)
    replay.case = {**CASE, "graph": True}
    assert replay.error is None


def test_the_models_favourite_is_one_that_was_measured():
    replay = replay_of(SLOW, {OTHER: 1.0, SLOW: 9.0, FAST: 11.0})
    assert replay.favourite == SLOW
    assert replay_of(SLOW, {OTHER: 1.0}).favourite is None


def test_a_shortlist_has_the_choice_and_what_the_model_takes_for_fast():
    replay = replay_of(SLOW, {OTHER: 1.0, FAST: 11.0, SLOW: 20.0})
    assert replay.shortlist_loss(1) == pytest.approx(0.2)
    assert replay.shortlist_loss(2) == pytest.approx(0.2)
    assert replay.shortlist_loss(3) == 0
    assert replay_of(OTHER, {}).shortlist_loss(3) is None
    # The choice counts once, online or not.
    near = {SLOW: 1.0, OTHER: 2.0, FAST: 11.0}
    assert replay_of(SLOW, near).shortlist_loss(2) == pytest.approx(0.2)
    assert replay_of(SLOW, near).shortlist_loss(3) == 0
    online = {replay_sweeps.ONLINE + SLOW: 11.0, FAST: 10.0, OTHER: 30.0}
    assert replay_of(replay_sweeps.ONLINE + SLOW, near, online).shortlist_loss(3) == 0


def test_a_line_says_how_many_are_near_and_which_were_not_measured():
    replays = [
        replay_of(FAST, {FAST: 11.0}),
        replay_of(SLOW, {SLOW: 12.0, FAST: 13.0}),
        replay_of(OTHER, {}),
    ]
    row = dict(zip(replay_sweeps.COLUMNS, replay_sweeps.row_of("rms_norm", replays)))
    assert row["cases"] == "3"
    assert row["choice near"] == "1/2 50%"
    assert row["not measured"] == "1"
    assert row["model near"] == "1/2 50%"
    assert row["shortlist near"] == "2/2 100%"
    assert row["prediction off"] == "10.0%"


def test_what_a_sweep_measured_is_added(tmp_path):
    path = tmp_path / "sweeps.json.xz"
    old = {**CASE, "run": 0, "us": [[0, 10.0]]}
    sweeps = {
        "gpu": "G",
        "runs": [{"name": "old"}],
        "schedules": [FAST],
        "cases": [old],
    }
    packed.write_text(path, replay_sweeps.text_of(sweeps))
    results = [
        {"schedule": "chosen " + FAST, "median": 11.004},
        {"schedule": SLOW, "median": 12.0},
        {"schedule": OTHER, "error": "does not run"},
        {"schedule": "copy", "median": 9.0},
    ]
    entries = [
        {**CASE, "schedules": [SLOW], "graph": True, "results": results},
        {**CASE, "program": "func.func @f()", "results": results},
        {**CASE, "results": results[:1]},
    ]
    sweeps = replay_sweeps.read_json(path)
    replay_sweeps.add_sweep(sweeps, entries, "new", "1234567")
    assert sweeps["schedules"] == [FAST, SLOW]
    assert sweeps["cases"] == [
        old,
        {**CASE, "run": 1, "graph": True, "us": [[0, 11.0], [1, 12.0]]},
    ]
    assert sweeps["runs"][1]["commit"] == "1234567"
    assert json.loads(replay_sweeps.text_of(sweeps)) == sweeps


@pytest.mark.parametrize(
    "options, message",
    [
        (["--every", "0"], "--every: expected 1 or more, but got 0"),
        (["--fuse", "/nowhere/fuse"], "nothing runs as /nowhere/fuse"),
        (
            ["--fuse", "true", "--sweeps", "/nowhere.json"],
            "measured times in /nowhere.json",
        ),
        (
            ["--fuse", "true", "--family", "fft"],
            "a family that was measured, but got fft; there",
        ),
    ],
)
def test_bad_options_get_one_error(monkeypatch, capsys, options, message):
    monkeypatch.setattr("sys.argv", ["replay_sweeps.py", *options])
    with pytest.raises(SystemExit) as caught:
        replay_sweeps.main()
    assert message in str(caught.value.code) + capsys.readouterr().err


@pytest.fixture(name="replays", scope="module")
def fixture_replays():
    """Each seventh case of those that were measured on an H200, as it is chosen now."""
    build = Path(os.environ.get("FUSE_BUILD_DIR", replay_sweeps.ROOT / "build"))
    built = build / "bin" / "fuse"
    fuse = str(built) if built.is_file() else shutil.which("fuse")
    assert fuse, "expected the driver fuse in build/bin or on PATH; run `make test`"
    arguments = argparse.Namespace(fuse=fuse, chip="sm_90", family=None, every=7)
    sweeps = packed.read_json(replay_sweeps.SWEEPS)
    return replay_sweeps.replay_all(arguments, sweeps)


def test_the_choice_is_about_as_near_as_that_of_the_rules_was(replays):
    """results/replay.json.xz is of the rules, which were written for these cases."""
    stored = packed.read_json(replay_sweeps.SWEEPS.with_name("replay.json.xz"))[::7]
    shapes = [each["shape"] for each in stored]
    assert shapes == [each.case["shape"] for each in replays]
    now = near([each.loss(each.chosen) for each in replays])
    assert now >= near([each["loss"] for each in stored]) - 0.02


def near(losses):
    known = [loss for loss in losses if loss is not None]
    assert len(known) > 150
    return sum(loss <= replay_sweeps.NEAR for loss in known) / len(known)


def test_the_choice_is_near_the_fastest_schedule_measured(replays):
    assert near([each.loss(each.chosen) for each in replays]) > 0.88


def test_the_shortlist_of_autotuning_has_a_fast_schedule(replays):
    losses = [each.shortlist_loss(replay_sweeps.SHORTLIST) for each in replays]
    # Of lists whose first member, the choice, was not measured, some others were.
    whole = [each.loss(each.chosen) is not None for each in replays]
    assert near([loss for loss, is_whole in zip(losses, whole) if is_whole]) > 0.95
    assert near(losses) > 0.93


def test_predictions_are_near_the_measured_times(replays):
    errors = sorted(abs(each.error) for each in replays if each.error is not None)
    assert errors[len(errors) // 2] < 0.08
