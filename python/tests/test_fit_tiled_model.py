# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model of tiles on ordinary cores, and the numbers that it ships with."""

import pytest
from tuning import fit_tiled_model as fit


@pytest.fixture(name="cases", scope="module")
def fixture_cases():
    return list(fit.sweep())


def test_what_is_chosen_is_near_the_fastest(cases):
    losses, _ = fit.judge(cases, fit.shipped())
    assert losses.mean() < 1.02
    assert losses.max() < 1.05


def test_waiting_and_bringing_both_count(cases):
    shipped = fit.shipped()
    for name in fit.SEARCHED:
        without = {**shipped, name: 0.01}
        assert fit.judge(cases, without)[0].mean() > 1.1


def test_the_fastest_tile_takes_about_as_long_as_predicted(cases):
    shipped = fit.shipped()
    for efficiency in fit.efficiencies(cases, shipped):
        assert efficiency == pytest.approx(shipped["efficiency"], rel=0.2)
