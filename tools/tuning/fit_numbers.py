#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits numbers of include/fuse/Target/Numbers to times by asking the compiler what it would
do with other ones, as in `--chip sm_90+columns.fewBlocks=3`.

    fit_numbers.py transpose          # how good the shipped numbers are
    fit_numbers.py transpose --try    # and what other values of each would give
    fit_numbers.py transpose --write  # what is better becomes the shipped one

Of numbers that rules choose by (pointwise, transpose) a value is as good as the schedules that
are chosen with it, by the times of those calls for which both choices were measured. Of the
numbers of the model of time (time, work) it is as good as the schedule of a call that is
predicted to be the fastest, and as predicted times are right beside each other; of work, as
the registers that ptxas gave. A number is replaced only if that is better on the calls that
held-out.json lets a fit see, no worse on the others, and for most calls known at all.
"""

import argparse
import dataclasses
import functools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools")]

from bench.peers import packed  # noqa: E402
from tuning import design_cases, schedule_samples, shipped_numbers  # noqa: E402

ROWS = ROOT / "results" / "rows-design.jsonl.xz"
COLUMNS = ROOT / "results" / "columns-design.jsonl.xz"
# What is asked at once, so that a process is worth its start.
SIZES = ("large", "small", "brief", "few")
# A loss of the model's favourite counts as much as so many times the error of its times, and
# as that of registers.
SPREAD_WEIGHT, REGISTERS_WEIGHT = 0.5, 0.5
# Schedules far from the fastest need not be told apart.
FAR = 2.0
# A change that fewer calls notice, or that gains less in all of them, is no evidence.
FEWEST_CALLS, LEAST_GAIN = 4, 0.1
FACTORS = (0.7, 0.85, 1.18, 1.4)


@dataclasses.dataclass
class Call:
    """Of an entry of a designed sweep one size, with the times of schedules."""

    entry: dict
    size: int

    @property
    def times(self):
        texts = self.entry["schedules"]
        return {texts[number]: us for number, us in self.entry["us"][self.size]}

    @property
    def bucket(self):
        return schedule_samples.bucket_of(
            schedule_samples.moved_by(self.entry, self.size)
        )

    @functools.cached_property
    def program(self):
        """With the size of the call."""
        rows = self.entry["sizes"][self.size][0]
        text = program_of(self.entry, rows)
        return re.sub(r' \{fuse\.dims = \["\w+"\]\}', "", text.replace("?", str(rows)))

    @property
    def held_out(self):
        return self.entry["held_out"]


def program_of(entry, rows=64):
    case = (entry["family"], entry["dtype"], rows, entry["columns"])
    return design_cases.case_of(*case).program


def read_calls(path, kind, every):
    entries = map(json.loads, packed.read_text(path).splitlines())
    wanted = [
        entry
        for entry in entries
        if entry.get("us") and entry["schedules"][0].startswith(kind)
    ]
    return [
        Call(entry, size)
        for entry in wanted[::every]
        for size, times in enumerate(entry["us"])
        if len(times) > 1
    ]


def ask(arguments, programs, *options):
    done = subprocess.run(
        [arguments.fuse_opt, "-", "--split-input-file", *options],
        input="\n// -----\n".join(programs),
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise RefusedError(done.stderr)
    return done.stdout


def chip_with(arguments, model, numbers):
    """The chip, with other values of some numbers."""
    names = (f"+{model}.{name}={value!r}" for name, value in numbers.items())
    return arguments.chip + "".join(names)


class RefusedError(Exception):
    """The compiler's, of numbers with which it does not work."""


class Rules:
    """Of numbers that rules choose by."""

    def __init__(self, arguments, model):
        self.arguments, self.model = arguments, model
        kind = f"#fuse.{model}"
        self.calls = read_calls(COLUMNS, kind, arguments.every)
        found = {id(call.entry): call.entry for call in self.calls}
        self.entries = list(found.values())

    def losses(self, numbers):
        """Of each call by how much the choice is slower than the fastest; NaN where it was
        not measured."""
        chip = chip_with(self.arguments, self.model, numbers)
        programs = [program_of(entry) for entry in self.entries]
        chosen = {}
        for bucket, size in enumerate(SIZES):
            out = ask(
                self.arguments,
                programs,
                f"--fuse-form=chip={chip}",
                f"--fuse-schedule=chip={chip} size={size}",
            )
            kernels = [line for line in out.splitlines() if " = fuse.kernel " in line]
            # The schedule is the last attribute of a kernel's line.
            texts = ["#fuse." + line.partition("#fuse.")[2] for line in kernels]
            for entry, text in zip(self.entries, texts, strict=True):
                chosen[id(entry), bucket] = text
        losses = []
        for call in self.calls:
            text, best = chosen[id(call.entry), call.bucket], min(call.times.values())
            found = [us for each, us in call.times.items() if text.startswith(each)]
            losses.append(found[0] / best - 1 if found else np.nan)
        return np.array(losses)

    def gain(self, shipped, other):
        """By how much less time the others take, in the calls that notice; and how many do,
        of those that a fit may see and of those held out."""
        known = ~np.isnan(shipped) & ~np.isnan(other) & (shipped != other)
        gained = np.log1p(shipped) - np.log1p(other)
        held = np.array([call.held_out for call in self.calls])
        return [
            (gained[known & part].sum(), (known & part).sum()) for part in (~held, held)
        ]

    def describe(self, losses):
        known = losses[~np.isnan(losses)]
        return (
            f"{(known <= 0.03).mean():.0%} of {len(known)} measured choices within 3% of the "
            f"fastest, {known.mean():.1%} slower on average"
        )


class Predictions(Rules):
    """Of numbers of the model of time."""

    def __init__(self, arguments, model):
        self.arguments, self.model = arguments, model
        calls = read_calls(ROWS, "#fuse.rows", 24 * arguments.every)
        calls += read_calls(COLUMNS, "#fuse.", 8 * arguments.every)
        # What is reshaped has a size that is written down nowhere else.
        calls = [call for call in calls if "collapse_shape" not in call.program]
        programs = [call.program for call in calls]
        formed = ask(arguments, programs, f"--fuse-form=chip={arguments.chip}")
        self.calls = [
            call
            for call, text in zip(calls, formed.split("// -----"), strict=True)
            if text.count(" = fuse.kernel ") == 1
        ]

    def losses(self, numbers):
        """Of each call the score, which has the favourite's loss."""
        chip = chip_with(self.arguments, self.model, numbers)
        out = ask(
            self.arguments,
            [call.program for call in self.calls],
            f"--fuse-form=chip={chip}",
            f"--fuse-list-schedules=chip={chip}",
            "-o",
            os.devnull,
        )
        lines = map(json.loads, out.splitlines())
        return np.array(
            [self.score(*each) for each in zip(self.calls, lines, strict=True)]
        )

    def score(self, call, listed):
        registers = dict(
            zip((text for text, _ in listed["legal"]), listed["registers"])
        )
        predicted = dict(listed["legal"])
        known = [(text, us) for text, us in call.times.items() if text in predicted]
        if len(known) < 2:
            return np.nan
        texts = [text for text, _ in known]
        times, found = (
            np.array([us for _, us in known]),
            np.array([predicted[text] for text in texts]),
        )
        near = times <= FAR * times.min()
        ratio = np.log(found[near] / times[near])
        spread = np.abs(ratio - np.median(ratio)).mean()
        total = times[found.argmin()] / times.min() - 1 + SPREAD_WEIGHT * spread
        if self.model != "work":
            return total
        numbers = {text: number for number, text in enumerate(call.entry["schedules"])}
        given = [
            call.entry["registers"].get(str(numbers[text]), (0, 1)) for text in texts
        ]
        errors = [
            abs(np.log(registers[text] / count))
            for text, (count, spilled) in zip(texts, given, strict=True)
            if count and not spilled
        ]
        return total + REGISTERS_WEIGHT * np.mean(errors or [0])

    def describe(self, losses):
        return f"a score of {np.nanmean(losses):.4f} over {(~np.isnan(losses)).sum()} calls"


MODELS = {
    "pointwise": Rules,
    "transpose": Rules,
    "time": Predictions,
    "work": Predictions,
}


def others_of(value, is_count, is_power=False):
    if is_power:
        return [each for each in (value // 4, value // 2, value * 2, value * 4) if each]
    found = {
        round(value * factor) if is_count else value * factor for factor in FACTORS
    }
    if is_count:
        found |= {value - 1, value + 1, value // 2, value * 2}
    return sorted(each for each in found if each > 0 and each != value)


def try_all(judge, shipped, path):
    """Takes what is better, a number at a time; returns all of them."""
    whole, powers = shipped_numbers.counts(path), shipped_numbers.powers(path)
    best, numbers = judge.losses({}), {}
    for name, value in shipped.items():
        value = round(value) if name in whole else value
        for other in others_of(value, name in whole, name in powers):
            try:
                found = judge.losses({**numbers, name: other})
            except RefusedError:
                print(f"  {name} = {other:.6g} is refused")
                continue
            (seen, calls), (unseen, held) = judge.gain(best, found)
            # Choices that nobody has timed would be taken blindly.
            blind = (np.isnan(found) & ~np.isnan(best)).sum()
            is_known = calls >= FEWEST_CALLS and blind <= calls
            is_better = is_known and seen > LEAST_GAIN and unseen >= 0
            print(
                f"  {name} = {other:.6g} for {value:.6g}: {seen:+.3f} over {calls} calls, "
                f"{unseen:+.3f} over {held} held out, {blind} unknown"
                f"{', taken' if is_better else ''}",
                flush=True,
            )
            if is_better:
                best, numbers[name] = found, other
    return {**shipped, **numbers}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("model", choices=MODELS)
    add("--fuse-opt", default=str(ROOT / "build" / "bin" / "fuse-opt"))
    add("--chip", default="sm_90")
    add("--every", type=int, default=1, metavar="N", help="only each N-th case")
    add("--only", nargs="+", metavar="NAME", help="only these numbers")
    add("--try", dest="is_tried", action="store_true", help="what others would give")
    add("--write", action="store_true", help="ship what is better")
    arguments = parser.parse_args()
    path = shipped_numbers.path_of(arguments.model)
    shipped = shipped_numbers.read(path)
    judge = MODELS[arguments.model](arguments, arguments.model)
    print(f"shipped: {judge.describe(judge.losses({}))}")
    if not arguments.is_tried and not arguments.write:
        return
    wanted = arguments.only or shipped
    fitted = try_all(judge, {name: shipped[name] for name in wanted}, path)
    changed = {name: value for name, value in fitted.items() if value != shipped[name]}
    print(f"fitted: {judge.describe(judge.losses(changed))}, with {changed}")
    if arguments.write:
        shipped_numbers.write(path, changed)


if __name__ == "__main__":
    main()
