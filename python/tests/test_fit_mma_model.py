# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model of tensor cores' tiles, and the numbers that it ships with."""

import pytest
from bench.peers import packed
from tuning import fit_mma_model as fit


@pytest.fixture(name="tiles", scope="module")
def fixture_tiles():
    return fit.Tiles(packed.read_json(fit.SWEEP))


def test_all_numbers_are_shipped():
    numbers = fit.shipped()
    assert list(numbers) == list(fit.RANGES)
    for name, (low, high) in fit.RANGES.items():
        assert low <= numbers[name] <= high


def test_written_numbers_are_read_again(tmp_path, monkeypatch):
    copy = tmp_path / "WgmmaNumbers.inc"
    copy.write_text(fit.SHIPPED.read_text())
    monkeypatch.setattr(fit, "SHIPPED", copy)
    before = copy.read_text()
    fit.write(fit.shipped())
    assert copy.read_text() == before
    fit.write({**fit.shipped(), "stepClocks": 12.5})
    assert fit.shipped()["stepClocks"] == 12.5


def test_what_is_chosen_is_near_the_fastest(tiles):
    for kinds in (("us",), ("us", "warm_us")):
        found = fit.losses(tiles, fit.shipped(), kinds)
        assert found.mean() < 1.02
        assert found.max() < 1.2


def test_what_is_fitted_to_one_board_carries_over_to_the_other():
    cases = packed.read_json(fit.SWEEP)
    boards = sorted({case["gpu"] for case in cases})
    assert len(boards) == 2
    for board in boards:
        seen = fit.Tiles([case for case in cases if case["gpu"] != board])
        unseen = fit.Tiles([case for case in cases if case["gpu"] == board])
        numbers = fit.fit(seen, rounds=200, seeds=1)
        assert fit.losses(unseen, numbers).mean() < 1.04


def test_other_numbers_choose_worse(tiles):
    shipped = fit.shipped()
    free = {**shipped, "clusterBytesPerClock": 1e9, "clusterMeetingClocks": 0}
    assert fit.score(tiles, free) > fit.score(tiles, shipped)
