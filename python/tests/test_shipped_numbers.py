# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of fitted numbers, as they are read and written."""

import fuse_compiler as fuse
import pytest
from tuning import (
    fit_mma_model,
    fit_streamed_model,
    fit_tiled_model,
    shipped_numbers,
)
from tuning.schedule_text import fields_of, number_in

PROGRAM = """
func.func @f(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %y = fuse.exp %x : tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
"""
FITS = [fit_mma_model, fit_streamed_model, fit_tiled_model]
MODELS = sorted(shipped_numbers.FOLDER.glob("*.inc"))


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


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_numbers_say_what_they_are(path, tmp_path):
    """A unit and a sentence each, and what they are from in the first line; a whole number
    stays one."""
    lines = path.read_text().splitlines()
    assert ".json" in lines[0] or "no sweep has fitted" in lines[0]
    found = [shipped_numbers.LINE.match(line) for line in lines if "FUSE_" in line]
    assert all(found) and len(found) == len(shipped_numbers.read(path))
    for model, _, _, unit, text in (each.groups() for each in found):
        assert path in (shipped_numbers.path_of(model), path.with_name("Host.inc"))
        assert unit and text[0].isupper() and text[-1] != "."
    copy = tmp_path / "numbers.inc"
    copy.write_text(path.read_text())
    shipped_numbers.write(copy, shipped_numbers.read(path))
    assert copy.read_text() == path.read_text()


def test_the_compiler_takes_numbers_by_name():
    """All of GPUs: what a fit asks with, and what a board of its own has."""
    for path in MODELS:
        if path.stem == "Host":
            continue
        model = path.stem[0].lower() + path.stem[1:]
        values = shipped_numbers.read(path)
        whole = shipped_numbers.counts(path)
        texts = [
            # A plus begins the next one.
            f"{model}.{name}={shipped_numbers.text_of(value, name in whole)}".replace(
                "e+", "e"
            )
            for name, value in values.items()
        ]
        fuse.inspect(PROGRAM, chip="+".join(["sm_90", *texts]))
    with pytest.raises(fuse.Error, match="such as time.edgeSeconds"):
        fuse.inspect(PROGRAM, chip="sm_90+time.edgesSeconds=1e-6")


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
