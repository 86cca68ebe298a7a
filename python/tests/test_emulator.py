# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The target emu: the GPU's kernels on the host."""

import re

import fuse_compiler as fuse
import numpy as np
import pytest

SOFTMAX = """
func.func @softmax(%x: tensor<?x100xf32> {fuse.dims = ["rows"]}) -> tensor<?x100xf32> {
  %y = fuse.softmax %x dims = [1] : tensor<?x100xf32>
  return %y : tensor<?x100xf32>
}"""


def test_softmax():
    program = fuse.compile(SOFTMAX, target="emu", cache=False)
    x = np.random.default_rng(1).standard_normal((3, 100)).astype(np.float32)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(program(x), e / e.sum(axis=1, keepdims=True), rtol=1e-5)


LAYER_NORM = """
func.func @norm(%x: ROWS, %w: ROW, %b: ROW) -> ROWS {
  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : ROWS, ROW, ROW
  return %y : ROWS
}"""
UNIT_ROWS = """
func.func @unit(%x: ROWS, %g: ROWS) -> ROWS {
  %a = fuse.mul %x, %g : ROWS
  %q = fuse.mul %a, %a : ROWS
  %s = fuse.reduce sum %q dims = [1] keep : ROWS -> FEW
  %n = fuse.rsqrt %s : FEW
  %y = fuse.mul %a, %n : ROWS, FEW -> ROWS
  return %y : ROWS
}"""


def compiled(text, rows, columns):
    for name, shape in {
        "ROWS": f"{rows}x{columns}",
        "ROW": f"{columns}",
        "FEW": f"{rows}x1",
    }.items():
        text = re.sub(rf"\b{name}\b", f"tensor<{shape}xf32>", text)
    return fuse.compile(text, target="emu", cache=False)


# Calls that are large enough for the schedules of those that keep a GPU busy.
@pytest.mark.parametrize(
    ("rows", "columns", "schedule"),
    [
        (560, 2048, "rows_per_block = 2, hold = registers"),
        (160, 7168, "hold = registers, preload = true, blocks_per_row = 2"),
        (120, 11008, "hold = registers, preload = true, blocks_per_row = 4"),
        (
            50,
            24576,
            "hold = shared, preload = true, copy_groups = 1, blocks_per_row = 8",
        ),
    ],
)
def test_layer_norm_of_rows_that_blocks_share(rows, columns, schedule):
    program = compiled(LAYER_NORM, rows, columns)
    assert schedule in program.kernels[0].schedule
    random = np.random.default_rng(2)
    x = random.standard_normal((rows, columns)).astype(np.float32) + 3
    w, b = random.standard_normal((2, columns)).astype(np.float32)
    wide = x.astype(np.float64)
    deviations = wide - wide.mean(axis=1, keepdims=True)
    expected = deviations / np.sqrt(wide.var(axis=1, keepdims=True) + 1e-5) * w + b
    np.testing.assert_allclose(program(x, w, b), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("rows", "columns", "blocks"), [(120, 9216, 4), (40, 32768, 8)]
)
def test_two_inputs_of_rows_that_blocks_share(rows, columns, blocks):
    program = compiled(UNIT_ROWS, rows, columns)
    assert f"hold = registers, preload = true, blocks_per_row = {blocks}" in (
        program.kernels[0].schedule
    )
    x, g = np.random.default_rng(3).standard_normal(
        (2, rows, columns), dtype=np.float32
    )
    product = x.astype(np.float64) * g
    expected = product / np.sqrt((product**2).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(program(x, g), expected, rtol=1e-5, atol=1e-7)
