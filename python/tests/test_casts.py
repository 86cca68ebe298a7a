# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers cast to narrow floats: rounded once, to the nearest even."""

import fuse_compiler as fuse
import numpy as np
import pytest

CAST = """
func.func @widened(%x: tensor<?x{source}> {{fuse.dims = ["n"]}}) -> tensor<?xf32> {{
  %narrow = fuse.cast %x : tensor<?x{source}> -> tensor<?x{result}>
  %y = fuse.cast %narrow : tensor<?x{result}> -> tensor<?xf32>
  return %y : tensor<?xf32>
}}
"""
# Bits of the significand, and the least magnitude that rounds to infinity.
FORMATS = {"f16": (11, 65520), "bf16": (8, 2**200)}
SOURCES = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64}


def nearest(number, bits, overflow):
    """By arithmetic on whole numbers."""
    size = abs(number)
    if size >= overflow:
        return np.inf if number > 0 else -np.inf
    shift = max(0, size.bit_length() - bits)
    kept, lost = size >> shift, size & ((1 << shift) - 1)
    half = (1 << shift) >> 1
    if shift and (lost > half or (lost == half and kept & 1)):
        kept += 1
    return float((kept << shift) * (1 if number >= 0 else -1))


def numbers(dtype):
    """Of all sizes, and those beside the middle of two neighbouring floats."""
    random = np.random.default_rng(1)
    limits = np.iinfo(dtype)
    width = limits.bits
    found = set(range(-300, 300)) | {limits.min, limits.max, 65519, 65520, 65535}
    for shift in range(width - 1):
        for kept in random.integers(128, 4096, 8).tolist():
            middle = (2 * kept + 1) << shift
            found |= {middle - 1, middle, middle + 1, 1 << shift}
    found |= {-each for each in found}
    wide = random.integers(limits.min, limits.max, 500, dtype=dtype).tolist()
    return [x for x in [*sorted(found), *wide] if limits.min <= x <= limits.max]


@pytest.mark.parametrize("target", ["cpu", "emu"])
@pytest.mark.parametrize("result", FORMATS)
@pytest.mark.parametrize("source", SOURCES)
def test_rounds_once(source, result, target):
    given = numbers(SOURCES[source])
    expected = np.float32([nearest(x, *FORMATS[result]) for x in given])
    program = fuse.compile(
        CAST.format(source=source, result=result), target=target, cache=False
    )
    got = program(np.array(given, SOURCES[source]))
    np.testing.assert_array_equal(got, expected)
