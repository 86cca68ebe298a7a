# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is said of a comparison of models, without torch."""

import fcntl
import json
import subprocess
import sys

import pytest
from bench import compare_models, measure_first_call
from bench.peers import model_batches, model_cases, model_report, model_tune


def entry(**fuse):
    """A model where Fuse takes 2 ms, eager 4 and torch.compile 3."""
    time = {"host_seconds": 1e-4, "rounds": 3}
    first = {"first_seconds": 1.0, "graph_breaks": 0, "worst": 1.1, "median": 1.0}
    mine = {
        "right": True,
        "worst_of": "output",
        **first,
        "seconds": 2e-3,
        **time,
        **fuse,
    }
    return {
        "model": "m",
        "mode": "inference",
        "dtype": "bfloat16",
        "device": "cpu",
        "peers": {
            "eager": {"seconds": 4e-3, **time},
            "fuse": mine,
            "compile": {**first, "right": True, "seconds": 3e-3, **time},
            "max": {"skipped": "the time was over"},
        },
    }


def test_speedups_are_of_what_was_measured():
    assert model_report.speedups(entry()) == {"eager": 2.0, "compile": 1.5}
    assert model_report.speedups({"peers": {"eager": {"seconds": 1.0}}}) == {}
    both = [entry(), {**entry(seconds=1e-3), "model": "n"}]
    mean, count = model_report.summary(both)["compile"]
    assert count == 2 and mean == pytest.approx((1.5 * 3.0) ** 0.5)


@pytest.mark.parametrize(
    "changes, problem",
    [
        (
            {"right": False, "worst": 3.0},
            "output is 3.0 times as far from f64 as eager",
        ),
        ({"graph_breaks": 2}, "2 graph breaks where Inductor has 0"),
        ({"regions": {"failures": ["no"]}}, "a region runs eagerly: no"),
        ({"error": "ValueError: x"}, "it does not run: ValueError: x"),
    ],
)
def test_problems_are_named(changes, problem):
    assert model_report.problems(entry(**changes)) == [problem]


def test_no_problem_is_none():
    assert model_report.problems(entry()) == []
    text = "\n".join(model_report.lines(entry()))
    assert "max          the time was over" in text
    assert "2.00 of eager, 1.50 of compile" in text


def test_models_are_selected_and_four_are_aside():
    cases = model_cases.all_cases()
    assert len({case.name for case in cases}) == len(cases)
    assert sum(case.aside for case in cases) == 4
    names = [case.name for case in model_cases.selected("vit,bert-large")]
    assert names == ["vit-large", "bert-large"]


def test_an_unknown_peer_is_refused(capsys):
    with pytest.raises(SystemExit):
        compare_models.parse_arguments(["--peers", "fuse,tvm"])
    assert (
        "expected peers of fuse, fuse-graphs, compile, max, max-graphs, but got tvm"
        in (capsys.readouterr().err)
    )


def test_a_column_for_each_that_was_measured():
    one = {**entry(regions={"coverage": [1.0], "failures": []}), "aside": False}
    assert "max-autotune" not in "\n".join(model_report.table([one]))
    one["peers"]["max"] = {"seconds": 5e-3}
    head, _, row = model_report.table([one])
    assert head.count("|") == row.count("|") and "max-autotune" in head
    assert "| 2.00 | 1.50 | 2.50 | 100% |" in row


def test_models_are_measured_one_at_a_time(tmp_path):
    out = tmp_path / "models.json"
    run = ["--out", str(out)]
    assert compare_models.kept_entries(compare_models.parse_arguments(run)) == []
    entries = [{**entry(), "model": "a"}, {**entry(), "model": "b"}]
    out.write_text(json.dumps(entries))
    assert compare_models.kept_entries(compare_models.parse_arguments(run)) == []
    kept = compare_models.kept_entries(compare_models.parse_arguments([*run, "--add"]))
    again = {**entry(seconds=1e-3), "model": "a"}
    assert compare_models.with_entry(kept, again) == [entries[1], again]
    peers = {name: again["peers"][name] for name in ("eager", "fuse")}
    beside_others = {**again, "peers": {**peers, "max-graphs": {"seconds": 2e-3}}}
    assert compare_models.with_entry(kept, beside_others) == [*entries, beside_others]


def test_ratios_of_two_runs_are_a_line_of_their_model():
    regions = {"regions": {"coverage": [1.0], "failures": []}}
    first = {**entry(**regions), "aside": False}
    peers = {**first["peers"], "eager": {"seconds": 9e-3}, "max": {"seconds": 5e-3}}
    del peers["compile"]
    second = {**first, "peers": peers}
    _, _, row = model_report.table([first, second])
    assert "| 2.00 | 1.50 | 2.50 | 100% |" in row
    assert model_report.summary([first, second])["eager"] == (2.0, 1)


def test_one_layer_has_each_kind_of_layer():
    sizes = {case.name: case.sizes for case in model_cases.all_cases()}
    for case in model_cases.all_cases():
        found = model_cases.sizes_of(case, layers=1)
        changed = {name for name in found if found[name] != sizes[case.name][name]}
        assert changed <= {"num_hidden_layers", "n_layer"}
        assert min(found.get(name, 9) for name in ("num_hidden_layers", "n_layer")) == (
            2 if case.name.startswith("deepseek") else 1
        )


def test_runs_of_other_layers_are_kept_apart():
    first, second = entry(), {**entry(), "layers": 1}
    assert compare_models.with_entry([first], second) == [first, second]


class FakeProcess:
    """Ends after so many looks at it."""

    running = most = 0

    def __init__(self, looks, code=0):
        self.looks, self.code, self.killed = looks, code, False
        FakeProcess.running += 1
        FakeProcess.most = max(FakeProcess.most, FakeProcess.running)

    def poll(self):
        self.looks -= 1
        if self.looks == 0:
            FakeProcess.running -= 1
        return self.code if self.looks <= 0 else None

    def kill(self):
        self.killed = True


def test_so_many_models_are_tuned_at_a_time_until_the_time_is_over():
    FakeProcess.running = FakeProcess.most = 0
    now, started = [0.0], {}

    def start(name):
        looks, code = {"a": (3, 0), "b": (2, 1), "c": (1, 0), "d": (99, 0)}.get(
            name, (1, 0)
        )
        started[name] = FakeProcess(looks, code)
        return started[name]

    def pause(seconds):
        now[0] += 1

    turns = model_tune.Turns(start, 2, 10, clock=lambda: now[0], pause=pause)
    assert turns.run("abcd") == {"a": True, "b": False, "c": True, "d": False}
    assert FakeProcess.most == 2 and started["d"].killed
    turns = model_tune.Turns(start, 1, 0, clock=lambda: now[0], pause=pause)
    assert turns.run("ef") == {"e": False, "f": False}
    assert "e" not in started


def test_measurements_of_processes_wait_for_each_other(tmp_path):
    path = tmp_path / "lock"
    depths = []

    def measure(depth):
        depths.append(depth)
        if depth:
            return locked(depth - 1)
        with pytest.raises(BlockingIOError), path.open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    locked = model_tune.alone(measure, path)
    locked(2)
    assert depths == [2, 1, 0]
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


@pytest.mark.parametrize(
    "script, expected",
    [
        ("print('ready', flush=True); input(); print('[1.5, 0.5]')", [1.5, 0.5]),
        ("print('ready', flush=True); input(); exit(1)", None),
        ("exit(1)", None),
    ],
)
def test_a_first_call_begins_once_its_process_is_ready(script, expected):
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert measure_first_call.measured(process) == expected
    process.kill()
    process.communicate()


class FakeModel:
    """Waits to be measured after so many looks at it."""

    events = []

    def __init__(self, name, looks=1):
        self.name, self.looks = name, looks
        self.note("start")

    def note(self, what):
        FakeModel.events.append(f"{what} {self.name}")

    def begin(self, seconds):
        self.note("begin")

    def is_waiting(self):
        self.looks -= 1
        return self.looks <= 0

    def finish(self, seconds):
        self.note("measure")
        return self.name, seconds

    def close(self):
        self.note("close")


def run_fakes(names, left):
    FakeModel.events = []
    found = model_batches.run_batches(FakeModel, names, 2, 60, 15, lambda: left.pop(0))
    return list(found), FakeModel.events


def test_a_batch_is_prepared_before_its_first_model_is_measured():
    found, events = run_fakes("abc", [99] * 9)
    assert found == [("a", 15), ("b", 15), ("c", 15)]
    assert events.index("begin b") < events.index("measure a")
    # Its imports do not disturb those that are measured, nor does its preparation.
    assert events.index("start c") < events.index("measure a")
    assert events.index("measure b") < events.index("begin c")
    assert {f"close {name}" for name in "abc"} <= set(events)


def test_a_batch_for_which_no_time_is_left_is_closed():
    found, events = run_fakes("abc", [99, 99, 12, 3, 0])
    assert found == [("a", 12), ("b", 3)]
    assert events[-1] == "close c" and "begin c" not in events
    assert run_fakes("", [])[0] == []


def test_models_that_hang_are_not_waited_for():
    now = [0.0]

    def pause(seconds):
        now[0] += 10

    models = [FakeModel("a"), FakeModel("b", looks=99)]
    model_batches.prepare(models, 30, clock=lambda: now[0], pause=pause)
    assert now[0] == 30 + model_batches.GRACE


def test_ahead_goes_without_tuning(capsys):
    with pytest.raises(SystemExit):
        compare_models.parse_arguments(["--ahead", "2", "--tune", "9"])
    assert "expected --ahead without --tune" in capsys.readouterr().err
