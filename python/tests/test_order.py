# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scans, selections, sorting, remainders and bits of Python programs, against NumPy."""

import math

import fuse_compiler as fuse
import numpy as np
import pytest
from fuse_compiler import lang

RNG = np.random.default_rng(0)
X = RNG.normal(size=(5, 37)).astype(np.float32)
N = RNG.integers(-9, 9, size=(5, 37)).astype(np.int32)


def run(function, *arrays, **options):
    return fuse.jit(function, **options)(*arrays)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("reverse", [False, True])
def test_scans_are_those_of_numpy(axis, reverse):
    def scans(n):
        keywords = {"axis": axis, "reverse": reverse}
        return (
            lang.cumsum(n, **keywords),
            lang.cumprod(n, **keywords),
            lang.cummax(n, **keywords),
            lang.cummin(n, **keywords),
        )

    n = np.flip(N, axis) if reverse else N
    for result, ufunc in zip(
        run(scans, N), (np.add, np.multiply, np.maximum, np.minimum)
    ):
        expected = ufunc.accumulate(n, axis, dtype=np.int32)
        expected = np.flip(expected, axis) if reverse else expected
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("axes", [(0, 1, 2), (2, 0, 1), (0, 2, 1)])
def test_scans_of_transposed_arrays_and_of_single_columns(axis, axes):
    def scans(n):
        moved = lang.transpose(n, axes)
        return lang.cumsum(moved, axis), lang.cumsum(moved[:, :, :1], axis)

    n = RNG.integers(-9, 9, size=(3, 7, 5)).astype(np.int32)
    moved = np.transpose(n, axes)
    for result, expected in zip(run(scans, n), (moved, moved[:, :, :1])):
        np.testing.assert_array_equal(result, np.cumsum(expected, axis, dtype=np.int32))


@pytest.mark.parametrize("reverse", [False, True])
def test_the_error_of_a_scanned_column_does_not_grow_with_its_rows(reverse):
    # Each addition rounds to the same side, and so what the roundings add up to.
    x = np.full((1000037, 1), 0.1, np.float32)
    got = run(lambda x: lang.cumsum(x, 0, reverse=reverse), x)
    expected = np.float64(x[0, 0]) * np.arange(1, len(x) + 1)
    expected = np.flip(expected) if reverse else expected
    np.testing.assert_allclose(got[:, 0], expected, rtol=2**-22)


def test_an_exclusive_scan_begins_with_nothing():
    got = run(lambda n: lang.cumsum(n, exclusive=True), N)
    np.testing.assert_array_equal(got, np.cumsum(N, 1) - N)
    assert (run(lambda x: lang.cummax(x, exclusive=True), X)[:, 0] == -np.inf).all()


def test_sums_go_on_behind_an_infinity_and_stay_nan():
    x = np.ones((1, 6), np.float32)
    x[0, 2], x[0, 4] = np.inf, -np.inf
    got = run(lambda x: lang.cumsum(x), x)
    np.testing.assert_array_equal(got, [[1, 2, np.inf, np.inf, np.nan, np.nan]])


def test_a_long_sum_of_floats_does_not_lose_what_is_small():
    x = np.full((1, 1 << 20), 0.1, np.float32)
    got = run(lambda x: lang.cumsum(x), x)[0, -1]
    assert got == pytest.approx((1 << 20) * float(np.float32(0.1)), rel=2e-7)
    got = run(lambda x: lang.cumsum(x, axis=0), x.reshape(-1, 2))[-1]
    assert got == pytest.approx((1 << 19) * float(np.float32(0.1)), rel=2e-7)


@pytest.mark.parametrize("largest", [True, False])
def test_top_k_is_stable_and_nan_is_largest(largest):
    x = N.astype(np.float32)
    x[1, 3] = x[1, 9] = np.nan
    x[2, 4], x[2, 7] = 0.0, -0.0
    values, ids = run(lambda x: lang.top_k(x, 11, largest=largest), x)
    order = np.argsort(-x if largest else x, axis=1, kind="stable")
    if largest:
        # NumPy has NaN last in both orders.
        row = [3, 9, *[i for i in order[1] if i not in (3, 9)]]
        order[1] = row
    np.testing.assert_array_equal(ids, order[:, :11])
    np.testing.assert_array_equal(values, np.take_along_axis(x, order[:, :11], 1))


@pytest.mark.parametrize("size", [37, 200])
def test_sorting_is_stable(size):
    n = RNG.integers(0, 20, size=(3, size)).astype(np.float32)
    n[0, 5] = np.nan
    values, ids = run(lambda n: lang.sort(n), n)
    expected = np.argsort(n, axis=1, kind="stable")
    np.testing.assert_array_equal(ids, expected)
    np.testing.assert_array_equal(values, np.take_along_axis(n, expected, 1))


def test_elements_of_each_line_by_ids():
    ids = RNG.integers(0, 37, size=(5, 4))
    got = run(lambda x, i: lang.take_along_axis(x, i, 1), X, ids)
    np.testing.assert_array_equal(got, np.take_along_axis(X, ids, 1))
    ids[0, 0] = 37
    assert math.isnan(run(lambda x, i: lang.take_along_axis(x, i, 1), X, ids)[0, 0])


def test_elements_of_each_line_are_replaced_by_ids():
    for axis, count in ((0, 3), (1, 9)):
        shape = (count, 37) if axis == 0 else (5, count)
        ids = np.argsort(RNG.random(X.shape), axis=axis)
        ids = np.take(ids, range(count), axis)
        values = RNG.normal(size=shape).astype(np.float32)
        function = fuse.jit(lambda x, i, v: lang.put_along_axis(x, i, v, axis))
        expected = X.copy()
        np.put_along_axis(expected, ids, values, axis)
        np.testing.assert_array_equal(function(X, ids, values), expected)
        ids[0, 0] = -1
        got = function(X, ids, values)
        assert (got != expected).sum() <= 1


def test_values_are_put_into_zeros_of_any_number_of_rows():
    def dense(x):
        values, ids = lang.top_k(x, 4)
        zeros = lang.full(x.builder, x.shape, 0.0, x.dtype)
        return lang.put_along_axis(zeros, ids, values, 1)

    expected = np.where(X >= np.sort(X, 1)[:, -4:-3], X, 0)
    np.testing.assert_array_equal(run(dense, X, dims={"x": ("n", None)}), expected)


def test_remainders_have_the_sign_that_python_and_c_give_them():
    y = np.where(N == 0, 1, N).astype(np.float32) / 3
    x = X * np.float32(1e6)
    np.testing.assert_array_equal(
        run(lambda x, y: lang.fmod(x, y), x, y), np.fmod(x, y)
    )
    got = run(lambda x, y: x % y, x, y)
    np.testing.assert_array_equal(got, np.mod(x, y))
    huge, small = np.float32([[1e38, -3e38]]), np.float32([[1e-45, 7e-30]])
    got = run(lambda x, y: lang.fmod(x, y), huge, small)
    np.testing.assert_array_equal(got, np.fmod(huge, small))
    n = np.int32([[7, -7, 7, -7, 5, -(2**31)]])
    m = np.int32([[3, 3, -3, -3, 0, -1]])
    got = run(lambda a, b: (a % b, lang.fmod(a, b)), n, m)
    np.testing.assert_array_equal(got[0], [[1, 2, -2, -1, 5, 0]])
    np.testing.assert_array_equal(got[1], [[1, -1, 1, -1, 5, 0]])


def test_shifts_beyond_the_type_are_defined():
    n = np.int32([[5, -5, 5, -5, 5, -5]])
    by = np.int32([[1, 1, 32, 32, -1, -1]])
    left, right = run(lambda a, b: (a << b, a >> b), n, by)
    np.testing.assert_array_equal(left, [[10, -10, 0, 0, 0, 0]])
    np.testing.assert_array_equal(right, [[2, -3, 0, -1, 0, -1]])
    m = np.int32([[6, 3, -1, 0, 12, 9]])
    got = run(lambda a, b: ((a & b) ^ (a | b), ~a), n, m)
    np.testing.assert_array_equal(got[0], n ^ m)
    np.testing.assert_array_equal(got[1], ~n)


def test_slices_of_dynamic_dims_end_before_the_end():
    @fuse.jit(dims={"x": ("rows", "columns")})
    def differences(x):
        return x[:, 1:] - x[:, :-1]

    for columns in (2, 37):
        x = X[:, :columns].copy()
        np.testing.assert_array_equal(differences(x), np.diff(x, axis=1))
    with pytest.raises(fuse.Error, match="expected columns to be at least 1"):
        differences(np.ones((3, 0), np.float32))


def test_activations_are_their_formulas():
    x = np.linspace(-30, 30, 121, dtype=np.float32)
    wide = x.astype(np.float64)
    softplus = np.logaddexp(wide, 0)
    expected = {
        "softplus": softplus,
        "log_sigmoid": wide - softplus,
        "mish": wide * np.tanh(softplus),
        "leaky_relu": np.where(wide > 0, wide, wide * 0.01),
        "elu": np.where(wide > 0, wide, np.expm1(np.minimum(wide, 0))),
        "hardswish": wide * np.clip(wide + 3, 0, 6) / 6,
    }
    for name, values in expected.items():
        got = run(getattr(lang, name), x)
        np.testing.assert_allclose(got, values, rtol=1e-5, atol=1e-6, err_msg=name)


def test_group_norm_is_one_kernel():
    x = RNG.normal(size=(2, 6, 4, 5)).astype(np.float32)
    weight, bias = np.arange(6, dtype=np.float32), np.ones(6, np.float32)
    norm = fuse.jit(lambda x, w, b: lang.group_norm(x, 3, w, b))
    split = x.reshape(2, 3, 2, 4, 5).astype(np.float64)
    mean = split.mean((2, 3, 4), keepdims=True)
    normal = (split - mean) / np.sqrt(split.var((2, 3, 4), keepdims=True) + 1e-5)
    expected = normal.reshape(x.shape) * weight[:, None, None] + 1
    np.testing.assert_allclose(norm(x, weight, bias), expected, rtol=2e-5, atol=2e-5)
    assert len(norm.program(x, weight, bias).kernels) == 1


def test_runs_of_rows_are_added_up():
    offsets = np.int32([0, 2, 2, 5, 99, -3])
    got = run(lambda n, o: lang.segment_sum(n, o), N, offsets)
    runs = [N[0:2], N[2:2], N[2:5], N[5:5], N[5:0]]
    np.testing.assert_array_equal(got, [r.sum(0) for r in runs])


@pytest.mark.parametrize("target", ["cpu", "emu"])
def test_the_error_of_a_run_does_not_grow_with_its_rows(target):
    # Each addition rounds to the same side, and so what the roundings add up to.
    x = np.full(1000037, 0.1, np.float32)
    offsets = np.int32([0, 3, len(x), 700])
    got = fuse.jit(lang.segment_sum, target=target)(x, offsets)
    expected = np.float64(x[0]) * np.array([3, len(x) - 3, 0])
    np.testing.assert_allclose(got, expected, rtol=2**-23)


def test_infinities_stay_in_runs_of_several_blocks_of_rows():
    x = np.full((1000, 4), 1, np.float32)
    x[70, 0] = np.inf
    x[70, 1] = x[930, 1] = -np.inf
    x[[70, 500], 2] = np.inf, -np.inf
    x[10:700, 3] = 2e37
    got = run(lang.segment_sum, x, np.int32([0, 1000]))
    np.testing.assert_array_equal(got, [[np.inf, -np.inf, np.nan, np.inf]])


@pytest.mark.parametrize("dtype", [np.int32, np.float32])
def test_a_scatter_adds_in_the_order_of_its_rows(dtype):
    ids = RNG.integers(-1, 8, size=(3, 50))
    ids[0] = 4
    updates = RNG.normal(size=(3, 50, 6)) * 10 ** RNG.uniform(0, 6, (3, 50, 1))
    updates, into = updates.astype(dtype), np.ones((7, 6), dtype)
    function = fuse.jit(lambda a, i, u: lang.scatter_add(a, i, u))
    got = function(into, ids, updates)
    wide = into.astype(np.float64)
    for row, id_ in zip(updates.reshape(-1, 6), ids.reshape(-1)):
        if 0 <= id_ < 7:
            wide[id_] += row
    # A rounding of the largest sum, however many rows meet.
    error = np.abs(got - wide).max()
    assert error <= (2**-23 * np.abs(wide).max() if dtype == np.float32 else 0)
    np.testing.assert_array_equal(got, function(into, ids, updates))


def test_what_cannot_be_asked_for_is_refused():
    with pytest.raises(fuse.Error, match="expected k from 1 to 64 and at most the 37"):
        run(lambda x: lang.top_k(x, 38), X)
    with pytest.raises(fuse.Error, match="expected lines of a static size up to 1024"):
        run(lambda x: lang.argsort(x), np.ones((1, 1025), np.float32))
    with pytest.raises(fuse.Error, match="expected ids of the sizes"):
        run(lambda x, i: lang.take_along_axis(x, i, 1), X, np.zeros((4, 2), np.int64))
