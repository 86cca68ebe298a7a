# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model of attention, and the numbers that it ships with."""

import pytest
from tuning import fit_streamed_model as fit


@pytest.fixture(name="cases", scope="module")
def fixture_cases():
    return list(fit.sweep())


def test_what_is_chosen_is_near_the_fastest(cases):
    losses, errors = fit.judge(cases, fit.shipped())
    assert losses.mean() < 1.03
    assert losses.max() < 1.12
    assert errors.mean() < 0.07


@pytest.mark.parametrize("name", ["aloneReadShare", "wgmmaArrivalClocks", "wgmmaShare"])
def test_each_number_counts(cases, name):
    without = {**fit.shipped(), name: fit.RANGES[name][0]}
    assert fit.score(cases, without) > fit.score(cases, fit.shipped()) + 0.001


def test_many_queries_are_multiplied_by_warpgroups(cases):
    for case, calls, _ in cases:
        if case["queries"] < 256:
            continue
        times = fit.predicted(calls, fit.shipped())
        assert calls[times.argmin()].is_wgmma, case["name"]
