# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converters of pooling: small windows are slices that lie beside each other."""

import itertools
import math

from fuse_compiler import lang
from fuse_compiler.lang import Unsupported
from fuse_compiler.torch._convert import converter, overload

# Elements of a window.
_MOST = 16


def _pair(x, default=None):
    if isinstance(x, (list, tuple)) and not x:
        x = default
    x = list(x) if isinstance(x, (list, tuple)) else [x]
    return x * 2 if len(x) == 1 else x


class _Windows:
    """The windows of the last two dims: where they begin, and the elements at each place.

    None of them goes beyond the padding, which torch's rounding up would allow.
    """

    def __init__(self, c, x, size, stride, padding, dilation=1, ceil_mode=False):
        self.c, self.x = c, x
        self.size, self.padding = _pair(size), _pair(padding)
        self.stride, self.dilation = _pair(stride, self.size), _pair(dilation)
        self.out = c.shape[-2:]
        if not all(isinstance(d, int) for d in (*x.shape[-2:], *self.out)):
            raise Unsupported("windows of dynamic dims")
        if math.prod(self.size) > _MOST:
            raise Unsupported(f"windows of {math.prod(self.size)} elements")
        if ceil_mode:
            ends = zip(self.out, self.stride, self.size, self.dilation)
            wanted = [(n - 1) * s + (k - 1) * d + 1 for n, s, k, d in ends]
            given = [n + 2 * p for n, p in zip(x.shape[-2:], self.padding)]
            if any(w > g for w, g in zip(wanted, given)):
                raise Unsupported("windows that go beyond the padding")

    def elements(self, outside):
        """By place in a window, an array of those of all windows.

        outside  what the padding holds
        """
        x = self.x
        if any(self.padding):
            pads = [0] * (x.ndim - 2) + self.padding
            x = lang.pad(x, pads, pads, outside)
        for place in itertools.product(*map(range, self.size)):
            part = x
            for axis, (at, step, apart, count) in enumerate(
                zip(place, self.stride, self.dilation, self.out), x.ndim - 2
            ):
                first = at * apart
                part = lang.slice(
                    part, axis, first, first + (count - 1) * step + 1, step
                )
            yield place, part

    def _positions(self, place):
        """Along each of the two dims the position of the element at a place."""
        return [
            self._along(axis, stride) + (at * apart - pad)
            for axis, stride, at, apart, pad in zip(
                (-2, -1), self.stride, place, self.dilation, self.padding
            )
        ]

    def number(self, place):
        """The number of each element at a place among those of its plane, as i64."""
        row, column = self._positions(place)
        return row * self.x.shape[-1] + column

    def is_outside(self, place):
        """Whether each element at a place is padding."""
        beyond = [
            lang.logical_or(lang.compare("lt", at, 0), lang.compare("ge", at, size))
            for at, size in zip(self._positions(place), self.x.shape[-2:])
        ]
        return lang.broadcast_to(lang.logical_or(*beyond), self.c.shape)

    def _along(self, axis, stride):
        shape = [1] * self.x.ndim
        shape[axis] = self.out[axis]
        return lang.iota(self.c.builder, shape, self.x.ndim + axis, "i64") * stride

    def count_inside(self):
        """How many elements of each window are no padding, as f32."""
        counts = []
        for axis, size, stride, pad in zip(
            (-2, -1), self.size, self.stride, self.padding
        ):
            first = self._along(axis, stride) - pad
            last = lang.minimum(first + size, self.x.shape[axis])
            counts.append(last - lang.maximum(first, 0))
        return lang.cast(counts[0] * counts[1], "f32")


@converter(overload("max_pool2d_with_indices.default"))
def _max_pool(c, x, size, stride=(), padding=0, dilation=1, ceil_mode=False):
    if c.dtype not in ("f16", "bf16", "f32", "f64"):
        raise Unsupported(f"windows of {c.dtype}")
    windows = _Windows(c, x, size, stride, padding, dilation, ceil_mode)
    largest = indices = is_empty = None
    for place, part in windows.elements(-math.inf):
        numbers = lang.broadcast_to(windows.number(place), c.shape)
        outside = windows.is_outside(place) if any(windows.padding) else None
        if largest is None:
            largest, indices, is_empty = part, numbers, outside
            continue
        is_new = lang.logical_or(
            lang.compare("gt", part, largest), lang.compare("ne", part, part)
        )
        if outside is not None:
            # Where all are -inf the first that is no padding counts.
            is_first = lang.logical_and(is_empty, lang.logical_not(outside))
            is_new = lang.logical_or(is_new, is_first)
            is_empty = lang.logical_and(is_empty, outside)
        largest = lang.where(is_new, part, largest)
        indices = lang.where(is_new, numbers, indices)
    return largest, indices


@converter(overload("avg_pool2d.default"))
def _avg_pool(
    c, x, size, stride=(), padding=0, ceil_mode=False, counts_padding=True, divisor=None
):
    if c.dtype not in ("f16", "bf16", "f32", "f64"):
        raise Unsupported(f"windows of {c.dtype}")
    windows = _Windows(c, x, size, stride, padding, ceil_mode=ceil_mode)
    wide = "f64" if c.dtype == "f64" else "f32"
    total = None
    for _, part in windows.elements(0.0):
        part = lang.cast(part, wide)
        total = part if total is None else total + part
    if divisor is not None:
        number = float(divisor)
    elif counts_padding or not any(windows.padding):
        number = float(math.prod(windows.size))
    else:
        number = lang.cast(windows.count_inside(), wide)
    return lang.cast(lang.div(total, number), c.dtype)


@converter(overload("_adaptive_avg_pool2d.default"))
def _adaptive_avg_pool(c, x, sizes):
    """Means of equal parts."""
    pairs = list(zip(x.shape[-2:], c.shape[-2:]))
    if not all(isinstance(d, int) for pair in pairs for d in pair):
        raise Unsupported("windows of dynamic dims")
    if any(given % wanted for given, wanted in pairs):
        raise Unsupported("windows of several sizes")
    parts = [d for given, wanted in pairs for d in (wanted, given // wanted)]
    wide = "f64" if c.dtype == "f64" else "f32"
    x = lang.reshape(lang.cast(x, wide), (*x.shape[:-2], *parts))
    return lang.cast(lang.mean(x, (x.ndim - 3, x.ndim - 1)), c.dtype)
