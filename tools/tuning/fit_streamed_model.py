#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits the numbers of ProposeStreamed.cpp, Numbers/Streamed.inc, to times of
attention by wgmma and by mma.sync.

The data, results/streamed-sweep.json.xz, are times of some schedules of few and of many
queries on an H200. A fit is good if predicted times are near the measured ones, and if the
schedule that the model takes for the fastest is fast.

    fit_streamed_model.py           # how good the shipped numbers are
    fit_streamed_model.py --write   # a new fit becomes the shipped one
"""

import argparse
import math
import random
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from bench.peers import packed  # noqa: E402
from tuning import shipped_numbers  # noqa: E402
from tuning.schedule_text import fields_of, number_in  # noqa: E402

SWEEP = ROOT / "results" / "streamed-sweep.json.xz"
SHIPPED = shipped_numbers.path_of("streamed")
SHARPNESS = shipped_numbers.of("time")["sharpness"]
SYNC_ARRIVAL_CLOCKS = shipped_numbers.of("mmaSync")["arrivalClocks"]
# As in GPUTarget.cpp and boards of an H200.
MULTIPROCESSORS, LAUNCH_SECONDS = 132, 2e-6
BYTES_PER_SECOND, L2_BYTES_PER_CLOCK, PORT_BYTES_PER_CLOCK = 4.8e12, 7900, 48
CLOCK_HERTZ, WGMMA_PER_CLOCK, SYNC_PER_CLOCK, SPECIALS_PER_CLOCK = (
    1.54e9,
    2048,
    1270,
    16,
)
SHARED_BYTES, RESERVED_BYTES, SHARED_BYTES_PER_CLOCK = 228 * 1024, 1024, 128
ELEMENT_BYTES, SUM_BYTES, CONSUMER_ROWS, WARP_ROWS = 2, 4, 64, 16
# What events measure beside the model's launches: two kernels, and the first bytes.
EVENT_SECONDS = 7e-6
# How much a loss counts beside an error, and how much more the error of a schedule that is
# nearly the fastest.
LOSS_WEIGHT, NEARNESS = 1.0, 12
RANGES = {
    "wgmmaShare": (0.5, 1),
    "oneConsumerShare": (0.3, 1),
    "wgmmaReadShare": (0.7, 1),
    "syncReadShare": (0.7, 1),
    "aloneReadShare": (0.6, 1),
    "wgmmaArrivalClocks": (500, 4000),
    "blockSeconds": (0, 5e-8),
}


def shipped():
    return shipped_numbers.read(SHIPPED)


def soft_maximum(terms):
    most = max(terms)
    return most * sum((each / most) ** SHARPNESS for each in terms) ** (1 / SHARPNESS)


class Call:
    """A case with a schedule, as StreamedModel sees it."""

    def __init__(self, case, schedule):
        self.is_wgmma = fields_of(schedule)["isa"] == "wgmma"
        names = ("consumers", "heads", "split", "tile_k", "stages")
        self.consumers, self.heads, split, self.tile_k, self.stages = (
            number_in(schedule, name) for name in names
        )
        self.batches = case["batch"] * case["key_heads"]
        self.groups = case["heads"] // case["key_heads"]
        self.queries, self.keys = case["queries"], case["tokens"]
        self.columns = -(-case["head"] // 64) * 64
        self.rows = self.consumers * CONSUMER_ROWS
        self.tiles = (
            self.batches
            * math.ceil(self.groups / self.heads)
            * math.ceil(self.queries / (self.rows / self.heads))
        )
        key_tiles = math.ceil(self.keys / self.tile_k)
        self.parts = max(1, min(split // max(1, self.tiles), key_tiles))
        self.blocks = self.tiles * self.parts
        self.own_keys = self.keys
        if self.parts > 1:
            self.own_keys = math.ceil(key_tiles / self.parts) * self.tile_k
        self.leaves_parts = self.heads > 1 or split > 1
        self.key_bytes = 2 * self.columns * ELEMENT_BYTES
        slots = self.stages * self.tile_k * self.key_bytes
        shared = self.rows * self.columns * ELEMENT_BYTES + slots + RESERVED_BYTES
        self.resident = 1
        if self.consumers == 1:
            self.resident = max(1, min(2, SHARED_BYTES // shared))

    def busy_seconds(self, numbers):
        products = self.rows * self.own_keys * 2 * self.columns
        if self.is_wgmma:
            name = "wgmmaShare" if self.consumers > 1 else "oneConsumerShare"
            clocks = products / WGMMA_PER_CLOCK / numbers[name]
        else:
            read = products / WARP_ROWS * ELEMENT_BYTES / SHARED_BYTES_PER_CLOCK
            clocks = max(products / SYNC_PER_CLOCK, read)
        exponentials = self.rows * self.own_keys / SPECIALS_PER_CLOCK
        waves = max(1, self.blocks / MULTIPROCESSORS)
        return waves * soft_maximum([clocks, exponentials]) / CLOCK_HERTZ

    def bytes_per_second(self, numbers):
        """Blocks that have a multiprocessor alone keep fewer copies under way."""
        if not self.leaves_parts:
            return BYTES_PER_SECOND
        beside = min(self.resident, max(1, self.blocks / MULTIPROCESSORS)) - 1
        both = numbers["wgmmaReadShare" if self.is_wgmma else "syncReadShare"]
        alone = numbers["aloneReadShare"]
        return BYTES_PER_SECOND * (alone + (both - alone) * beside)

    def memory_seconds(self, rate):
        slots, blocks = MULTIPROCESSORS * self.resident, self.parts * self.batches
        own = self.own_keys * self.key_bytes
        last = blocks % slots
        port = PORT_BYTES_PER_CLOCK * CLOCK_HERTZ
        of_last = max(last * own / rate, math.ceil(last / MULTIPROCESSORS) * own / port)
        rows = 2 * self.columns * ELEMENT_BYTES * self.groups * self.queries
        everything = self.batches * (rows + self.key_bytes * self.keys)
        return max(everything / rate, (blocks - last) * own / rate + of_last)

    def seconds(self, numbers):
        busy = self.busy_seconds(numbers)
        memory = self.memory_seconds(self.bytes_per_second(numbers))
        seconds = max(busy, memory)
        if self.leaves_parts or not self.is_wgmma:
            arrival = SYNC_ARRIVAL_CLOCKS
            if self.is_wgmma:
                arrival = numbers["wgmmaArrivalClocks"] / max(1, self.stages - 1)
            turns = math.ceil(self.blocks / (MULTIPROCESSORS * self.resident))
            waiting = turns * math.ceil(self.own_keys / self.tile_k) * arrival
            cache = self.blocks * self.own_keys * self.key_bytes / L2_BYTES_PER_CLOCK
            terms = [busy, memory, waiting / CLOCK_HERTZ, cache / CLOCK_HERTZ]
            seconds = max(terms) if self.leaves_parts else soft_maximum(terms)
        if not self.leaves_parts:
            return LAUNCH_SECONDS + seconds
        sums = self.batches * self.groups * self.queries * self.columns * SUM_BYTES
        combining = 2 * sums * self.parts / BYTES_PER_SECOND
        combining += self.blocks * numbers["blockSeconds"]
        return 2 * LAUNCH_SECONDS + seconds + combining


def sweep():
    """(case, calls, seconds) of each case."""
    for case in packed.read_json(SWEEP):
        calls = [Call(case, schedule) for schedule in case["us"]]
        yield case, calls, np.array(list(case["us"].values())) * 1e-6


def predicted(calls, numbers):
    return np.array([call.seconds(numbers) for call in calls]) + EVENT_SECONDS


def judge(cases, numbers):
    """Of each case the time of the model's choice over the fastest one's, and how far its
    predicted times are off, of fast schedules above all."""
    losses, errors = [], []
    for _, calls, seconds in cases:
        found = predicted(calls, numbers)
        losses.append(seconds[np.argmin(found)] / seconds.min())
        near = (seconds.min() / seconds) ** NEARNESS
        errors.append(np.average(np.abs(np.log(found / seconds)), weights=near))
    return np.array(losses), np.array(errors)


def score(cases, numbers):
    losses, errors = judge(cases, numbers)
    return LOSS_WEIGHT * (losses.mean() - 1) + errors.mean()


def fit(cases, rounds=3000):
    """The best of random steps that become shorter."""
    drawn = random.Random(1)
    best = {name: (low + high) / 2 for name, (low, high) in RANGES.items()}
    least = score(cases, best)
    for step in range(rounds):
        width = 0.3 * (1 - step / rounds) + 0.01
        numbers = dict(best)
        for name in drawn.sample(list(RANGES), drawn.choice((1, 1, 2, 3))):
            low, high = RANGES[name]
            moved = best[name] + drawn.gauss(0, width) * (high - low)
            numbers[name] = min(high, max(low, moved))
        found = score(cases, numbers)
        if found < least:
            best, least = numbers, found
    return best


def describe(name, cases, numbers):
    losses, errors = judge(cases, numbers)
    print(
        f"{name}: {losses.mean() - 1:.1%} slower than the fastest schedule, "
        f"{losses.max() - 1:.0%} at worst; times are off by {errors.mean():.1%}"
    )
    for (case, *_), loss, error in zip(cases, losses, errors, strict=True):
        print(f"    {case['name']:44} {loss - 1:6.1%} {error:6.1%}")


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
