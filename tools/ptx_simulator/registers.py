# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic: what an instruction does to the registers of 32 lanes.

A register is an array of 32 bit patterns, of unsigned integers as wide as it was
declared. `operation` gives a function of such arrays and the types that it takes.
"""

import numpy as np

from .text import PtxError

BITS = {"pred": np.bool_, 8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}


def width(kind):
    """Bits of a type, such as 32 of "f32" and "f16x2"."""
    return {"pred": "pred", "f16x2": 32, "bf16x2": 32, "bf16": 16}.get(kind) or int(
        kind[1:]
    )


def pattern(kind):
    """The array type of a register of this type."""
    return BITS[width(kind)]


# ---------------------------------------------------------------- numbers


def bfloat_of(floats):
    """To nearest, ties to even; a NaN stays one."""
    bits = floats.astype(np.float32).view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(floats), 0x7FFF, rounded).astype(np.uint16)


def from_bfloat(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def from_tf32(bits):
    """Tensor cores ignore the 13 lowest bits."""
    return (bits.astype(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)


#: Kinds of 8-bit floats.
FLOAT8 = ("e4m3", "e5m2")


def from_float8(bits, kind):
    """What bytes mean as e4m3, which has no infinities, or e5m2, half of an f16."""
    bits = bits.astype(np.uint8)
    if kind == "e5m2":
        return (bits.astype(np.uint16) << 8).view(np.float16).astype(np.float32)
    exponent, fraction = (bits >> 3 & 15).astype(np.int32), (bits & 7) / np.float32(8)
    normal = np.ldexp(1 + fraction, exponent - 7)
    size = np.where(exponent == 0, np.ldexp(fraction, -6), normal)
    size = np.where(bits & 0x7F == 0x7F, np.nan, size)
    return np.where(bits >> 7, -size, size).astype(np.float32)


def numbers(bits, kind):
    """What bit patterns of a type mean."""
    if kind == "pred":
        return bits
    if kind == "bf16":
        return from_bfloat(bits)
    bits = np.ascontiguousarray(bits.astype(pattern(kind)))
    letter = {"f": np.floating, "s": np.signedinteger}.get(kind[0])
    if letter is np.floating:
        return bits.view({16: np.float16, 32: np.float32, 64: np.float64}[width(kind)])
    if letter is np.signedinteger:
        return bits.view(
            {8: np.int8, 16: np.int16, 32: np.int32, 64: np.int64}[width(kind)]
        )
    return bits


def patterns(values, kind):
    """The bit patterns of numbers that have been rounded to a type."""
    if kind == "pred":
        return np.asarray(values, np.bool_)
    if kind == "bf16":
        return bfloat_of(values)
    if kind[0] == "f":
        kept = {16: np.float16, 32: np.float32, 64: np.float64}[width(kind)]
        return np.asarray(values).astype(kept).view(pattern(kind))
    return np.asarray(values).astype(pattern(kind))


# ---------------------------------------------------------------- functions


def _fma(a, b, c):
    if a.dtype == np.float32:
        return (a.astype(np.float64) * b + c).astype(np.float32)
    return a * b + c


def _shift_left(a, n):
    size = a.dtype.itemsize * 8
    return np.where(n < size, a << np.minimum(n, size - 1).astype(a.dtype), 0).astype(
        a.dtype
    )


def _shift_right(a, n):
    size = a.dtype.itemsize * 8
    capped = np.minimum(n, size - 1).astype(a.dtype)
    if np.issubdtype(a.dtype, np.signedinteger):
        return a >> capped
    return np.where(n < size, a >> capped, 0).astype(a.dtype)


def _divide(a, b):
    if np.issubdtype(a.dtype, np.floating):
        return a / b
    if np.any(b == 0):
        raise PtxError("expected a divisor, but got 0")
    quotient = np.abs(a.astype(object)) // np.abs(b.astype(object))
    signs = np.where((a < 0) != (b < 0), -1, 1)
    return (quotient * signs).astype(a.dtype)


def _remainder(a, b):
    return (a - _divide(a, b) * b).astype(a.dtype)


def _field(a, start, length):
    """Of an unsigned number."""
    start, length = start & 255, length & 255
    mask = (np.uint64(1) << np.minimum(length, 63).astype(np.uint64)) - np.uint64(1)
    return (_shift_right(a.astype(np.uint64), start) & mask).astype(a.dtype)


def _permute(a, b, selector):
    both = b.astype(np.uint64) << np.uint64(32) | a
    result = np.zeros(32, np.uint32)
    for i in range(4):
        choice = (selector >> np.uint32(4 * i)) & np.uint32(15)
        byte = both >> (
            (choice & np.uint32(7)).astype(np.uint64) * np.uint64(8)
        ) & np.uint64(255)
        sign = np.where(byte & np.uint64(128), 255, 0).astype(np.uint64)
        byte = np.where(choice & np.uint32(8), sign, byte)
        result |= byte.astype(np.uint32) << np.uint32(8 * i)
    return result


def _funnel(parts):
    def shift(low, high, n):
        both = high.astype(np.uint64) << np.uint64(32) | low
        n = (n & 31 if "wrap" in parts else np.minimum(n, 32)).astype(np.uint64)
        if parts[1] == "l":
            return (both << n >> np.uint64(32)).astype(np.uint32)
        return (both >> n).astype(np.uint32)

    return shift


_COMPARISONS = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal,
    "gt": np.greater, "ge": np.greater_equal, "lo": np.less, "ls": np.less_equal,
    "hi": np.greater, "hs": np.greater_equal,
}  # fmt: skip


def _comparison(parts):
    name = parts[1]
    if name in ("num", "nan"):
        unordered = name == "nan"
        return lambda a, b: (np.isnan(a) | np.isnan(b)) == unordered
    is_unordered = (
        name.endswith("u") and name[:-1] in _COMPARISONS and parts[-1][0] == "f"
    )
    compare = _COMPARISONS[name[:-1] if is_unordered else name]
    if not is_unordered and name != "ne":
        return compare
    if parts[-1][0] != "f":
        return compare
    ordered = lambda a, b: ~(np.isnan(a) | np.isnan(b))  # noqa: E731
    if is_unordered:
        return lambda a, b: compare(a, b) | ~ordered(a, b)
    return lambda a, b: compare(a, b) & ordered(a, b)


#: Of operands of one type, which the result has, too.
_SIMPLE = {
    "mov": lambda a: a, "neg": lambda a: -a, "not": lambda a: ~a, "abs": np.abs,
    "add": np.add, "sub": np.subtract, "and": np.bitwise_and, "or": np.bitwise_or,
    "xor": np.bitwise_xor, "div": _divide, "rem": _remainder, "fma": _fma,
    "copysign": lambda sign, size: np.copysign(size, sign),
    "ex2": np.exp2, "lg2": np.log2, "tanh": np.tanh, "sqrt": np.sqrt,
    "rcp": lambda a: 1 / a, "rsqrt": lambda a: 1 / np.sqrt(a),
}  # fmt: skip


def _extreme(parts):
    if parts[-1][0] != "f":
        return np.maximum if parts[0] == "max" else np.minimum
    if "NaN" in parts:
        return np.maximum if parts[0] == "max" else np.minimum
    return np.fmax if parts[0] == "max" else np.fmin


def _product(parts, kind):
    """The function, and the type of its result."""
    is_sum = parts[0] == "mad"
    if "wide" in parts:
        wide = kind[0] + "64"
        kept = np.int64 if kind[0] == "s" else np.uint64
        if is_sum:
            return (
                (lambda a, b, c: a.astype(kept) * b.astype(kept) + c),
                [kind, kind, wide],
                wide,
            )
        return (lambda a, b: a.astype(kept) * b.astype(kept)), [kind, kind], wide
    if "hi" in parts:
        if width(kind) != 32:
            raise PtxError("expected mul.hi of 32 bits, but got " + kind)
        kept = np.int64 if kind[0] == "s" else np.uint64
        return (
            (lambda a, b: a.astype(kept) * b.astype(kept) >> kept(32)),
            [kind, kind],
            kind,
        )
    if is_sum:
        return (lambda a, b, c: a * b + c), [kind] * 3, kind
    return np.multiply, [kind, kind], kind


def _conversion(parts):
    """cvt{.rounding}.to.from"""
    to, source = parts[-2:]
    if to in ("f16x2", "bf16x2"):
        half = to[:-2]

        def pack(high, low):
            return patterns(high, half).astype(np.uint32) << np.uint32(16) | patterns(
                low, half
            )

        return pack, [source, source], "b32"
    is_float = source.startswith(("f", "bf"))
    if to.startswith(("f", "bf")) or not is_float:
        return (lambda a: a), [source], to
    rounding = {"rzi": np.trunc, "rni": np.rint, "rmi": np.floor, "rpi": np.ceil}
    rounded = next(rounding[x] for x in parts if x in rounding)
    limits = np.iinfo({"s": "int", "u": "uint"}[to[0]] + to[1:])

    def convert(a):
        a = np.where(np.isnan(a), 0, rounded(a.astype(np.float64)))
        exact = [
            min(max(int(x), limits.min), limits.max) for x in np.clip(a, -1e30, 1e30)
        ]
        return np.array(exact, limits.dtype)

    return convert, [source], to


def _paired(function, half):
    """The same of the two 16-bit floats of a word, each rounded."""

    def both(*words):
        halves = [
            function(
                *(
                    numbers(each >> np.uint32(shift) & np.uint32(0xFFFF), half)
                    for each in words
                )
            )
            for shift in (16, 0)
        ]
        high, low = (patterns(each, half).astype(np.uint32) for each in halves)
        return high << np.uint32(16) | low

    return both


def _logic(a, b, c, table):
    """Each bit of the result is that of the table which the bits of a, b and c count."""
    found = np.zeros_like(a)
    for number in range(8):
        bits = [
            each if number >> at & 1 else ~each for each, at in ((a, 2), (b, 1), (c, 0))
        ]
        chosen = (table >> np.uint32(number) & np.uint32(1)) * np.uint32(0xFFFFFFFF)
        found |= bits[0] & bits[1] & bits[2] & chosen
    return found


def operation(instruction):
    """(function of numbers, types of its operands, type of its result), or None if the
    instruction is no arithmetic."""
    parts = instruction.parts
    name, kind = parts[0], parts[-1]
    if kind in ("f16x2", "bf16x2") and name in ("add", "sub", "mul"):
        function = np.multiply if name == "mul" else _SIMPLE[name]
        return _paired(function, kind[:-2]), ["u32", "u32"], "b32"
    if name in _SIMPLE:
        count = len(instruction.operands) - 1
        if kind in ("f16x2", "bf16x2"):
            raise PtxError(f"expected numbers by themselves, but got {instruction}")
        return _SIMPLE[name], [kind] * count, kind
    if name in ("max", "min"):
        return _extreme(parts), [kind] * (len(instruction.operands) - 1), kind
    if name in ("mul", "mad"):
        return _product(parts, kind)
    if name in ("shl", "shr"):
        return (_shift_left if name == "shl" else _shift_right), [kind, "u32"], kind
    if name == "bfe" and kind[0] == "u":
        return _field, [kind, "u32", "u32"], kind
    if name == "prmt" and len(parts) == 2:
        return _permute, ["u32"] * 3, "b32"
    if name == "lop3":
        return _logic, ["u32"] * 4, "b32"
    if name == "shf":
        return _funnel(parts), ["u32"] * 3, "b32"
    if name == "selp":
        return (lambda a, b, choice: np.where(choice, a, b)), [kind, kind, "pred"], kind
    if name == "setp" and parts[2] not in ("and", "or", "xor"):
        return _comparison(parts), [kind, kind], "pred"
    if name == "cvt":
        return _conversion(parts)
    return None


def immediate(text, kind):
    """The bit pattern of a number in the text, for all lanes."""
    if text.startswith(("0f", "0F")):
        return np.full(32, int(text[2:], 16), np.uint32)
    if text.startswith(("0d", "0D")):
        return np.full(32, int(text[2:], 16), np.uint64)
    bits = width(kind)
    if bits == "pred":
        return np.full(32, bool(int(text, 0)))
    return np.full(32, int(text.rstrip("U"), 0) % (1 << bits), pattern(kind))
