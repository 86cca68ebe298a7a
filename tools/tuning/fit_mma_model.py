#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits the numbers of MmaModel.cpp, Numbers/Wgmma.inc, to times of tiles.

The data, results/mma-sweep.json.xz, are times of some 25 schedules for each of 83
products, once on an H100 and twice on an H200, with a cold L2 and back to back; and
results/few-rows-sweep.json.xz, of few rows on an H200, in a graph over different weights.
A fit is good if the schedule that the model takes for the fastest is fast: what counts is
its time over the fastest one's, on average and at worst; and a little how far the
predicted times of many rows are off, and those of few rows beside each other. Each family
of layers and each board is held out to see whether that carries over.

    fit_mma_model.py --rounds 0   # how good the shipped numbers are
    fit_mma_model.py              # a new fit, too, and what it does on what it has not seen
    fit_mma_model.py --write      # a new fit becomes the shipped one
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

SWEEP = ROOT / "results" / "mma-sweep.json.xz"
FEW_ROWS = ROOT / "results" / "few-rows-sweep.json.xz"
SHIPPED = shipped_numbers.path_of("wgmma")
# As in MmaModel.cpp and GPUTarget.cpp.
ELEMENT_BYTES, SUM_BYTES, SLOTS_IN_USE, LINE = 2, 4, 2, 128
SHARPNESS = shipped_numbers.of("time")["sharpness"]
FEW_COLUMNS = shipped_numbers.of("choice")["fewColumns"]
MULTIPROCESSORS, MMA_PER_CLOCK = 132, 2048
SHARED_BYTES_PER_CLOCK, PORT_BYTES_PER_CLOCK = 128, 48
# Between two kernels as events measure them.
LAUNCH_SECONDS = 5e-6
# The worst case counts a little beside the mean, and how far times are off.
WORST_WEIGHT, TIMES_WEIGHT = 0.03, 0.12
# Few rows are in few cases, each of which counts as so many; and how far their schedules'
# times are from each other.
FEW_ROWS_WEIGHT, SPREAD_WEIGHT = 3, 0.1
# From so many rows on the predicted time itself counts.
MANY_ROWS = 1024
# Where each number may lie. Boards at full load run at 1.5 to 1.6 GHz; the choice hardly
# depends on it, so that the fit would leave it out.
RANGES = {
    "l2PortBytesPerClock": (30, 100),
    "l2BytesPerClock": (3000, 9000),
    "sharedBytesPerClock": (110, 180),
    "clusterBytesPerClock": (1, 64),
    "pairMeetingClocks": (0, 6000),
    "clusterMeetingClocks": (0, 6000),
    "stepClocks": (0, 200),
    "multicastStepClocks": (0, 200),
    "copyClocks": (0, 3000),
    "clockHertz": (1.3e9, 1.98e9),
    "sustainedClockHertz": (1.45e9, 1.6e9),
    "memoryBytesPerSecond": (3e12, 4.8e12),
    "idleShare": (0, 1),
}


def shipped():
    return shipped_numbers.read(SHIPPED)


def tile_of(schedule, us):
    """What mma-sweep.json.xz would have for a schedule's text."""
    names = ("tile_m", "tile_n", "tile_k", "stages", "consumers", "persistent")
    names += ("split_k", "cluster_m", "cluster_n")
    tile = {name: number_in(schedule, name) for name in names}
    tile["store"] = "tma" if "store = tma" in schedule else "direct"
    return tile | {"swap": "swap = true" in schedule, "us": us, "warm_us": us}


def few_rows_cases():
    """Cases of FEW_ROWS on tensor cores, with the tiles that the model ranks."""
    cases = []
    for case in packed.read_json(FEW_ROWS):
        tiles = [tile_of(text, us) for text, us in case["us"].items() if ".mma" in text]
        tiles = [tile for tile in tiles if tile["tile_k"] == 64]
        family = " ".join(case["name"].split()[:2])
        if tiles:
            cases.append({**case, "family": family, "tiles": tiles})
    return cases


class Tiles:
    """All tiles of some cases as arrays, a case's tiles one after the other."""

    def __init__(self, cases):
        rows = [(case, tile) for case in cases for tile in case["tiles"]]
        self.case = np.repeat(np.arange(len(cases)), [len(c["tiles"]) for c in cases])
        self.first = np.searchsorted(self.case, np.arange(len(cases)))
        shape = np.array([case["shape"] for case, _ in rows], float)
        self.m, self.n, self.k = shape.T

        def field(name):
            return np.array([tile[name] for _, tile in rows], float)

        self.rows, self.columns = field("tile_m"), field("tile_n")
        self.parts, self.stages = field("split_k"), field("stages")
        self.along_m, self.along_n = field("cluster_m"), field("cluster_n")
        self.consumers, self.persistent = field("consumers"), field("persistent")
        self.swap = field("swap") == 1
        self.copied = np.array([tile["store"] == "tma" for _, tile in rows])
        self.times = {"us": field("us"), "warm_us": field("warm_us")}

    def least(self, values):
        """Of each case, spread over its tiles."""
        return np.minimum.reduceat(values, self.first)[self.case]

    def relative(self, kinds):
        """Of each tile, the mean of its times over the fastest tile's."""
        shares = [self.times[kind] / self.least(self.times[kind]) for kind in kinds]
        return np.mean(shares, axis=0)


def turns_and_blocks(tiles):
    """Tiles, or parts of them, that blocks take in turn; and blocks at a time."""
    cluster = tiles.parts * tiles.along_m * tiles.along_n
    of_m, of_n = tiles.rows * tiles.along_m, tiles.columns * tiles.along_n
    of_m, of_n = (
        np.where(tiles.swap, of_n, of_m),
        np.where(tiles.swap, of_m, of_n),
    )
    turns = np.ceil(tiles.m / of_m) * np.ceil(tiles.n / of_n) * cluster
    return turns, np.maximum(cluster, np.minimum(turns, tiles.persistent))


def columns_per_consumer(tiles):
    groups = tiles.rows // 64
    share_rows = (groups >= tiles.consumers) & (groups % tiles.consumers == 0)
    return np.where(share_rows, tiles.columns, tiles.columns // tiles.consumers)


def place_clocks(tiles, blocks, numbers):
    """For one element of K in one tile."""
    width = columns_per_consumer(tiles)
    size = tiles.rows * tiles.columns
    loaded = (tiles.rows + tiles.columns) * ELEMENT_BYTES
    read = size / (64 * width) * (64 + width) * ELEMENT_BYTES
    pitch = (tiles.k * ELEMENT_BYTES).astype(int)
    lines = 2 - np.gcd(pitch, LINE) / LINE
    delivered = tiles.rows / tiles.along_n + tiles.columns / tiles.along_m
    delivered = delivered * ELEMENT_BYTES * lines
    return np.maximum.reduce(
        [
            size / MMA_PER_CLOCK,
            (loaded + read) / numbers["sharedBytesPerClock"],
            loaded / numbers["l2PortBytesPerClock"],
            delivered * blocks / numbers["l2BytesPerClock"],
        ]
    )


def gather_clocks(tiles, numbers):
    """Sums through shared memory, of other blocks, too."""
    size = tiles.rows * tiles.columns * SUM_BYTES
    written = size / SHARED_BYTES_PER_CLOCK
    others = size * (tiles.parts - 1) / tiles.parts
    exchanged = others / numbers["clusterBytesPerClock"]
    meeting = np.where(
        tiles.parts == 2,
        numbers["pairMeetingClocks"],
        numbers["clusterMeetingClocks"],
    )
    split = written + exchanged + meeting
    alone = np.where(tiles.swap, 2 * written, 0)
    return np.where(tiles.parts > 1, split, alone)


def predicted(tiles, numbers):
    """Seconds, as estimateMma() has them for a product alone."""
    turns, blocks = turns_and_blocks(tiles)
    steps = np.ceil(np.ceil(tiles.k / 64) / tiles.parts)
    places = np.minimum(tiles.k, steps * 64)
    sharers = np.log2(tiles.along_m * tiles.along_n)
    barriers = numbers["stepClocks"] + numbers["multicastStepClocks"] * sharers
    under_way = np.maximum(1, tiles.stages - SLOTS_IN_USE)
    step = np.maximum(
        64 * place_clocks(tiles, blocks, numbers) + barriers,
        numbers["copyClocks"] / under_way,
    )
    gathered = gather_clocks(tiles, numbers)
    # Threads write the columns that fill no row of 64.
    width = columns_per_consumer(tiles)
    copied = np.where(tiles.copied, 1 - width % 64 / width, 0)
    written = tiles.rows * tiles.columns * ELEMENT_BYTES / tiles.parts
    written = written * (
        copied / SHARED_BYTES_PER_CLOCK + (1 - copied) / PORT_BYTES_PER_CLOCK
    )
    clocks = places / 64 * step + gathered + written
    hertz = numbers["clockHertz"]
    busy = np.maximum(
        np.ceil(turns / blocks) * clocks / hertz,
        turns * clocks / MULTIPROCESSORS / numbers["sustainedClockHertz"],
    )
    moved = ELEMENT_BYTES * (tiles.k * (tiles.m + tiles.n) + tiles.m * tiles.n)
    waves = np.ceil(turns / blocks)
    idle = np.maximum(0, 1 - turns / (waves * MULTIPROCESSORS))
    reading = moved / numbers["memoryBytesPerSecond"]
    reading = reading * (1 + numbers["idleShare"] * idle)
    exchanges = np.where(tiles.parts > 1, waves, 1)
    memory = reading + (exchanges * gathered + written) / hertz
    together = (busy**SHARPNESS + memory**SHARPNESS) ** (1 / SHARPNESS)
    return LAUNCH_SECONDS + together


def choices(tiles, numbers):
    """Of each case, the tile that the model takes for the fastest."""
    # Of two that take as long the swapped one comes first, and of few columns that with
    # fewer consumers, as in MmaModel.cpp.
    consumers = tiles.consumers * np.where(tiles.columns <= FEW_COLUMNS, 1, -1)
    predictions = predicted(tiles, numbers)
    order = np.lexsort((consumers, ~tiles.swap, predictions, tiles.case))
    return order[tiles.first]


def losses(tiles, numbers, kinds=("us", "warm_us")):
    """Of each case, the time of the model's choice over the best's."""
    relative = tiles.relative(kinds)
    least = np.minimum.reduceat(relative, tiles.first)
    return relative[choices(tiles, numbers)] / least


def distance(tiles, numbers):
    """How far predicted times of many rows are off, as a share; cold ones."""
    many = tiles.m >= MANY_ROWS
    if not many.any():
        return 0
    ratio = 1e6 * predicted(tiles, numbers)[many] / tiles.times["us"][many]
    return np.abs(np.log(ratio)).mean()


def spread(tiles, numbers):
    """How far predicted times of a case are off beside each other, as a share. Without the
    launch, which overlaps with the one ahead."""
    seconds = predicted(tiles, numbers) - LAUNCH_SECONDS
    ratio = np.log(1e6 * seconds / tiles.times["us"])
    of_cases = np.split(ratio, tiles.first[1:])
    return np.mean([np.abs(each - np.median(each)).mean() for each in of_cases])


def score(tiles, few, numbers):
    """Of two kinds of sweeps; the second may be None."""
    found = losses(tiles, numbers)
    total = TIMES_WEIGHT * distance(tiles, numbers) + WORST_WEIGHT * found.max()
    if few is None:
        return total + found.mean()
    of_few = losses(few, numbers, ("us",))
    counted = np.concatenate([found, *[of_few] * FEW_ROWS_WEIGHT])
    total += WORST_WEIGHT * of_few.max() + SPREAD_WEIGHT * spread(few, numbers)
    return total + counted.mean()


def search(tiles, few, rounds, seed):
    """A random search from the shipped numbers on, and its score."""
    generator = np.random.default_rng(seed)
    best = {n: min(RANGES[n][1], max(RANGES[n][0], v)) for n, v in shipped().items()}
    least = score(tiles, few, best)
    for _ in range(rounds):
        other = dict(best)
        count = generator.integers(1, 4)
        for name in generator.choice(list(RANGES), count, replace=False):
            low, high = RANGES[name]
            near = best[name] * generator.uniform(0.85, 1.15)
            far = generator.uniform(low, high)
            value = far if generator.random() < 0.3 else near
            other[name] = float(f"{min(high, max(low, value)):.4g}")
        if (found := score(tiles, few, other)) < least:
            best, least = other, found
    return least, best


def fit(tiles, few, rounds, seeds):
    found = [search(tiles, few, rounds, seed) for seed in range(seeds)]
    return min(found, key=lambda each: each[0])[1]


def describe(name, cases, numbers, kinds=("us", "warm_us")):
    found = losses(Tiles(cases), numbers, kinds) - 1
    print(
        f"{name:44} {found.mean():6.1%} slower than the fastest tile,"
        f" {found.max():.0%} at worst, {(found > 0.05).sum()} of {len(cases)} over 5%"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=4000, help="of a search")
    parser.add_argument("--seeds", type=int, default=4, help="searches")
    parser.add_argument("--write", action="store_true", help="ship the new fit")
    arguments = parser.parse_args()
    cases, few = packed.read_json(SWEEP), few_rows_cases()

    def describe_both(name, cases, few, numbers):
        describe(name, cases, numbers)
        if few:
            describe(f"{name}, few rows", few, numbers, ("us",))

    describe_both("shipped", cases, few, shipped())
    if arguments.rounds == 0:
        return
    for key in ("family", "gpu"):
        for held_out in sorted({case[key] for case in cases}):
            others, seen = [
                [case for case in each if case[key] != held_out]
                for each in (cases, few)
            ]
            seen = Tiles(seen) if seen else None
            numbers = fit(Tiles(others), seen, arguments.rounds, seeds=1)
            kept, unseen = [
                [case for case in each if case[key] == held_out]
                for each in (cases, few)
            ]
            describe_both(f"fitted without {held_out}, on it", kept, unseen, numbers)
    numbers = fit(Tiles(cases), Tiles(few), arguments.rounds, arguments.seeds)
    describe_both("fitted to all", cases, few, numbers)
    if arguments.write:
        shipped_numbers.write(SHIPPED, numbers)
    print(numbers)


if __name__ == "__main__":
    main()
