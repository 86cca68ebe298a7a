#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits the numbers of lib/Schedule/MmaModel.cpp to times of tiles with few rows.

The data, results/mma-sweep.json.xz, are times of some 26 schedules for each of 52
products on one board, with a cold L2 and back to back. A fit is good if the schedule
that the model takes for the fastest is fast: what counts is its time over the fastest
one's, the mean of both times, on average and at worst; and a little how far the predicted
times of many rows are off. One family of layers is held out to see whether that carries
over.

    fit_mma_model.py              # the shipped numbers, and a new fit
    fit_mma_model.py --rounds 0   # only the shipped ones
"""

import argparse
import math
import random
import statistics
import sys
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "dev"))

from peers import packed  # noqa: E402

SWEEP = ROOT / "results" / "mma-sweep.json.xz"
# As in MmaModel.cpp and TimeModel.cpp.
ELEMENT_BYTES, SUM_BYTES, SHARPNESS = 2, 4, 4
# Of sm_90 in lib/Target/GPUTarget.cpp, but for what is fitted.
MULTIPROCESSORS, MMA_PER_CLOCK, SHARED_BYTES_PER_CLOCK = 132, 2048, 128
MEMORY_BYTES_PER_SECOND, LAUNCH_SECONDS = 4800e9, 5e-6
# The worst case counts a little beside the mean, and how far times are off.
WORST_WEIGHT, TIMES_WEIGHT = 0.03, 0.1
# Times of a tile: with a cold L2, and back to back.
KINDS = ("us", "warm_us")
# From so many rows on the predicted time itself counts.
MANY_ROWS = 1024


@dataclass(frozen=True)
class Numbers:
    """The fields of GPUTarget that are fitted."""

    l2_bytes_per_clock: float = 7900
    l2_port_bytes_per_clock: float = 48
    cluster_bytes_per_clock: float = 1.45
    cluster_meeting_clocks: float = 160
    mma_step_clocks: float = 8
    multicast_step_clocks: float = 124
    clock_hertz: float = 1.54e9


RANGES = {
    "l2_bytes_per_clock": (4000, 9000),
    "l2_port_bytes_per_clock": (40, 64),
    "cluster_bytes_per_clock": (1, 20),
    "cluster_meeting_clocks": (0, 6000),
    "mma_step_clocks": (0, 150),
    "multicast_step_clocks": (0, 150),
    "clock_hertz": (1.4e9, 1.98e9),
}


def gather_clocks(tile, numbers):
    """Sums through shared memory, of other blocks, too."""
    if tile["split_k"] == 1 and not tile["swap"]:
        return 0
    size = tile["tile_m"] * tile["tile_n"] * SUM_BYTES
    written = size / SHARED_BYTES_PER_CLOCK
    parts = tile["split_k"]
    if parts == 1:
        return 2 * written
    others = size * (parts - 1) / parts
    return (
        written
        + others / numbers.cluster_bytes_per_clock
        + numbers.cluster_meeting_clocks
    )


def predicted(tile, shape, numbers):
    """Seconds, as estimateMma() has them for a product alone."""
    m, n, k = shape
    rows, columns, parts = tile["tile_m"], tile["tile_n"], tile["split_k"]
    along_m, along_n = tile["cluster_m"], tile["cluster_n"]
    cluster = parts * along_m * along_n
    of_m, of_n = rows * along_m, columns * along_n
    if tile["swap"]:
        of_m, of_n = of_n, of_m
    turns = math.ceil(m / of_m) * math.ceil(n / of_n) * cluster
    blocks = max(cluster, min(turns, tile["persistent"]))
    shares_rows = (
        rows // 64 >= tile["consumers"] and rows // 64 % tile["consumers"] == 0
    )
    width = columns if shares_rows else columns // tile["consumers"]
    loaded = (rows + columns) * ELEMENT_BYTES
    delivered = (rows / along_n + columns / along_m) * ELEMENT_BYTES
    read = rows * columns / (64 * width) * (64 + width) * ELEMENT_BYTES
    place = max(
        rows * columns / MMA_PER_CLOCK,
        (loaded + read) / SHARED_BYTES_PER_CLOCK,
        loaded / numbers.l2_port_bytes_per_clock,
        delivered * blocks / numbers.l2_bytes_per_clock,
    )
    gathered = gather_clocks(tile, numbers)
    way_out = (
        SHARED_BYTES_PER_CLOCK
        if tile["store"] == "tma"
        else numbers.l2_port_bytes_per_clock
    )
    written = rows * columns * ELEMENT_BYTES / parts / way_out
    places = min(k, math.ceil(math.ceil(k / 64) / parts) * 64)
    step = numbers.mma_step_clocks
    step += numbers.multicast_step_clocks * math.log2(along_m * along_n)
    clocks = places * place + places / 64 * step + gathered + written
    waves = math.ceil(turns / blocks)
    busy = max(waves * clocks, turns * clocks / MULTIPROCESSORS)
    busy /= numbers.clock_hertz
    memory = ELEMENT_BYTES * (k * (m + n) + m * n) / MEMORY_BYTES_PER_SECOND
    memory += (gathered + written) / numbers.clock_hertz
    together = (busy**SHARPNESS + memory**SHARPNESS) ** (1 / SHARPNESS)
    return LAUNCH_SECONDS + together


def relative_times(case, kinds=KINDS):
    """Of each tile, the mean of its times over the fastest tile's."""
    fastest = {key: min(tile[key] for tile in case["tiles"]) for key in kinds}
    return [
        statistics.mean(tile[key] / least for key, least in fastest.items())
        for tile in case["tiles"]
    ]


def losses(cases, numbers, kinds=KINDS):
    """Of each case, the time of the model's choice over the best's."""
    found = []
    for case in cases:
        times = relative_times(case, kinds)
        predictions = [
            predicted(tile, case["shape"], numbers) for tile in case["tiles"]
        ]
        found.append(times[predictions.index(min(predictions))] / min(times))
    return found


def distance(cases, numbers):
    """How far predicted times of many rows are off, as a share; cold ones."""
    found = [
        abs(math.log(1e6 * predicted(tile, case["shape"], numbers) / tile["us"]))
        for case in cases
        if case["shape"][0] >= MANY_ROWS
        for tile in case["tiles"]
    ]
    return statistics.mean(found) if found else 0


def score(cases, numbers):
    found = losses(cases, numbers)
    return (
        statistics.mean(found)
        + WORST_WEIGHT * max(found)
        + TIMES_WEIGHT * distance(cases, numbers)
    )


def fit(cases, rounds, seed=0):
    """A random search from the shipped numbers on."""
    generator = random.Random(seed)
    best, least = Numbers(), score(cases, Numbers())
    for _ in range(rounds):
        changes = {}
        for name in generator.sample(list(RANGES), generator.randint(1, 3)):
            low, high = RANGES[name]
            near = getattr(best, name) * generator.uniform(0.85, 1.15)
            far = generator.uniform(low, high)
            value = far if generator.random() < 0.4 else near
            changes[name] = min(high, max(low, value))
        other = replace(best, **changes)
        if (found := score(cases, other)) < least:
            best, least = other, found
    return best


def describe(name, cases, numbers):
    found = losses(cases, numbers)
    mean, worst = statistics.mean(found) - 1, max(found) - 1
    print(f"{name:32} {mean:6.1%} slower than the fastest tile, {worst:.0%} at worst")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=2000, help="of a search")
    arguments = parser.parse_args()
    cases = packed.read_json(SWEEP)
    describe("shipped", cases, Numbers())
    if arguments.rounds == 0:
        return
    families = sorted({case["family"] for case in cases})
    for held_out in families:
        others = [case for case in cases if case["family"] != held_out]
        numbers = fit(others, arguments.rounds)
        kept = [case for case in cases if case["family"] == held_out]
        describe(f"fitted without {held_out}, on it", kept, numbers)
    numbers = fit(cases, arguments.rounds)
    describe("fitted to all", cases, numbers)
    print(numbers)


if __name__ == "__main__":
    main()
