# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/dev/sweep_schedules.py, as far as it needs no GPU: what it makes of a plan."""

import stat

import pytest
import sweep_schedules

CHOSEN = "#fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = cache>"
OTHER = "#fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = loop>"
SCHEDULED = f"""func.func @f() {{
  %0 = fuse.kernel "a" schedule = {CHOSEN} {{
  %1 = fuse.kernel "b" schedule = {CHOSEN} {{
"""


@pytest.fixture(name="driver")
def fake_driver(tmp_path):
    """A driver that schedules every program alike, and compiles none."""
    script = tmp_path / "fuse"
    script.write_text(
        "#!/bin/sh\n"
        'case "$*" in\n'
        f"*--emit=schedule*) cat <<'END'\n{SCHEDULED}END\n;;\n"
        "*) echo 'error: expected a GPU' >&2; exit 1;;\n"
        "esac\n"
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return str(script)


def test_a_case_of_a_family():
    entry = {"family": "softmax", "dtype": "bf16", "shape": [8, 4096]}
    case = sweep_schedules.case_of(entry)
    assert case.inputs[0].shape == (8, 4096)
    assert case.bytes == 2 * 8 * 4096 * 2


def test_a_program_of_its_own():
    entry = {"program": "func.func @f", "inputs": [["f32", 8, 16], ["f32", 16]]}
    case = sweep_schedules.case_of(entry)
    assert [each.shape for each in case.inputs] == [(8, 16), (16,)]
    # The result is as large as the first input.
    assert case.bytes == 4 * (8 * 16 + 16 + 8 * 16)


def test_schedules_replace_that_of_the_first_kernel(driver):
    entry = {"family": "softmax", "dtype": "bf16", "shape": [8, 64]}
    case = sweep_schedules.case_of(entry)
    programs = sweep_schedules.variants(
        driver, {**entry, "schedules": [OTHER]}, case, "sm_90"
    )
    assert list(programs) == [f"chosen {CHOSEN}", OTHER]
    assert programs[f"chosen {CHOSEN}"] == SCHEDULED
    assert programs[OTHER] == SCHEDULED.replace(CHOSEN, OTHER, 1)


def test_a_schedule_that_is_refused_says_why(driver):
    assert sweep_schedules.assemble(driver, "", "sm_90") == "error: expected a GPU"
