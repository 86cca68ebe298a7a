# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers that programs get by value, from Python's."""

import ctypes
import math
import numbers
from typing import NamedTuple

from fuse_compiler._library import Error


class _Kind(NamedTuple):
    """How memory has an element, and its letter in python/native."""

    memory: type
    code: str
    is_float: bool
    # Of floats of 16 bits, which ctypes does not have.
    mantissa: int = 0
    bias: int = 0


_KINDS = {
    "f64": _Kind(ctypes.c_double, "d", True),
    "f32": _Kind(ctypes.c_float, "f", True),
    "f16": _Kind(ctypes.c_uint16, "e", True, 10, 15),
    "bf16": _Kind(ctypes.c_uint16, "E", True, 7, 127),
    "i1": _Kind(ctypes.c_bool, "?", False),
    "i8": _Kind(ctypes.c_int8, "b", False),
    "i16": _Kind(ctypes.c_int16, "h", False),
    "i32": _Kind(ctypes.c_int32, "i", False),
    "i64": _Kind(ctypes.c_int64, "q", False),
    "ui8": _Kind(ctypes.c_uint8, "B", False),
}


def number_code(tensor):
    """The letter of an input that is passed by value; 0 of a tensor, and of other types."""
    kind = _KINDS.get(tensor.dtype)
    return ord(kind.code) if tensor.is_scalar and kind else 0


def _bits_of_16(number, mantissa, bias):
    """The bits of a float of 16 bits, to nearest even; OverflowError of one too large."""
    sign = 0x8000 if math.copysign(1, number) < 0 else 0
    infinity = (2 * bias + 1) << mantissa
    if math.isnan(number):
        return sign | infinity | 1 << (mantissa - 1)
    if math.isinf(number):
        return sign | infinity
    # Of numbers below the smallest normal one the exponent is its.
    exponent = max(math.frexp(number)[1] - 1, 1 - bias)
    steps = round(math.ldexp(abs(number), mantissa - exponent))
    bits = ((exponent + bias - 1) << mantissa) + steps
    if bits >= infinity:
        raise OverflowError
    return sign | bits


def _element(number, kind):
    """The number in memory, or OverflowError."""
    if kind.mantissa:
        return kind.memory(_bits_of_16(float(number), kind.mantissa, kind.bias))
    element = kind.memory(float(number) if kind.is_float else int(number))
    if kind.is_float:
        fits = math.isinf(element.value) == math.isinf(number)
    else:
        fits = element.value == number
    if not fits:
        raise OverflowError
    return element


class HostNumber:
    """A number that a program gets by value, in memory of the host."""

    def __init__(self, value, dtype):
        self.value, self.dtype = value, dtype

    @classmethod
    def of(cls, number, tensor):
        """A number as an element of an input's type."""
        kind = _KINDS.get(tensor.dtype)
        if not kind or not (kind.is_float or isinstance(number, numbers.Integral)):
            raise Error(
                f"expected '{tensor.name}' to be {tensor.dtype}, but got {number!r}; pass an "
                "array of rank 0 on the host, or give it another type"
            )
        try:
            return cls(_element(number, kind), tensor.dtype)
        except OverflowError:
            raise Error(
                f"expected '{tensor.name}' to be a number of {tensor.dtype}, but got "
                f"{number!r}; pass one in its range"
            ) from None
