# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the adapters of all frameworks share.

An adapter has these methods. `key` is what describe() gave for the layout, and
`wanted` the element type of the program:

    describe(array)            address, key, and what must live during the call
    describe_out(array, name)  the same of output `name`, which is written to; an
                               Error if it must not be
    address(array)             of a new array
    wrote(array)               tells the framework that the array was written to; None
                               where it need not know
    check_stream(array)        an Error if it cannot be read on a stream that the caller
                               names
    layout(key, wanted)        the Layout
    empty(key, dtype)          a function from a shape to a new array on the device
                               of an array with this key
    recipe(key, dtype, shape)  the same as a function, its arguments and keywords; None
                               where the extension cannot read such arrays
    stream(key)                the current CUDA stream of its device
"""

import math
from typing import NamedTuple

from fuse_compiler._library import Error

CPU, CUDA = 1, 2

# DLPack's code and bits of each element type.
DTYPES = {
    "f16": (2, 16),
    "f32": (2, 32),
    "f64": (2, 64),
    "bf16": (4, 16),
    "f8E4M3FN": (10, 8),
    "f8E5M2": (12, 8),
    "i1": (6, 8),
    "i8": (0, 8),
    "i16": (0, 16),
    "ui8": (1, 8),
    "i32": (0, 32),
    "i64": (0, 64),
}


class Layout(NamedTuple):
    shape: tuple
    # DLPack's code and bits.
    dtype: tuple
    # DLPack's type and number.
    device: tuple
    # In elements; None if the array is contiguous.
    strides: tuple | None = None


# The types of ml_dtypes and array frameworks for what NumPy lacks, and the
# unsigned integers that may hold their bits.
EXTENSIONS = {
    "bf16": ("bfloat16", "uint16"),
    "f8E4M3FN": ("float8_e4m3fn", "uint8"),
    "f8E5M2": ("float8_e5m2", "uint8"),
}


def element_name(dtype):
    """What frameworks call an element type."""
    if dtype in EXTENSIONS:
        return EXTENSIONS[dtype][0]
    if dtype == "i1":
        return "bool"
    if dtype == "ui8":
        return "uint8"
    return ("int" if dtype[0] == "i" else "float") + dtype[1:]


def known_code(code, name):
    """DLPack's code and bits, if programs have such elements; else an Error."""
    if code not in DTYPES.values():
        raise Error(
            "expected float16, float32, float64, bfloat16, float8_e4m3fn, float8_e5m2, bool, int8, "
            f"int16, int32, int64 or uint8, but got {name}; convert it"
        )
    return code


def type_name(kind):
    """A type as its user calls it: numpy.ma.MaskedArray, list."""
    if kind.__module__ == "builtins":
        return kind.__name__
    return f"{kind.__module__}.{kind.__name__}"


def is_contiguous(shape, strides):
    """Whether elements lie row major without gaps."""
    if 0 in shape:
        return True
    expected = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    return all(n == 1 or s == e for n, s, e in zip(shape, strides, expected))


def not_writable(name, what, remedy):
    """The error for an output that must not be written to."""
    return Error(f"expected '{name}' to be writable, but got {what}; {remedy}")
