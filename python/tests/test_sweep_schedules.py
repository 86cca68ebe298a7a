# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/tuning/sweep_schedules.py, as far as it needs no GPU: what it makes of a plan."""

import argparse
import stat

import pytest
from tuning import sweep_schedules

CHOSEN = "#fuse.rows<threads = 128, vector = 4, rows_per_block = 1, hold = cache>"
OTHER = "#fuse.rows<threads = 256, vector = 4, rows_per_block = 1, hold = loop>"
FORMED = """func.func @f() {
  %0 = fuse.kernel "a" ins(%x) -> tensor<8x64xbf16> {
  ^bb0:
  %1 = fuse.kernel "b" ins(%0) -> tensor<8x64xbf16> {
"""


@pytest.fixture(name="tools")
def fake_tools(tmp_path):
    """A driver that schedules every program alike and compiles none, and an optimizer
    that forms the same kernels of each."""

    def script(name, text):
        path = tmp_path / name
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    driver = (
        "#!/bin/sh\n"
        'case "$*" in\n'
        f"*--emit=schedule*) echo 'schedule = {CHOSEN} {{';;\n"
        "*) echo 'error: expected a GPU' >&2; exit 1;;\n"
        "esac\n"
    )
    optimizer = f"#!/bin/sh\ncat <<'END'\n{FORMED}END\n"
    return argparse.Namespace(
        fuse=script("fuse", driver), fuse_opt=script("fuse-opt", optimizer)
    )


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


def test_schedules_are_given_to_the_first_kernel(tools):
    entry = {"family": "softmax", "dtype": "bf16", "shape": [8, 64]}
    case = sweep_schedules.case_of(entry)
    programs = sweep_schedules.variants(
        tools, {**entry, "schedules": [OTHER]}, case, "sm_90"
    )
    assert list(programs) == [f"chosen {CHOSEN}", OTHER]
    for name, schedule in zip(programs, (CHOSEN, OTHER), strict=True):
        first, second = programs[name].split("\n")[1:4:2]
        assert first.endswith(f"-> tensor<8x64xbf16> schedule = {schedule} {{")
        assert second == FORMED.split("\n")[3]


def test_a_schedule_that_is_refused_says_why(tools):
    assert sweep_schedules.assemble(tools.fuse, "", "sm_90") == "error: expected a GPU"
