# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs from Python functions."""

import fuse_compiler as fuse
import ml_dtypes
import numpy as np
import pytest
from fuse_compiler import lang

X = np.linspace(-2, 3, 6 * 8, dtype=np.float32).reshape(6, 8)


@fuse.jit(dims={"x": ("rows", None)})
def rms_norm(x, weight, *, eps=1e-6):
    return x * lang.rsqrt((x * x).mean(-1, keepdims=True) + eps) * weight


def test_one_program_for_all_sizes_of_a_named_dim():
    weight = np.linspace(1, 2, 8, dtype=np.float32)
    for rows in (1, 4, 6):
        x = X[:rows]
        expected = x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * weight
        np.testing.assert_allclose(rms_norm(x, weight), expected, rtol=2e-6)
    assert rms_norm.program(X, weight) is rms_norm.program(X[:2], weight)
    assert rms_norm.program(X, weight) is not rms_norm.program(X, weight, eps=0.5)
    assert len(rms_norm.program(X, weight).kernels) == 1
    assert rms_norm.program(X, weight).symbols == ("rows",)


def test_static_sizes_types_and_numbers_are_part_of_the_program():
    seen = []

    @fuse.jit
    def scaled(x, factor, offset=0):
        seen.append(x.shape)
        return (x * factor + offset).astype("f32")

    np.testing.assert_array_equal(scaled(X, 2), X * 2)
    np.testing.assert_array_equal(scaled(X, 2), X * 2)
    np.testing.assert_array_equal(scaled(X[:3], 2), X[:3] * 2)
    np.testing.assert_allclose(scaled(X, 3.0, 1), X * 3 + 1, rtol=1e-6)
    half = scaled(X.astype(ml_dtypes.bfloat16), 2)
    np.testing.assert_array_equal(
        half, X.astype(ml_dtypes.bfloat16).astype(np.float32) * 2
    )
    assert seen == [(6, 8), (3, 8), (6, 8), (6, 8)]


def test_operators_are_those_of_numpy():
    def several(x, y):
        return (
            -x + 2 * y - 1,
            1 / (abs(x) + 1),
            x[:, ::2] ** 2,
            x[..., None, 1:3].sum(-1),
            x[-1] * y,
            x.T @ x,
            x.reshape(2, -1, 8).max(1),
            x // 0.3,
            -2 // (abs(x) + 0.5),
            x[len(x) - 2],
        )

    y = X[0]
    for ours, theirs in zip(fuse.jit(several)(X, y), several(X, y), strict=True):
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, rtol=3e-6, atol=1e-6)
    chosen = fuse.jit(lambda x: lang.where((x > 0) & ~(x >= 1) | (x != x), x, 0.5))(X)
    np.testing.assert_array_equal(
        chosen, np.where((X > 0) & ~(X >= 1), X, np.float32(0.5))
    )


def test_functions_and_numbers_of_numpy():
    def several(x):
        return (
            np.exp(x) + np.sqrt(8) * x - np.float32(2),
            np.maximum(x, np.int64(1)) * np.pi,
            np.where(np.less(x, 0), 1, 0)
            if isinstance(x, np.ndarray)
            else lang.where(np.less(x, 0), 1, 0),
            x / np.float64(3) // np.float32(0.5),
        )

    for ours, theirs in zip(fuse.jit(several)(X), several(X), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=3e-6, atol=1e-6)


def test_division_rounded_down():
    inf, nan = float("inf"), float("nan")
    x = np.array([7, -7, 6, -6, 0.0, inf, -inf, nan, 1e30, 0.3], np.float32)
    y = np.array([3, 3, -3, 0.1, 0.0, 2, 0, 1, 3, inf], np.float32)[:, None]
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(fuse.jit(lambda x, y: x // y)(x, y), x // y)
    a, b = np.arange(-7, 8), np.array([[3], [-3], [1], [-7]])
    for dtype in (np.int64, np.int32, np.int16, np.int8):
        i, j = a.astype(dtype), b.astype(dtype)
        np.testing.assert_array_equal(fuse.jit(lambda x, y: x // y)(i, j), i // j)


def test_numbers_that_are_equal_and_not_alike():
    function = fuse.jit(lambda x, *, by, parts: 1 / (x * by) + parts[0])
    zero = np.zeros(1, np.float32) + 1
    assert function(zero, by=0.0, parts=[1])[0] == np.inf
    assert function(zero, by=-0.0, parts=[1])[0] == -np.inf
    assert fuse.jit(lambda x, *, k: x + k[0])(np.arange(2), k=(True,)).tolist() == [
        1,
        2,
    ]


def test_sizes_that_no_array_has_as_such():
    @fuse.jit(dims={"x": ("rows", "columns")})
    def causal(x):
        rows = lang.iota(x.builder, x.shape, 0, "i32")
        columns = lang.iota(x.builder, x.shape, 1, "i32")
        flat = x.reshape(-1)
        return lang.where(columns <= rows, x, 0), flat + 1

    for x in (X, X[:3, :5]):
        ours, flat = causal(x)
        np.testing.assert_array_equal(ours, np.tril(x))
        np.testing.assert_array_equal(flat, x.reshape(-1) + 1)


def test_reshapes_take_one_size_and_several_new_dims():
    @fuse.jit(dims={"x": ("n", None)})
    def means(x, w):
        spread = x.reshape(x.shape[0], 2, 4) * lang.expand_dims(w, (0, -1))
        return x.mean(-1, keepdims=True).reshape(x.shape[0]), spread

    mean, spread = means(X, X[0, :2])
    np.testing.assert_allclose(mean, X.mean(-1), rtol=1e-6)
    np.testing.assert_array_equal(spread, X.reshape(6, 2, 4) * X[0, :2][None, :, None])
    with pytest.raises(fuse.Error, match="expected different axes, but got"):
        fuse.jit(lambda x: lang.expand_dims(x, (0, 0)))(X)


def test_sizes_are_computed_where_a_reshape_needs_them():
    @fuse.jit(dims={"x": ("a", "b", None), "y": ("b",)})
    def joined(x, y):
        n = x.shape[0] * x.shape[1]
        rows = lang.broadcast_to(lang.expand_dims(y, 0), x.shape[:2]).reshape(n, 1)
        return (x.reshape(n, 8) * rows).reshape(x.shape[0], x.shape[1] * 8)

    x = X.reshape(2, 3, 8)
    expected = (x * X[0, :3, None]).reshape(2, 24)
    np.testing.assert_array_equal(joined(x, X[0, :3]), expected)
    assert "size_a_b" not in joined.text(x, X[0, :3])


def test_rows_that_were_joined_stay_apart_in_products():
    @fuse.jit
    def layer(x, w, bias):
        y = lang.add_to_product(x.reshape(-1, 8) @ w.T, bias)
        return lang.transpose(
            lang.transpose(lang.gelu(y.reshape(2, 3, 4)), (2, 0, 1)), (1, 2, 0)
        )

    x, w = X.reshape(2, 3, 8), X[:4]
    text = layer.text(x, w, X[0, :4])
    assert 'fuse.contract "abk,nk->abn"' in text
    assert "expand_shape" not in text and text.count("fuse.transpose") <= 2
    assert len(layer.program(x, w, X[0, :4]).kernels) == 1


def test_a_number_that_a_type_does_not_hold_is_not_rounded_to_it():
    x = np.full((4, 256), 3, ml_dtypes.bfloat16)
    ours = fuse.jit(lambda x: x * 0.1)(x).astype(np.float32)
    # bfloat16(0.1) is 0.10009766, three times which rounds to another number.
    assert (ours == np.float32(ml_dtypes.bfloat16(0.3))).all()


def test_dims_are_compared_as_polynomials():
    a, b = lang.symbol("a"), lang.symbol("b")
    assert (a + 1) * (b - 2) == a * b - 2 * a + b - 2
    assert lang.divide((a + 1) * b * 6, (a + 1) * 2) == 3 * b
    assert lang.divide(a * b + 1, a) is None and a - a == 0 and isinstance(a * 0, int)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            lambda x: x + x.astype("f64"),
            "expected operands of add of one type, but got f32 and",
        ),
        (lambda x: x + x[:, :3], "expected shapes that broadcast, but got"),
        (lambda x: x if x else x, "expected a condition that is known, .*use where"),
        (lambda x: x.reshape(7, -1), "expected a shape whose elements divide"),
        (lambda x: x.astype("u8"), "expected an element type of f16, .* but got 'u8'"),
        (lambda x: 3, "expected <lambda> to return symbolic arrays, but got int"),
        (lambda x: [row for row in x], "expected something to iterate over, but got"),
        (lambda x: x[0, 0, 0], "expected at most 2 indices, but got 3"),
        (lambda x: x[:, ::-1], "expected a positive step, but got -1; use flip"),
        (lambda x: lang.sqrt(x > 0), "expected sqrt of f16, .* but got i1"),
        (lambda x: x[6], "expected an index from -6 to 5 for axis 0, but got 6"),
        (lambda x: x[:, -9], "expected an index from -8 to 7 for axis 1, but got -9"),
        (lambda x: x.astype("i32") / 2, "expected / of f16, .* but got i32; use //"),
        (lambda x: np.frexp(x), "expected functions of .*lang .* numpy.frexp"),
        (lambda x: np.add.reduce(x), "expected functions of .*lang .* numpy.add"),
        (lambda x: x * np.ones(8), "expected symbolic arrays and numbers, .* ndarray"),
        (lambda x: x * [1, 2], "expected symbolic arrays and numbers, but got list"),
        (
            lambda x: x.astype("i32") * np.float32(2),
            "expected whole numbers beside i32",
        ),
        (lambda x: x.__setitem__(0, 1), "expected values, which do not change, but"),
        (lambda x: lang.rms_norm(x.astype("i32")), "expected a norm of f16, .* i32"),
    ],
)
def test_what_is_refused(function, message):
    with pytest.raises(fuse.Error, match=message):
        fuse.jit(function)(X)


def test_an_array_says_where_results_are():
    with pytest.raises(
        fuse.Error, match="expected an array among the arguments of <lambda>"
    ):
        fuse.jit(lambda n: n)(3)


def test_dims_that_do_not_fit():
    with pytest.raises(fuse.Error, match="expected dims of x, but got some of y; name"):
        fuse.jit(lambda x: x, dims={"y": ("n",)})
    with pytest.raises(fuse.Error, match=r"expected 'x' to have the 1 dims \['n'\]"):
        fuse.jit(lambda x: x, dims={"x": ("n",)})(X)
