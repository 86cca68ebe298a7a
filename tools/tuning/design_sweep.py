#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws a designed sweep: cases, and for each some of its legal schedules.

    design_sweep.py --cases 1200 --schedules 20 --seed 1 --out plan.json.xz

Every case has what the rules choose for calls of each size, legal schedules that differ
from these in little, some that a model takes for fast, and some drawn from all kinds
alike. run_design.py times them on a GPU. `fuse-opt` lists what is legal, so that this
runs anywhere; --model has a fitted model (fit_schedules.py) propose instead of the
analytical one.
"""

import argparse
import collections
import concurrent.futures
import functools
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools")]

from bench.peers import packed  # noqa: E402
from tuning import design_cases  # noqa: E402
from tuning.schedule_text import fields_of  # noqa: E402

# Legal schedules that some are drawn from, of tens of thousands.
SOME = 1500
# Of those that are predicted to be fast, so many may be drawn.
FAST = 400


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--set", choices=design_cases.SETS, default="rows", help="of families")
    add("--families", nargs="+", help="some of the set, each drawn alike")
    add("--cases", type=int, default=1200)
    add("--schedules", type=int, default=20, help="of each case")
    add("--seed", type=int, default=1)
    add("--out", type=Path, required=True)
    add("--chip", default="sm_90")
    add("--fuse-opt", default=str(ROOT / "build" / "bin" / "fuse-opt"))
    add("--jobs", type=int, default=os.cpu_count())
    return parser.parse_args()


def distance(a, b):
    """In how many fields they differ."""
    a, b = fields_of(a), fields_of(b)
    return sum(a.get(key) != b.get(key) for key in {*a, *b})


def kind_of(schedule):
    fields = fields_of(schedule)
    return fields.get("hold"), "cluster" in fields, "parts" in fields


def choose(source, legal, chosen, number):
    """`number` schedules, what is chosen first. `legal` is {schedule: predicted}."""
    picked = list(dict.fromkeys(chosen))
    known = [each for each in legal if each not in picked]
    fast = sorted(known, key=legal.get)
    # Enough to draw from.
    known = source.sample(known, min(len(known), SOME))

    def take(candidates, count):
        for each in dict.fromkeys(candidates):
            if count > 0 and each not in picked:
                picked.append(each)
                count -= 1

    left = number - len(picked)
    near = [each for each in known if min(distance(each, c) for c in picked) <= 2]
    source.shuffle(near)
    take(near, left * 3 // 10)
    # Of what is predicted to be fast, the faster the likelier.
    places = {each: place * source.random() for place, each in enumerate(fast[:FAST])}
    weighted = sorted(places, key=places.get)
    take(weighted, left * 4 // 10)
    # All kinds alike, but not what is predicted to take far longer.
    kinds = collections.defaultdict(list)
    limit = 3 * legal[fast[0]] if fast else 0
    for each in known:
        if legal[each] <= limit:
            kinds[kind_of(each)].append(each)
    while len(picked) < number and any(kinds.values()):
        group = kinds[source.choice([kind for kind in kinds if kinds[kind]])]
        each = group.pop(source.randrange(len(group)))
        if each not in picked:
            picked.append(each)
    return picked


def listed(arguments, text):
    """The program's kernels, and what fuse-opt says of the only one; None where there are
    several."""
    with tempfile.TemporaryDirectory() as folder:
        formed = Path(folder, "formed.mlir")
        done = subprocess.run(
            [
                arguments.fuse_opt,
                "-",
                f"--fuse-form=chip={arguments.chip}",
                f"--fuse-list-schedules=chip={arguments.chip}",
                "-o",
                formed,
            ],
            input=text,
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            raise SystemExit(f"fuse-opt: {done.stderr[:2000]}\n{text}")
        lines = done.stdout.splitlines()
        return formed.read_text(), json.loads(lines[0]) if len(lines) == 1 else None


def plan_of(arguments, case, seed):
    source = random.Random(seed)
    formed, entry = listed(arguments, case.make(64).program)
    if entry is None or not entry["chosen"]:
        return None
    legal = dict(entry["legal"])
    schedules = choose(source, legal, entry["chosen"], arguments.schedules)
    return {
        "family": case.family,
        "dtype": case.dtype,
        "columns": case.columns,
        "held_out": case.held_out,
        "sizes": design_cases.draw_sizes(source, case),
        # Numbers of the schedules that the rules choose: for large calls, small, brief
        # and few ones.
        "chosen": [schedules.index(each) for each in entry["chosen"]],
        "schedules": schedules,
        "legal": len(legal),
        "text": formed,
    }


def main():
    arguments = parse_arguments()
    source = random.Random(arguments.seed)
    weights = design_cases.SETS[arguments.set]
    if arguments.families:
        if unknown := sorted({*arguments.families} - {*weights}):
            known = ", ".join(weights)
            raise SystemExit(
                f"expected --families to be of the set '{arguments.set}', but got "
                f"{', '.join(unknown)}; choose some of {known}"
            )
        weights = dict.fromkeys(arguments.families, 1)
    cases = design_cases.draw(source, arguments.cases, weights)
    seeds = [source.random() for _ in cases]
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        plan_one = functools.partial(plan_of, arguments)
        plans = list(pool.map(plan_one, cases, seeds, chunksize=4))
    plans = [each for each in plans if each]
    lines = ",\n".join(json.dumps(each) for each in plans)
    packed.write_text(arguments.out, f"[\n{lines}\n]\n")
    total = sum(len(each["schedules"]) for each in plans)
    print(
        f"{len(plans)} cases, {total} kernels, "
        f"{sum(len(e['schedules']) * len(e['sizes']) for e in plans)} times, "
        f"{sum(each['held_out'] for each in plans)} cases held out"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
