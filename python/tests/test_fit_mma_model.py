# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model of tensor cores' tiles, and the numbers that it ships with."""

import pytest
from bench.peers import packed
from tuning import fit_mma_model as fit


@pytest.fixture(name="tiles", scope="module")
def fixture_tiles():
    return fit.Tiles(packed.read_json(fit.SWEEP))


@pytest.fixture(name="few", scope="module")
def fixture_few():
    return fit.Tiles(fit.few_rows_cases())


def test_what_is_chosen_is_near_the_fastest(tiles):
    for kinds in (("us",), ("us", "warm_us")):
        found = fit.losses(tiles, fit.shipped(), kinds)
        assert found.mean() < 1.02
        assert found.max() < 1.2


def test_what_is_chosen_for_few_rows_is_near_the_fastest(few):
    found = fit.losses(few, fit.shipped(), ("us",))
    assert found.mean() < 1.02
    assert found.max() < 1.06
    assert fit.spread(few, fit.shipped()) < 0.08


def test_exchanges_of_more_than_a_pair_are_not_hidden(few):
    shipped = fit.shipped()
    free = {**shipped, "clusterMeetingClocks": shipped["pairMeetingClocks"]}
    assert fit.spread(few, free) > 1.2 * fit.spread(few, shipped)


def test_what_is_fitted_to_one_board_carries_over_to_the_other():
    cases = packed.read_json(fit.SWEEP)
    boards = sorted({case["gpu"] for case in cases})
    assert len(boards) == 2
    for board in boards:
        seen = fit.Tiles([case for case in cases if case["gpu"] != board])
        unseen = fit.Tiles([case for case in cases if case["gpu"] == board])
        numbers = fit.fit(seen, None, rounds=200, seeds=1)
        assert fit.losses(unseen, numbers).mean() < 1.04


def test_other_numbers_choose_worse(tiles):
    shipped = fit.shipped()
    free = {**shipped, "clusterBytesPerClock": 1e9, "clusterMeetingClocks": 0}
    assert fit.score(tiles, None, free) > fit.score(tiles, None, shipped)
