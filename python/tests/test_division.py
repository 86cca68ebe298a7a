# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A row divided by one number: every bit as IEEE 754 says."""

import fuse_compiler as fuse
import numpy as np
import pytest

# The lanes of a vector share the divisor.
DIVIDE = """
func.func @divide(%x: tensor<?x?xf32> {fuse.dims = ["rows", "columns"]},
    %s: tensor<?x1xf32> {fuse.dims = ["rows"]}) -> tensor<?x?xf32> {
  %y = fuse.div %x, %s : tensor<?x?xf32>, tensor<?x1xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
"""

LARGEST = np.finfo(np.float32).max
TINY = 2.0**-126
SPECIAL = [0.0, 1.0, 1.5, TINY, 2.0**-149, LARGEST, np.inf, np.nan]
# Where a product with the reciprocal would be wrong, or overflow on the way.
EDGES = [2.0**-60, 2.0**60, 2.0**-36, 2.0**-97, 3.0, 1 / 3, 448.0]
ALL_ONES = 2 - 2.0**-23


def divisors(random):
    """All special numbers of both signs, and numbers of all sizes."""
    edges = np.float32([*SPECIAL, *EDGES])
    beside = [np.nextafter(edges, np.float32(side)) for side in (0, np.inf)]
    wide = random.integers(0, 2**32, 400, dtype=np.uint32).view(np.float32)
    near = random.uniform(0.1, 1000, 400).astype(np.float32)
    ones = ALL_ONES * 2.0 ** np.arange(-70, 70, 7)
    each = np.concatenate([edges, *beside, ones.astype(np.float32)])
    return np.concatenate([each, -each, wide, near])


def hard_dividends(random, divisor, count):
    """Whole numbers whose quotients lie as close to the middle of two floats as any
    can: x 2^25 = +-1 modulo the fraction of the divisor."""
    fraction = int(np.abs(divisor).view(np.uint32) & 0x7FFFFF | 0x800000)
    if fraction % 2 == 0 or not np.isfinite(divisor):
        return np.float32([])
    found = []
    for odd in random.integers(0, 2**20, count) * 2 + 1:
        middle = pow(fraction, -1, 2**25) * int(odd) % 2**25
        found.append((fraction * middle + 2**24) >> 25)
    return np.float32([x for x in found if x < 2**24])


def rows(random, s, columns):
    x = random.normal(size=(len(s), columns)).astype(np.float32)
    bits = random.integers(0, 2**32, (len(s), columns // 4), dtype=np.uint32)
    x[:, : columns // 4] = bits.view(np.float32)
    for row, divisor in zip(x, s, strict=True):
        # Each in another lane, among numbers that are not special.
        at = random.permutation(columns)
        chosen = np.concatenate(
            [SPECIAL, np.negative(SPECIAL), hard_dividends(random, divisor, 16)]
        )
        row[at[: len(chosen)]] = chosen
    return x


@pytest.mark.parametrize(
    "target", ["emu", "cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
)
def test_every_bit(target):
    random = np.random.default_rng(1)
    s = divisors(random)
    x = rows(random, s, 256)
    with np.errstate(all="ignore"):
        expected = x / s[:, None]
    program = fuse.compile(DIVIDE, target=target, cache=False)
    if target == "cuda":
        import torch

        moved = (torch.from_numpy(each).cuda() for each in (x, s[:, None]))
        got = program(*moved).cpu().numpy()
    else:
        got = program(x, s[:, None])
    same = expected.view(np.uint32) == got.view(np.uint32)
    same |= np.isnan(expected) & np.isnan(got)
    wrong = np.argwhere(~same)
    assert len(wrong) == 0, [
        (x[r, c], s[r], expected[r, c], got[r, c]) for r, c in wrong[:5]
    ]
