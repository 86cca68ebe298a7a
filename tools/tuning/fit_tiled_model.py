#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits the numbers of ProposeTiled.cpp, Numbers/Tiled.inc, to times of tiles.

The data, results/wide-sweep.json.xz, are times of some tiles of f32 on an H200. A fit is good
if the tile that the model takes is fast, and if times of a case are as far apart as they are;
the efficiency makes clocks times.

    fit_tiled_model.py           # how good the shipped numbers are
    fit_tiled_model.py --write   # a new fit becomes the shipped one
"""

import argparse
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from bench.peers import packed  # noqa: E402
from tuning import shipped_numbers  # noqa: E402
from tuning.schedule_text import number_in  # noqa: E402

SWEEP = ROOT / "results" / "wide-sweep.json.xz"
SHIPPED = shipped_numbers.path_of("tiled")
# Of an H200, as in GPUTarget.cpp, and what TileSpace.h says of shared memory.
MULTIPROCESSORS, PER_CLOCK, THREADS, SHARED_BYTES = 132, 128, 2048, 228 * 1024
ELEMENT_BYTES, PADDING, SHARED_BYTES_PER_CLOCK = 4, 4, 128
CLOCK_HERTZ, LAUNCH_SECONDS = 1.98e9, 2e-6
RANGES = {
    "productsOfBringing": (2, 40),
    "waitingClocks": (100, 2000),
    "efficiency": (0.3, 1),
}
# What decides which tile is the fastest.
SEARCHED = ("productsOfBringing", "waitingClocks")
SPREAD_WEIGHT = 0.3


def shipped():
    return shipped_numbers.read(SHIPPED)


def clocks(shape, schedule, numbers):
    """As busiestMultiprocessor() has them."""
    m, n, k = shape
    names = ("threads", "tile_m", "tile_n", "tile_k", "rows", "columns")
    threads, rows, columns, places, *piece = [
        number_in(schedule, name) for name in names
    ]
    groups = max(1, threads // (rows // piece[0] * (columns // piece[1])))
    each = np.ceil(np.ceil(m / rows) * np.ceil(n / columns) / MULTIPROCESSORS)
    buffers = 2 * places * (rows + columns + 2 * PADDING)
    shared = groups * ELEMENT_BYTES * (buffers + rows * columns)
    resident = max(1, min(THREADS // threads, SHARED_BYTES // shared))
    brought = (rows + columns) * numbers["productsOfBringing"]
    multiplying = (rows * columns + brought) / PER_CLOCK * k
    waiting = np.ceil(k / (places * groups)) * numbers["waitingClocks"]
    totals = 2 * groups * rows * columns * ELEMENT_BYTES / SHARED_BYTES_PER_CLOCK
    return max(each * multiplying, np.ceil(each / resident) * waiting) + each * totals


def sweep():
    """(shape, schedules, microseconds) of each case of f32."""
    for case in packed.read_json(SWEEP):
        times = {text: us for text, us in case["us"].items() if ".tiled" in text}
        if "f32" in case["name"]:
            yield case["shape"], list(times), np.array(list(times.values()))


def judge(cases, numbers):
    """Of each case the time of the model's choice over the fastest one's, and how far
    predicted times are off beside each other."""
    losses, spreads = [], []
    for shape, schedules, us in cases:
        found = np.array([clocks(shape, text, numbers) for text in schedules])
        losses.append(us[np.argmin(found)] / us.min())
        ratio = np.log(found / us)
        spreads.append(np.abs(ratio - np.median(ratio)).mean())
    return np.array(losses), float(np.mean(spreads))


def score(cases, numbers):
    losses, spread = judge(cases, numbers)
    return losses.mean() + SPREAD_WEIGHT * spread


def efficiencies(cases, numbers):
    """Of each case the clocks of its fastest tile over those that its time has."""
    for shape, schedules, us in cases:
        fastest = int(np.argmin(us))
        had = (us[fastest] * 1e-6 - LAUNCH_SECONDS) * CLOCK_HERTZ
        yield float(clocks(shape, schedules[fastest], numbers) / had)


def fit(cases, steps=24):
    """The best of a grid."""
    axes = [np.geomspace(*RANGES[name], steps) for name in SEARCHED]
    grid = np.stack(np.meshgrid(*axes), -1).reshape(-1, len(axes))
    candidates = [dict(zip(SEARCHED, map(float, row), strict=True)) for row in grid]
    best = min(candidates, key=lambda numbers: score(cases, numbers))
    return {**best, "efficiency": float(np.median(list(efficiencies(cases, best))))}


def describe(name, cases, numbers):
    losses, spread = judge(cases, numbers)
    print(
        f"{name}: {losses.mean() - 1:.1%} slower than the fastest tile, {losses.max() - 1:.0%} "
        f"at worst; times beside each other are off by {spread:.1%}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="ship a new fit")
    arguments = parser.parse_args()
    cases = list(sweep())
    describe("shipped", cases, shipped())
    if arguments.write:
        numbers = fit(cases)
        describe("fitted", cases, numbers)
        shipped_numbers.write(SHIPPED, numbers)


if __name__ == "__main__":
    main()
