# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converters of functions that are made of the dialect's.

They are computed in f32, or in f64 where torch does and the function needs no polynomial. Infinities,
NaN and both zeros give what torch's functions give.
"""

import math

from fuse_compiler import lang
from fuse_compiler.lang import Unsupported
from fuse_compiler.torch._convert import converter, overload

# atan(r) / r - 1 over r * r in powers of r * r, for r from 0 to 1, to 5e-10: Chebyshev's
# interpolation of degree 10.
_ATAN = (
    -0.333333225,
    0.199995581,
    -0.14278576,
    0.110507712,
    -0.0878504317,
    0.0668528127,
    -0.0439284074,
    0.021912943,
    -0.00703066815,
    0.00105760717,
)
# From here on squares of hyperbolic functions could overflow, and 1 is nothing beside them.
_LARGE = 1e9
_LN2 = math.log(2)


def _wide(c, x, needs_polynomial=False):
    wide = "f64" if c.dtype == "f64" else "f32"
    if needs_polynomial and wide == "f64":
        raise Unsupported("a polynomial of f64")
    return c.array(x, wide)


def _function(name, of, needs_polynomial=False):
    @converter(overload(f"{name}.default"))
    def convert(c, *operands):
        wide = [_wide(c, x, needs_polynomial) for x in operands]
        return lang.cast(of(*wide), c.dtype)


def _is(predicate, a, b):
    return lang.compare(predicate, a, b)


def _is_nan(x):
    return _is("ne", x, x)


def _is_negative(x):
    """Of a number, also of -0."""
    zero = lang.logical_and(_is("eq", x, 0.0), _is("lt", lang.recip(x), 0.0))
    return lang.logical_or(_is("lt", x, 0.0), zero)


def _with_sign_of(x, magnitude):
    return lang.where(_is_negative(x), lang.neg(magnitude), magnitude)


def _odd(of):
    """An odd function from what it is of numbers that are not negative."""
    return lambda x: _with_sign_of(x, of(lang.abs(x)))


def _sinh(a):
    e, half = lang.expm1(a), lang.exp(a * 0.5)
    return lang.where(_is("lt", a, 20.0), (e + e / (e + 1.0)) * 0.5, half * 0.5 * half)


def _cosh(x):
    half = lang.exp(lang.abs(x) * 0.5)
    return half * 0.5 * half + 0.5 / half / half


def _asinh(a):
    square = a * a
    small = lang.log1p(a + square / (lang.sqrt(square + 1.0) + 1.0))
    return lang.where(_is("lt", a, _LARGE), small, lang.log(a) + _LN2)


def _acosh(x):
    above = x - 1.0
    small = lang.log1p(above + lang.sqrt(above * 2.0 + above * above))
    of_large = lang.where(_is("gt", x, _LARGE), lang.log(x) + _LN2, small)
    return lang.where(_is("lt", x, 1.0), math.nan, of_large)


def _atanh(a):
    return lang.log1p(a * 2.0 / (1.0 - a)) * 0.5


def _atan_to_one(r):
    """Of a number from 0 to 1."""
    square = r * r
    series = _ATAN[-1]
    for factor in _ATAN[-2::-1]:
        series = square * series + factor
    return r + r * (square * series)


def _atan(a):
    is_far = _is("gt", a, 1.0)
    angle = _atan_to_one(lang.where(is_far, lang.recip(a), a))
    return lang.where(is_far, math.pi / 2 - angle, angle)


def _atan2(y, x):
    up, across = lang.abs(y), lang.abs(x)
    largest = lang.maximum(up, across)
    ratio = lang.minimum(up, across) / largest
    # 0 / 0 is the angle 0, and of two infinities half of a right one.
    ratio = lang.where(_is("eq", largest, 0.0), 0.0, ratio)
    both = lang.logical_and(_is("eq", up, math.inf), _is("eq", across, math.inf))
    angle = _atan_to_one(lang.where(both, 1.0, ratio))
    angle = lang.where(_is("gt", up, across), math.pi / 2 - angle, angle)
    angle = lang.where(_is_negative(x), math.pi - angle, angle)
    return _with_sign_of(y, angle)


def _beside(x):
    """The other side of a right-angled triangle with the hypotenuse 1."""
    return lang.sqrt((1.0 - x) * (1.0 + x))


def _hypot(a, b):
    a, b = lang.abs(a), lang.abs(b)
    largest = lang.maximum(a, b)
    ratio = lang.minimum(a, b) / largest
    length = largest * lang.sqrt(ratio * ratio + 1.0)
    length = lang.where(_is("eq", largest, 0.0), largest, length)
    either = lang.logical_or(_is("eq", a, math.inf), _is("eq", b, math.inf))
    return lang.where(either, math.inf, length)


_function("tan", lambda x: lang.sin(x) / lang.cos(x))
_function("log10", lambda x: lang.log2(x) * math.log10(2))
_function("sinh", _odd(_sinh))
_function("cosh", _cosh)
_function("asinh", _odd(_asinh))
_function("acosh", _acosh)
_function("atanh", _odd(_atanh))
_function("hypot", _hypot)
_function("atan", _odd(_atan), needs_polynomial=True)
_function("atan2", _atan2, needs_polynomial=True)
_function("asin", lambda x: _atan2(x, _beside(x)), needs_polynomial=True)
_function("acos", lambda x: _atan2(_beside(x), x), needs_polynomial=True)


def _beside_nan(name, of):
    """The larger or smaller of two numbers; NaN only beside NaN."""

    @converter(overload(f"{name}.default"))
    def convert(c, a, b):
        a, b = c.array(a), c.array(b)
        if c.dtype not in ("f16", "bf16", "f32", "f64"):
            return of(a, b)
        return lang.where(_is_nan(a), b, lang.where(_is_nan(b), a, of(a, b)))


_beside_nan("fmax", lang.maximum)
_beside_nan("fmin", lang.minimum)
