# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of f32 as TF32: only where the program says so, and within the bound that
docs/numerics.md promises. The emulator reads what tensor cores read."""

import fuse_compiler as fuse
import numpy as np
import pytest
from fuse_compiler import lang

M, N, K = 70, 72, 520
CHIPS = ["sm_80", "sm_90a"]


def product(precision):
    option = f" precision = {precision}" if precision else ""
    x, w, y = (f"tensor<{a}x{b}xf32>" for a, b in ((M, K), (N, K), (M, N)))
    return f"""
func.func @f(%x: {x}, %w: {w}) -> {y} {{
  %y = fuse.matmul %x, %w transpose_rhs{option} : {x}, {w} -> {y}
  return %y : {y}
}}"""


def cut(x):
    return (x.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)


@pytest.fixture(name="operands", scope="module")
def fixture_operands():
    rng = np.random.default_rng(3)
    return [rng.standard_normal(s).astype(np.float32) for s in ((M, K), (N, K))]


@pytest.mark.parametrize("chip", CHIPS)
def test_factors_are_cut_and_sums_are_not(operands, chip):
    x, w = operands
    program = fuse.compile(product("tf32"), target="emu", chip=chip)
    assert any("#fuse.mma" in kernel.schedule for kernel in program.kernels)
    y = program(x, w)
    sizes = np.abs(x).astype(np.float64) @ np.abs(w).T
    # Each factor is less than 2^-10 smaller.
    exact = x.astype(np.float64) @ w.T
    assert np.all(np.abs(y - exact) < (2.0**-9 + 1e-6) * sizes)
    assert np.abs(y - exact).max() > 2.0**-16 * sizes.max()
    of_cut = cut(x).astype(np.float64) @ cut(w).T
    assert np.all(np.abs(y - of_cut) < 1e-6 * sizes)


@pytest.mark.parametrize("chip", CHIPS)
def test_without_the_option_products_are_exact(operands, chip):
    x, w = operands
    program = fuse.compile(product(None), target="emu", chip=chip)
    assert not any("#fuse.mma" in kernel.schedule for kernel in program.kernels)
    sizes = np.abs(x).astype(np.float64) @ np.abs(w).T
    assert np.all(np.abs(program(x, w) - x.astype(np.float64) @ w.T) < 1e-6 * sizes)


@pytest.mark.parametrize("precision", [None, "tf32"])
def test_other_cores_multiply_exactly(operands, precision):
    """A CPU gives the same bits with the option and without it."""
    x, w = operands
    expected = fuse.compile(product(None), target="cpu")(x, w)
    y = fuse.compile(product(precision), target="cpu")(x, w)
    np.testing.assert_array_equal(y, expected)


def test_python_says_so():
    @fuse.jit(target="emu", chip="sm_90a")
    def f(x, w):
        return lang.matmul(x, w.T, precision="tf32"), lang.matmul(x, w.T)

    rng = np.random.default_rng(4)
    x, w = (rng.standard_normal((64, 64)).astype(np.float32) for _ in range(2))
    tf32, exact = f(x, w)
    assert 1e-4 < np.abs(tf32 - exact).max() < 1e-1
    np.testing.assert_allclose(exact, x @ w.T, atol=1e-5, rtol=1e-5)


def test_another_precision_is_refused():
    @fuse.jit(target="cpu")
    def f(x, w):
        return lang.einsum("mk,nk->mn", x, w, precision="half")

    x = np.ones((4, 4), np.float32)
    with pytest.raises(fuse.Error, match="expected a precision of 'tf32' or None"):
        f(x, x)


def test_narrow_types_have_none():
    @fuse.jit(target="cpu")
    def f(x, w):
        return lang.matmul(x, w, precision="tf32")

    x = np.ones((4, 4), np.float16)
    np.testing.assert_array_equal(f(x, x), np.full((4, 4), 4, np.float16))
