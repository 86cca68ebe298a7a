# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What sums and means of no elements, of zeros of either sign, of products, and of
very many elements are."""

import fuse_compiler as fuse
import numpy as np
import pytest

REDUCE = """
func.func @reduce(%x: tensor<?x?xf32> {fuse.dims = ["rows", "columns"]}) -> RESULT {
  %y = fuse.reduce KIND %x dims = [DIM] : tensor<?x?xf32> -> RESULT
  return %y : RESULT
}
"""
SQUARES = """
func.func @squares(%x: tensor<?x1000xf32> {fuse.dims = ["rows"]}) -> tensor<?xf32> {
  %q = fuse.mul %x, %x : tensor<?x1000xf32>
  %y = fuse.reduce mean %q dims = [1] : tensor<?x1000xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}
"""

NORM = """
func.func @norm(%x: tensor<?xLENGTHxf32>) -> tensor<?xLENGTHxf32> {
  %m = fuse.reduce mean %x dims = [1] keep : tensor<?xLENGTHxf32> -> tensor<?x1xf32>
  %d = fuse.sub %x, %m : tensor<?xLENGTHxf32>, tensor<?x1xf32> -> tensor<?xLENGTHxf32>
  %q = fuse.mul %d, %d : tensor<?xLENGTHxf32>
  %v = fuse.reduce mean %q dims = [1] keep : tensor<?xLENGTHxf32> -> tensor<?x1xf32>
  %e = fuse.constant dense<1.0e-5> : tensor<f32>
  %s = fuse.add %v, %e : tensor<?x1xf32>, tensor<f32> -> tensor<?x1xf32>
  %i = fuse.rsqrt %s : tensor<?x1xf32>
  %y = fuse.mul %d, %i : tensor<?xLENGTHxf32>, tensor<?x1xf32> -> tensor<?xLENGTHxf32>
  return %y : tensor<?xLENGTHxf32>
}
"""


def compiled(kind, dim, target):
    text = REDUCE.replace("KIND", kind).replace("DIM", str(dim))
    return fuse.compile(text.replace("RESULT", "tensor<?xf32>"), target=target)


@pytest.mark.parametrize("target", ["cpu", "emu"])
@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("kind", ["sum", "mean"])
@pytest.mark.parametrize("length", [1, 3, 64, 1001])
def test_zeros_add_up_to_a_zero_without_a_sign(target, dim, kind, length):
    shape = (length, 5) if dim == 0 else (5, length)
    y = compiled(kind, dim, target)(np.full(shape, -0.0, np.float32))
    assert (y == 0).all() and not np.signbit(y).any()


@pytest.mark.parametrize("target", ["cpu", "emu"])
@pytest.mark.parametrize("dim", [0, 1])
def test_nothing_adds_up_to_zero(target, dim):
    shape = (0, 5) if dim == 0 else (5, 0)
    y = compiled("sum", dim, target)(np.empty(shape, np.float32))
    assert y.shape == (5,)
    assert (y == 0).all() and not np.signbit(y).any()


@pytest.mark.parametrize("target", ["cpu", "emu"])
def test_the_mean_of_nothing_is_no_number(target):
    assert np.isnan(compiled("mean", 1, target)(np.empty((5, 0), np.float32))).all()


@pytest.mark.parametrize("target", ["cpu", "emu"])
@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("length", [3, 48, 1000, 1001])
def test_a_mean_is_a_quotient(target, dim, length):
    """Rounded as IEEE 754 says, so that equal elements have themselves for a mean; of
    sums without an error, infinities and what is not a number."""
    columns = np.float32([3, 7, 1e4, 0.1875, -5, 2.0**-60, np.inf, -np.inf, np.nan])
    whole = np.random.default_rng(3).integers(-999, 999, (length, 200))
    x = np.concatenate(
        [np.tile(columns, (length, 1)), whole.astype(np.float32)], axis=1
    )
    y = compiled("mean", dim, target)(x if dim == 0 else np.ascontiguousarray(x.T))
    quotients = whole.sum(axis=0).astype(np.float32) / np.float32(length)
    np.testing.assert_array_equal(y, np.concatenate([columns, quotients]))


@pytest.mark.parametrize("target", ["cpu", "emu"])
@pytest.mark.parametrize("length", [1000, 1024])
def test_a_norm_of_a_constant_row_is_zero(target, length):
    text = NORM.replace("LENGTH", str(length))
    rows = np.float32([[3.0], [-1000.0], [0.1875]])
    y = fuse.compile(text, target=target)(np.tile(rows, (1, length)))
    assert (y == 0).all()


@pytest.mark.parametrize("target", ["cpu", "emu"])
def test_what_a_sum_of_products_and_a_mean_are_off_by(target):
    """A few units in the last place, with products that are not rounded before."""
    x = np.random.default_rng(7).standard_normal((64, 1000)).astype(np.float32)
    y = fuse.compile(SQUARES, target=target)(x)
    exact = np.square(x.astype(np.float64)).mean(axis=1)
    np.testing.assert_allclose(y, exact, rtol=8 * 2.0**-24)


ROWS = """
func.func @rows(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = fuse.OP : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
"""
COLUMNS_OF_GRADIENTS = """
func.func @gradients(%x: tensor<?x256xf32>) -> (tensor<?x256xf32>, tensor<256xf32>) {
  %y = fuse.rms_norm %x eps = 1.0e-6 : tensor<?x256xf32>
  %w = fuse.reduce sum %x dims = [0] : tensor<?x256xf32> -> tensor<256xf32>
  return %y, %w : tensor<?x256xf32>, tensor<256xf32>
}
"""
KEPT_FROM_ROW_TO_ROW = """
func.func @kept(%x: tensor<?x64xf32> {fuse.dims = ["rows"]}) -> (tensor<?x64xf32>, tensor<64xf32>) {
  %0:2 = fuse.kernel "kept" ins(%x : tensor<?x64xf32>) -> tensor<?x64xf32>, tensor<64xf32>
      schedule = #fuse.rows<threads = 32, vector = 4, rows_per_block = 1, hold = registers, persistent = 2> {
  ^bb0(%a: tensor<?x64xf32>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x64xf32> -> tensor<?x1xf32>
    %d = fuse.sub %m, %m : tensor<?x1xf32>
    %s = fuse.add %a, %d : tensor<?x64xf32>, tensor<?x1xf32>
    %y = fuse.add %s, %a : tensor<?x64xf32>
    %w = fuse.reduce sum %a dims = [0] : tensor<?x64xf32> -> tensor<64xf32>
    fuse.yield %y, %w : tensor<?x64xf32>, tensor<64xf32>
  }
  return %0#0, %0#1 : tensor<?x64xf32>, tensor<64xf32>
}
"""
# One accumulator of as many equal terms is off by thousands of units.
MANY = {"cpu": 1_000_003, "emu": 150_001}


def units_off(y, exact):
    """The largest error in units of 2**-24 of the largest value."""
    return np.abs(y - exact).max() / np.abs(exact).max() * 2.0**24


@pytest.mark.parametrize("target", ["cpu", "emu"])
@pytest.mark.parametrize("kind", ["sum", "mean"])
@pytest.mark.parametrize("dim, width", [(0, 1), (0, 4), (1, 1), (1, 3)])
def test_sums_of_many_equal_terms(target, kind, dim, width):
    shape = (MANY[target], width) if dim == 0 else (width, MANY[target])
    x = np.full(shape, 0.1, np.float32)
    y = compiled(kind, dim, target)(x)
    exact = getattr(x.astype(np.float64), kind)(axis=dim)
    assert units_off(y, exact) < 40


def test_ones_are_counted():
    """From 2**24 on one more does not change a sum in f32."""
    for shape in [(20_000_000, 1), (20_000_000, 3), (1, 20_000_000)]:
        dim = 0 if shape[0] > 1 else 1
        y = compiled("sum", dim, "cpu")(np.ones(shape, np.float32))
        assert (y == 20_000_000).all()


@pytest.mark.parametrize("target", ["cpu", "emu"])
def test_norms_and_softmax_of_many_equal_terms(target):
    x = np.full((1, MANY[target]), 0.1, np.float32)
    norm = fuse.compile(ROWS.replace("OP", "rms_norm %x eps = 0.0"), target=target)
    assert units_off(norm(x), np.ones(x.shape)) < 40
    softmax = fuse.compile(ROWS.replace("OP", "softmax %x dims = [1]"), target=target)
    rising = np.linspace(0, 1, MANY[target], dtype=np.float32)[None]
    for row in rising, np.ascontiguousarray(rising[:, ::-1]):
        exact = np.exp(row.astype(np.float64))
        assert units_off(softmax(row), exact / exact.sum()) < 60


@pytest.mark.parametrize("target", ["cpu", "emu"])
def test_products_of_many_equal_terms(target):
    text = """
    func.func @product(%x: tensor<2x?xf32>, %w: tensor<?x4xf32>) -> tensor<2x4xf32> {
      %y = fuse.matmul %x, %w : tensor<2x?xf32>, tensor<?x4xf32> -> tensor<2x4xf32>
      return %y : tensor<2x4xf32>
    }"""
    x = np.full((2, MANY[target]), 0.1, np.float32)
    w = np.full((MANY[target], 4), 0.3, np.float32)
    y = fuse.compile(text, target=target)(x, w)
    assert units_off(y, x.astype(np.float64) @ w.astype(np.float64)) < 80


def test_a_kernel_of_rows_sums_its_columns_in_blocks():
    x = np.full((MANY["cpu"] // 2, 256), 0.1, np.float32)
    program = fuse.compile(COLUMNS_OF_GRADIENTS, target="cpu")
    _, w = program(x)
    assert units_off(w, x.astype(np.float64).sum(axis=0)) < 160


@pytest.mark.parametrize("rows", [3, 511, 512, 513, 1500, 20_001])
def test_persistent_blocks_keep_sums_of_columns_in_blocks(rows):
    """Two thread blocks add 256 rows each before they leave what they have."""
    program = fuse.compile(KEPT_FROM_ROW_TO_ROW, target="emu")
    x = np.full((rows, 64), 0.1, np.float32)
    x[:, ::2] += np.arange(32, dtype=np.float32)
    y, w = program(x)
    np.testing.assert_array_equal(y, x + x)
    assert units_off(w, x.astype(np.float64).sum(axis=0)) < 160
