# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions of each channel with a few taps of its own, as sums of shifted products.

Those of state-space models (Mamba) and others along time: they move memory, and fuse with the
activation behind them. A library multiplies channels with each other better.
"""

import itertools
import math

from fuse_compiler import lang
from fuse_compiler.lang import Unsupported
from fuse_compiler.torch._convert import converter, overload

_MOST_TAPS = 16


@converter(overload("convolution.default"))
def _convolution(c, x, weight, bias, stride, padding, dilation, transposed, _, groups):
    taps = weight.shape[2:]
    if groups != x.shape[1] or groups != weight.shape[0] or transposed:
        raise Unsupported("a convolution over several channels")
    if any(s != 1 for s in stride) or math.prod(taps) > _MOST_TAPS:
        raise Unsupported(
            f"a convolution with strides, or of more than {_MOST_TAPS} taps"
        )
    wide = "f64" if c.dtype == "f64" else "f32"
    around = [0, 0, *padding]
    padded = lang.cast(lang.pad(x, around, around), wide)
    total = None if bias is None else lang.cast(_of_channels(bias, taps), wide)
    for tap in itertools.product(*map(range, taps)):
        product = _shifted(padded, taps, tap, dilation) * _of_tap(weight, tap, wide)
        total = product if total is None else total + product
    return lang.cast(total, c.dtype)


def _shifted(padded, taps, tap, dilation):
    """What each place sees through one tap."""
    for axis, (size, at, step) in enumerate(zip(taps, tap, dilation, strict=True), 2):
        behind = (size - 1 - at) * step
        stop = None if behind == 0 else padded.shape[axis] - behind
        padded = lang.slice(padded, axis, at * step, stop)
    return padded


def _of_tap(weight, tap, dtype):
    for axis, at in enumerate(tap, 2):
        weight = lang.slice(weight, axis, at, at + 1)
    return lang.cast(_of_channels(weight, tap), dtype)


def _of_channels(x, spatial):
    """One number a channel, for all places."""
    return lang.reshape(x, (x.shape[0], *[1] * len(spatial)))
