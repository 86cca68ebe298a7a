# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of fitted numbers, as they are read and written."""

import pytest
from tuning import (
    fit_mma_model,
    fit_streamed_model,
    fit_tiled_model,
    shipped_numbers,
)
from tuning.schedule_text import fields_of, number_in

FITS = [fit_mma_model, fit_streamed_model, fit_tiled_model]


@pytest.mark.parametrize("fit", FITS)
def test_all_numbers_are_shipped(fit):
    numbers = fit.shipped()
    assert list(numbers) == list(fit.RANGES)
    for name, (low, high) in fit.RANGES.items():
        assert low <= numbers[name] <= high


@pytest.mark.parametrize("fit", FITS)
def test_written_numbers_are_read_again(fit, tmp_path):
    copy = tmp_path / "numbers.inc"
    copy.write_text(fit.SHIPPED.read_text())
    shipped_numbers.write(copy, fit.shipped())
    assert copy.read_text() == fit.SHIPPED.read_text()
    changed = dict.fromkeys(fit.shipped(), 12.5)
    shipped_numbers.write(copy, changed)
    assert shipped_numbers.read(copy) == changed


def test_fields_of_a_schedule():
    parts = "hold = registers<preload = true>, share = cluster<4>"
    schedule = f"#fuse.rows<threads = 256, {parts}>"
    assert fields_of(schedule) == {
        "threads": "256",
        "hold": "registers",
        "preload": "true",
        "share": "cluster",
        "cluster": "4",
    }
    assert number_in(schedule, "threads") == 256
    assert number_in(schedule, "rows_per_block") == 1
    assert number_in(schedule, "stages", absent=0) == 0
