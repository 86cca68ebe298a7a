# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converters of what is computed element by element."""

import torch

from fuse_compiler import lang
from fuse_compiler.lang import Unsupported
from fuse_compiler.torch._convert import converter, overload
from fuse_compiler.torch._symbols import DTYPES

_INTEGERS = ("i8", "ui8", "i16", "i32", "i64")


def _each(names, *overloads):
    return [overload(f"{n}.{o}") for n in names.split() for o in overloads]


def _unary(names, function):
    @converter(*(overload(f"{n}.default") for n in names.split()))
    def convert(c, x):
        return function(c.operand(x))


for _aten, _ours in {
    "exp": lang.exp,
    "exp2": lang.exp2,
    "expm1": lang.expm1,
    "log": lang.log,
    "log1p": lang.log1p,
    "log2": lang.log2,
    "sqrt": lang.sqrt,
    "rsqrt": lang.rsqrt,
    "reciprocal": lang.recip,
    "sin": lang.sin,
    "cos": lang.cos,
    "tanh": lang.tanh,
    "erf": lang.erf,
    "sigmoid": lang.sigmoid,
    "silu": lang.silu,
    "abs": lang.abs,
    "neg": lang.neg,
    "relu": lang.relu,
}.items():
    _unary(_aten, _ours)


def _whole(names, function):
    """Rounding, which leaves integers as they are."""

    @converter(*(overload(f"{n}.default") for n in names.split()))
    def convert(c, x):
        return x if x.dtype in _INTEGERS else function(x)


_whole("floor", lang.floor)
_whole("ceil", lang.ceil)
_whole("round", lang.round)
_whole("trunc", lang.trunc)


@converter(overload("sign.default"), overload("sgn.default"))
def _sign(c, x):
    """As torch's: of NaN it is 0, and of both zeros +0; the dialect's keeps them."""
    x = c.operand(x)
    return lang.cast(x > 0, c.dtype) - lang.cast(x < 0, c.dtype)


@converter(overload("gelu.default"))
def _gelu(c, x, approximate="none"):
    return lang.gelu(x, "tanh" if approximate == "tanh" else "erf")


def _binary(name, function, *more):
    @converter(*_each(name, "Tensor", "Scalar", *more))
    def convert(c, a, b):
        return _apply(c, function, a, b)


def _apply(c, function, a, b):
    a, b = c.operand(a), c.operand(b)
    if not isinstance(a, lang.Array) and not isinstance(b, lang.Array):
        raise Unsupported("arithmetic of numbers")
    if not isinstance(a, lang.Array):
        a = c.array(a) if lang.is_exact(a, b.dtype) else a
    return function(a, b)


@converter(*_each("add sub rsub", "Tensor", "Scalar"))
def _add(c, a, b, alpha=1):
    name = c.node.target.overloadpacket.__name__
    if name == "rsub":
        a, b = b, a
    if c.dtype == "i1":
        if name != "add" or alpha != 1:
            raise Unsupported("arithmetic of booleans")
        return lang.logical_or(c.array(a), c.array(b))
    if name == "rsub" and alpha != 1:
        a = _apply(c, lang.mul, a, alpha)
    elif alpha != 1:
        b = _apply(c, lang.mul, b, alpha) if isinstance(b, lang.Array) else b * alpha
    return _apply(c, lang.add if name == "add" else lang.sub, a, b)


@converter(*_each("mul", "Tensor", "Scalar"))
def _mul(c, a, b):
    if c.dtype == "i1":
        return lang.logical_and(c.array(a), c.array(b))
    return _apply(c, lang.mul, a, b)


@converter(getattr(getattr(torch.ops.prims, "fma", None), "default", None))
def _fma(c, a, b, addend):
    return lang.add(lang.mul(c.array(a), c.array(b)), c.array(addend))


@converter(*_each("div", "Tensor", "Scalar", "Tensor_mode", "Scalar_mode"))
def _div(c, a, b, rounding_mode=None):
    if rounding_mode is None:
        return _apply(c, lang.div, a, b)
    if rounding_mode == "trunc":
        quotient = _apply(c, lang.div, a, b)
        return quotient if c.dtype in _INTEGERS else lang.trunc(quotient)
    return _floor_divide(c, a, b)


@converter(overload("floor_divide.default"), *_each("floor_divide", "Scalar"))
def _floor_divide(c, a, b):
    return lang.floor_divide(c.array(a), c.array(b))


_binary("remainder", lang.remainder)
_binary("fmod", lang.fmod)


_binary("maximum", lang.maximum, "default")
_binary("minimum", lang.minimum, "default")


@converter(*_each("pow", "Tensor_Tensor", "Tensor_Scalar"))
def _pow(c, x, exponent):
    x = c.operand(x)
    if isinstance(exponent, lang.Array):
        return lang.power(x, c.operand(exponent))
    simple = {
        1: lambda: x,
        2: lambda: x * x,
        3: lambda: x * x * x,
        0.5: lambda: lang.sqrt(x),
        -0.5: lambda: lang.rsqrt(x),
        -1: lambda: lang.recip(x),
    }
    if exponent in simple and (c.dtype not in _INTEGERS or exponent in (1, 2, 3)):
        return simple[exponent]()
    if c.dtype in _INTEGERS:
        return _whole_power(c, x, exponent)
    return lang.power(x, float(exponent))


def _whole_power(c, x, exponent):
    """A product of squares, which wraps around as torch's does."""
    if not isinstance(exponent, int) or exponent < 0:
        raise Unsupported(f"the power {exponent} of whole numbers")
    result = lang.full(c.builder, c.shape, 1, c.dtype)
    while exponent:
        result = result * x if exponent % 2 else result
        exponent //= 2
        x = x * x if exponent else x
    return result


@converter(*_each("pow", "Scalar"))
def _pow_of_number(c, base, exponent):
    return lang.power(c.array(base, exponent.dtype), exponent)


def _promoted(c):
    """The type in which the operands of a comparison meet."""
    fakes = [
        a.meta["val"] if isinstance(a, torch.fx.Node) else a for a in c.node.args[:2]
    ]
    return DTYPES[torch.result_type(*fakes)]


def _comparison(name):
    @converter(*_each(name, "Tensor", "Scalar"))
    def convert(c, a, b):
        dtype = _promoted(c)
        if dtype == "i8":
            dtype = "i32"
        return lang.compare(name, c.operand(a, dtype), c.operand(b, dtype))


for _aten in ("eq", "ne", "lt", "le", "gt", "ge"):
    _comparison(_aten)


def _bits(name, function):
    @converter(
        overload(f"logical_{name}.default"),
        *_each(f"bitwise_{name}", "Tensor", "Scalar"),
    )
    def convert(c, a, b):
        return function(_of_bits(c, a), _of_bits(c, b))


def _of_bits(c, x):
    """An operand in the result's type."""
    if c.dtype not in ("i1", *_INTEGERS):
        raise Unsupported(f"bits of {c.dtype}")
    return c.array(x)


_bits("and", lang.bitwise_and)
_bits("or", lang.bitwise_or)
_bits("xor", lang.bitwise_xor)


@converter(overload("bitwise_not.default"), overload("logical_not.default"))
def _not(c, x):
    return lang.bitwise_not(_of_bits(c, x))


@converter(*_each("bitwise_left_shift __lshift__", "Tensor", "Scalar", "Tensor_Scalar"))
def _left_shift(c, a, b):
    return lang.left_shift(_of_bits(c, a), _of_bits(c, b))


@converter(
    *_each("bitwise_right_shift __rshift__", "Tensor", "Scalar", "Tensor_Scalar")
)
def _right_shift(c, a, b):
    return lang.right_shift(_of_bits(c, a), _of_bits(c, b))


@converter(overload("isnan.default"))
def _isnan(c, x):
    return lang.compare("ne", x, x)


@converter(overload("isinf.default"))
def _isinf(c, x):
    if x.dtype in ("i1", *_INTEGERS):
        return lang.full(c.builder, c.shape, False, "i1")
    return lang.compare("eq", lang.abs(x), float("inf"))


@converter(
    overload("where.self"), *_each("where", "ScalarSelf", "ScalarOther", "Scalar")
)
def _where(c, condition, a, b):
    a, b = c.operand(a), c.operand(b)
    if not isinstance(a, lang.Array) and not isinstance(b, lang.Array):
        a = c.array(a)
    return _storage(c, lambda x, y: lang.where(lang.cast(condition, "i1"), x, y), a, b)


def _storage(c, function, *operands):
    """A choice among 8-bit elements, as one among f32."""
    if c.dtype not in ("i8", "f8E4M3FN", "f8E5M2"):
        return function(*operands)
    wide = "i32" if c.dtype == "i8" else "f32"
    return lang.cast(function(*(c.array(o, wide) for o in operands)), c.dtype)


@converter(*_each("masked_fill", "Scalar", "Tensor"))
def _masked_fill(c, x, mask, value):
    return _storage(
        c, lambda a, b: lang.where(mask, a, b), c.operand(value), c.operand(x)
    )


@converter(overload("clamp.default"), *_each("clamp", "Tensor"))
def _clamp(c, x, min=None, max=None):
    bounds = [None if v is None else c.operand(v) for v in (min, max)]
    return lang.clip(c.operand(x), *bounds)


@converter(*_each("clamp_min clamp_max", "default", "Tensor"))
def _clamp_one(c, x, bound):
    is_min = "min" in c.node.target.overloadpacket.__name__
    return (lang.maximum if is_min else lang.minimum)(c.operand(x), c.operand(bound))


@converter(
    overload("_to_copy.default"),
    getattr(torch.ops.prims.convert_element_type, "default", None),
)
def _cast(c, x, *_, **__):
    return lang.cast(x, c.dtype)


@converter(
    overload("clone.default"),
    overload("alias.default"),
    overload("detach.default"),
    overload("lift_fresh_copy.default"),
    overload("contiguous.default"),
)
def _same(c, x, **_):
    return x
