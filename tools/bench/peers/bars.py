# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a case of the grid should reach, in percent of a copy of equal bytes or in GB/s.

    stream  pointwise and rotary ops 99%; rows that are needed twice 98% up to 64 KiB of
            an input, 97% where they are no multiples of 16 bytes, and 97% beyond
            (85% is the least there); all else 97%
    hidden, short  the same
    read    4300 GB/s
    square  95%

Calls of a few rows, of a layer and of 48 and 96 MiB, and chains are compared with the
best peer only.
"""

STREAMS = {
    "gelu",
    "swiglu",
    "bias+gelu+residual",
    "rope_interleaved",
    "rope_qk",
    "rope_computed",
}
ROWS = {"softmax", "rms_norm", "add+rms_norm", "layer_norm", "quantize_f8"}
ELEMENT_BYTES = {"bf16": 2, "f16": 2, "f32": 4}
ONE_BLOCK = 64 << 10
READ_GBS = 4300


def percent_of(entry):
    """Of a copy of equal bytes in the same rounds."""
    return 100 * entry["copy_us"] / entry["fuse_us"]


def rate_of(entry):
    """GB/s of the bytes that the operation must move."""
    return entry["bytes"] / entry["fuse_us"] / 1e3


def bar_of(entry):
    """(what is asked for, what was reached, the unit), or None."""
    if entry["set"] == "read":
        return READ_GBS, rate_of(entry), "GB/s"
    if entry["set"] == "square":
        return 95, percent_of(entry), "%"
    if entry["set"] not in ("stream", "hidden", "short"):
        return None
    return _stream_bar(entry), percent_of(entry), "%"


def _stream_bar(entry):
    if entry["family"] in STREAMS:
        return 99
    row_bytes = entry["shape"][-1] * ELEMENT_BYTES[entry["dtype"]]
    is_short_row = entry["family"] in ROWS and row_bytes <= ONE_BLOCK
    return 98 if is_short_row and row_bytes % 16 == 0 else 97


def under(entries):
    """(entry, bar, reached, unit) of the cases that reach less, the farthest first."""
    found = [
        (entry, *bar)
        for entry in entries
        if "fuse_us" in entry and "copy_us" in entry and (bar := bar_of(entry))
    ]
    missed = [each for each in found if each[2] < each[1]]
    return sorted(missed, key=lambda each: each[2] / each[1])
