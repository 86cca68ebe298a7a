# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/tuning/fit_numbers.py: what numbers of rules and of the model of time are judged by."""

import argparse
import os
from pathlib import Path

import numpy as np
import pytest
from tuning import fit_numbers, shipped_numbers

BUILD = Path(os.environ.get("FUSE_BUILD_DIR", fit_numbers.ROOT / "build"))


def judge_of(model, every):
    tool = str(BUILD / "bin" / "fuse-opt")
    arguments = argparse.Namespace(fuse_opt=tool, chip="sm_90", every=every)
    return fit_numbers.MODELS[model](arguments, model)


@pytest.fixture(name="pointwise", scope="module")
def fixture_pointwise():
    return judge_of("pointwise", 1)


@pytest.fixture(name="shipped", scope="module")
def fixture_shipped(pointwise):
    return pointwise.losses({})


def test_a_gain_is_of_calls_that_notice_and_were_measured(pointwise):
    shipped = np.zeros(len(pointwise.calls))
    other = shipped.copy()
    seen = [i for i, call in enumerate(pointwise.calls) if not call.held_out]
    held = [i for i, call in enumerate(pointwise.calls) if call.held_out]
    other[seen[0]], other[seen[1]], other[held[0]] = 0.5, np.nan, 1.0
    (gained, calls), (unseen, others) = pointwise.gain(shipped, other)
    assert (calls, others) == (1, 1)
    assert gained == pytest.approx(-np.log(1.5))
    assert unseen == pytest.approx(-np.log(2))


def test_counts_are_tried_as_counts():
    assert fit_numbers.others_of(4, True) == [2, 3, 5, 6, 8]
    assert fit_numbers.others_of(1, True) == [2]
    assert fit_numbers.others_of(2, True, True) == [1, 4, 8]
    assert fit_numbers.others_of(2.0, False) == pytest.approx([1.4, 1.7, 2.36, 2.8])


@pytest.mark.parametrize("name, other", [("threads", 512), ("threads", 1024)])
def test_other_rules_choose_worse(pointwise, shipped, name, other):
    """By what was measured, so that a fit can find the shipped ones."""
    (seen, calls), _ = pointwise.gain(shipped, pointwise.losses({name: other}))
    assert calls >= fit_numbers.FEWEST_CALLS and seen < 0


@pytest.mark.parametrize(
    "model, name, factor",
    [("time", "memoryLatency", 10), ("work", "heldElementRegisters", 0.3)],
)
def test_other_numbers_predict_worse(model, name, factor):
    judge = judge_of(model, 16)
    value = shipped_numbers.of(model)[name] * factor
    (seen, _), _ = judge.gain(judge.losses({}), judge.losses({name: value}))
    assert seen < 0
