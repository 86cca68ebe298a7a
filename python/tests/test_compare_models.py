# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is said of a comparison of models, without torch."""

import compare_models
import pytest
from peers import model_cases, model_report


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
            "compile-max": {"skipped": "the time was over"},
        },
    }


def test_speedups_are_of_what_was_measured():
    assert model_report.speedups(entry()) == {"eager": 2.0, "compile": 1.5}
    assert model_report.speedups({"peers": {"eager": {"seconds": 1.0}}}) == {}
    both = [entry(), entry(seconds=1e-3)]
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
    assert "compile-max  the time was over" in text
    assert "2.00 of eager, 1.50 of compile" in text


def test_models_are_selected_and_two_are_aside():
    cases = model_cases.all_cases()
    assert len({case.name for case in cases}) == len(cases)
    assert sum(case.aside for case in cases) == 2
    names = [case.name for case in model_cases.selected("bert,vit")]
    assert names == ["bert-large", "vit-large"]


def test_an_unknown_peer_is_refused(capsys):
    with pytest.raises(SystemExit):
        compare_models.parse_arguments(["--peers", "fuse,tvm"])
    assert "expected peers of fuse, compile, compile-max, but got tvm" in (
        capsys.readouterr().err
    )
