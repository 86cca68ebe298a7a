# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Activations that are made of other functions."""

import functools

from fuse_compiler.lang._builder import Unsupported
from fuse_compiler.lang._pointwise import (
    abs_,
    add,
    cast,
    clip,
    compare,
    exp,
    expm1,
    log1p,
    maximum,
    minimum,
    mul,
    neg,
    sub,
    tanh,
    where,
)
from fuse_compiler.lang._types import FLOATS


def _wide(function):
    """Computes 16-bit floats in f32."""

    @functools.wraps(function)
    def apply(x, *arguments, **keywords):
        if x.dtype not in FLOATS:
            raise Unsupported(
                f"expected {function.__name__} of {', '.join(FLOATS)}, but got {x.dtype}; use "
                "astype()"
            )
        wide = x if x.dtype == "f64" else cast(x, "f32")
        return cast(function(wide, *arguments, **keywords), x.dtype)

    return apply


@_wide
def softplus(x):
    """log(1 + exp(x)), without overflow."""
    return add(maximum(x, 0.0), log1p(exp(neg(abs_(x)))))


@_wide
def log_sigmoid(x):
    """log(sigmoid(x)) = -softplus(-x)."""
    return sub(minimum(x, 0.0), log1p(exp(neg(abs_(x)))))


@_wide
def mish(x):
    """x tanh(softplus(x)). Misra, arXiv:1908.08681."""
    return mul(x, tanh(softplus(x)))


@_wide
def leaky_relu(x, slope=0.01):
    """x where it is positive, else slope x."""
    return where(compare("gt", x, 0.0), x, mul(x, slope))


@_wide
def elu(x, alpha=1.0):
    """x where it is positive, else alpha (exp(x) - 1)."""
    return where(compare("gt", x, 0.0), x, mul(expm1(minimum(x, 0.0)), alpha))


@_wide
def hardsigmoid(x):
    """clip(x + 3, 0, 6) / 6."""
    return mul(clip(add(x, 3.0), 0.0, 6.0), 1 / 6)


@_wide
def hardswish(x):
    """x hardsigmoid(x)."""
    return mul(x, hardsigmoid(x))
