# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What sums and means of no elements, of zeros of either sign, and of products are."""

import fuse
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
