# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The target emu: the GPU's kernels on the host."""

import os
import re
import subprocess
from pathlib import Path

import fuse_compiler as fuse
import numpy as np
import pytest
from tuning.run_design import with_schedule

ROOT = Path(__file__).resolve().parents[2]
FUSE_OPT = Path(os.environ.get("FUSE_BUILD_DIR", ROOT / "build")) / "bin" / "fuse-opt"

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


def compiled(text, rows, columns, schedule):
    for name, shape in {
        "ROWS": f"{rows}x{columns}",
        "ROW": f"{columns}",
        "FEW": f"{rows}x1",
    }.items():
        text = re.sub(rf"\b{name}\b", f"tensor<{shape}xf32>", text)
    formed = subprocess.run(
        [FUSE_OPT, "-fuse-form=chip=sm_90"], input=text, text=True, capture_output=True
    )
    assert formed.returncode == 0, formed.stderr
    whole = f"#fuse.rows<threads = 256, vector = 4, {schedule}>"
    return fuse.compile(with_schedule(formed.stdout, whole), target="emu", cache=False)


# Of rows that blocks share, each has its part in registers or in shared memory.
REGISTERS = "rows_per_block = 1, hold = registers<preload = true>"
SHARED = "rows_per_block = 1, hold = shared<preload = true, copy_groups = 1>"


@pytest.mark.parametrize(
    ("rows", "columns", "schedule"),
    [
        (57, 2048, "rows_per_block = 2, hold = registers"),
        (16, 7168, f"{REGISTERS}, share = cluster<2>"),
        (12, 11008, f"{REGISTERS}, share = cluster<4>"),
        (5, 24576, f"{SHARED}, share = cluster<8>"),
    ],
)
def test_layer_norm_of_rows_that_blocks_share(rows, columns, schedule):
    program = compiled(LAYER_NORM, rows, columns, schedule)
    random = np.random.default_rng(2)
    x = random.standard_normal((rows, columns)).astype(np.float32) + 3
    w, b = random.standard_normal((2, columns)).astype(np.float32)
    wide = x.astype(np.float64)
    deviations = wide - wide.mean(axis=1, keepdims=True)
    expected = deviations / np.sqrt(wide.var(axis=1, keepdims=True) + 1e-5) * w + b
    np.testing.assert_allclose(program(x, w, b), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("rows", "columns", "blocks"), [(12, 9216, 4), (4, 32768, 8)])
def test_two_inputs_of_rows_that_blocks_share(rows, columns, blocks):
    schedule = f"{REGISTERS}, share = cluster<{blocks}>"
    program = compiled(UNIT_ROWS, rows, columns, schedule)
    x, g = np.random.default_rng(3).standard_normal(
        (2, rows, columns), dtype=np.float32
    )
    product = x.astype(np.float64) * g
    expected = product / np.sqrt((product**2).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(program(x, g), expected, rtol=1e-5, atol=1e-7)
