# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types, and how types and constants are written in a program's text."""

import math
import struct

from fuse_compiler._library import Error

# By the number of bits that decide which of two is wider.
FLOATS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
INTEGERS = {"i32": 32, "i64": 64, "i8": 8, "i16": 16, "ui8": 8}
# Moved and cast, and nothing else.
STORAGE = ("f8E4M3FN", "f8E5M2")
ALL = (*FLOATS, *INTEGERS, "i1", *STORAGE)

_HEX = {"f16": 4, "bf16": 4, "f32": 8, "f64": 16}
_INFINITY = {"f16": 0x7C00, "bf16": 0x7F80, "f32": 0x7F800000, "f64": 0x7FF << 52}
_NAN = {"f16": 0x7E00, "bf16": 0x7FC0, "f32": 0x7FC00000, "f64": 0xFFF << 51}


def is_float(dtype):
    """Whether elements are floats with arithmetic: f16, bf16, f32 or f64."""
    return dtype in FLOATS


def checked(dtype):
    """The element type, if there is one of this name; else an Error."""
    if dtype not in ALL:
        raise Error(
            f"expected an element type of {', '.join(ALL)}, but got {dtype!r}; choose one"
        )
    return dtype


def tensor_type(shape, dtype):
    """`tensor<?x4xf32>`; sizes that are no numbers are dynamic."""
    dims = "".join(f"{d if isinstance(d, int) else '?'}x" for d in shape)
    return f"tensor<{dims}{dtype}>"


def is_exact(value, dtype):
    """Whether a number is one of the type's."""
    if not is_float(dtype) or not math.isfinite(value):
        return True
    return round_to(value, dtype) == value


def round_to(value, dtype):
    """A finite number rounded to the type, ties to even; infinity where it is beyond it."""
    try:
        if dtype == "f16":
            return struct.unpack("<e", struct.pack("<e", value))[0]
        if dtype == "f64":
            return float(value)
        single = struct.unpack("<f", struct.pack("<f", value))[0]
        if dtype == "f32":
            return single
        bits = struct.unpack("<I", struct.pack("<f", single))[0]
        bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
        return struct.unpack("<f", struct.pack("<I", bits))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def literal(value, dtype):
    """A number as the parser takes it."""
    if dtype == "i1":
        return "true" if value else "false"
    if not is_float(dtype):
        return str(int(value))
    value = float(value)
    if math.isfinite(value):
        value = round_to(value, dtype)
    if math.isnan(value):
        return f"0x{_NAN[dtype]:0{_HEX[dtype]}X}"
    if math.isinf(value):
        sign = 1 << (4 * _HEX[dtype] - 1) if value < 0 else 0
        return f"0x{_INFINITY[dtype] | sign:0{_HEX[dtype]}X}"
    text = repr(value)
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}{e}{exponent}"
