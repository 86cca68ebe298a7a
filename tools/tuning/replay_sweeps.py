#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asks, without a GPU, how good today's choice of schedules is by what was measured.

    replay_sweeps.py                      # a table, a line a family
    replay_sweeps.py --list 20            # and the worst cases
    replay_sweeps.py --add sweep.json --name "rows of 72" --commit 1234567

results/sweeps.json.xz has the times of many schedules of each of its cases, from
runs of sweep_schedules.py on a GPU. For each case this asks `fuse inspect
--emit=candidates` what would be chosen and what the model of time predicts, and compares
with the fastest schedule that was measured: how often the choice is within 3% of it, how
often the model's own favourite among those measured is, and how often one of the twelve
that --autotune would measure is. A choice that was not measured counts nowhere but in
its own column. --add appends what sweep_schedules.py wrote.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import datetime
import json
import lzma
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools")]

from bench.peers import chains, grid, packed  # noqa: E402

SWEEPS = ROOT / "results" / "sweeps.json.xz"
NEAR = 0.03
# What --autotune measures unless it is told another number.
SHORTLIST = 15
# A softmax whose maximum and sum are found in one walk.
ONLINE = "online "


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--sweeps", type=Path, default=SWEEPS, help="the measured times")
    add("--fuse", default=str(ROOT / "build" / "bin" / "fuse"), help="the driver")
    add("--chip", default="sm_90", help="the chip that they are of")
    add("--family", action="append", help="only this one; may be given again")
    add("--list", type=int, default=0, metavar="N", help="show the N worst cases")
    add("--every", type=int, default=1, metavar="N", help="only each N-th case")
    add("--json", type=Path, help="write what was found for each case")
    add("--add", type=Path, help="append a sweep.json instead")
    add("--name", default="", help="with --add: what the run was about")
    add("--commit", default="", help="with --add: of the code that was measured")
    arguments = parser.parse_args()
    if arguments.every < 1:
        parser.error(f"--every: expected 1 or more, but got {arguments.every}")
    if not arguments.add and not shutil.which(arguments.fuse):
        parser.error(
            f"--fuse: expected the driver, but nothing runs as {arguments.fuse}; "
            "build it with `make build`, or name another"
        )
    return arguments


def read_json(path):
    try:
        return packed.read_json(path)
    except (OSError, ValueError, lzma.LZMAError) as error:
        raise SystemExit(
            f"expected measured times in {path}, but got: {error}"
        ) from error


@dataclasses.dataclass
class Replay:
    """A case, its measured times in us by schedule, and what would be done today."""

    case: dict
    times: dict
    chosen: str
    predicted: dict

    @property
    def best(self):
        return min(self.times.values())

    def loss(self, schedule):
        """What it takes longer than the best, as a part of that; None if not measured."""
        time = self.times.get(schedule)
        return None if time is None else time / self.best - 1

    @property
    def favourite(self):
        """Of those measured, the schedule that the model takes for the fastest."""
        known = [each for each in self.predicted if each in self.times]
        return min(known, key=self.predicted.get, default=None)

    def shortlist_loss(self, number):
        """The same of the best among the choice and what the model takes for fast."""
        plain = self.chosen.removeprefix(ONLINE)
        others = [each for each in self.predicted if each != plain]
        others.sort(key=self.predicted.get)
        losses = [self.loss(each) for each in [self.chosen, *others][:number]]
        return min((loss for loss in losses if loss is not None), default=None)

    @property
    def error(self):
        """Of the time that is predicted for the choice, as a part of the measured one; of
        calls by themselves, which a CUDA graph has not."""
        if self.chosen not in self.times or self.chosen not in self.predicted:
            return None
        if self.case.get("graph"):
            return None
        return self.predicted[self.chosen] / self.times[self.chosen] - 1


def program_of(case):
    known = (*grid.FAMILIES, *chains.FAMILIES)
    family = next(each for each in known if each.name == case["family"])
    return family.make(case["dtype"], *case["shape"]).program


def inspect(arguments, case, *options):
    command = [
        arguments.fuse,
        "inspect",
        "-",
        "--target=cuda",
        f"--chip={arguments.chip}",
    ]
    size = ["--size", f"rows={case['shape'][0]}"]
    done = subprocess.run(
        [*command, *size, *options],
        input=program_of(case),
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise SystemExit(
            f"{case['family']} {case['dtype']} {case['shape']}: {done.stderr}"
        )
    return done.stdout


def replay(arguments, sweeps, case):
    times = {sweeps["schedules"][number]: time for number, time in case["us"]}
    report = json.loads(inspect(arguments, case, "--emit=candidates", "--json"))
    candidates = report["kernels"][0]["candidates"]
    predicted = {each["schedule"]: each["us"] for each in candidates}
    chosen = candidates[0]["schedule"]
    if any(each.startswith(ONLINE) for each in times):
        is_online = "softmax_stats" in inspect(arguments, case, "--emit=schedule")
        chosen = ONLINE + chosen if is_online else chosen
    return Replay(case, times, chosen, predicted)


def replay_all(arguments, sweeps):
    wanted = [
        case
        for case in sweeps["cases"]
        if not arguments.family or case["family"] in arguments.family
    ][:: arguments.every]
    if not wanted:
        known = sorted({case["family"] for case in sweeps["cases"]})
        raise SystemExit(
            f"expected a family that was measured, but got {', '.join(arguments.family)}; "
            f"there are {', '.join(known)}"
        )
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda case: replay(arguments, sweeps, case), wanted))


def share(losses):
    """The part of them that is near; a text."""
    known = [loss for loss in losses if loss is not None]
    near = sum(loss <= NEAR for loss in known)
    return f"{near}/{len(known)} {100 * near / len(known):.0f}%" if known else "-"


def percent(values, part):
    known = sorted(abs(value) for value in values if value is not None)
    return (
        f"{100 * known[min(len(known) - 1, int(part * len(known)))]:.1f}%"
        if known
        else "-"
    )


COLUMNS = (
    "family",
    "cases",
    "choice near",
    "median",
    "90th",
    "not measured",
    "model near",
    "shortlist near",
    "prediction off",
)


def row_of(name, replays):
    chosen = [each.loss(each.chosen) for each in replays]
    return (
        name,
        str(len(replays)),
        share(chosen),
        percent(chosen, 0.5),
        percent(chosen, 0.9),
        str(chosen.count(None)),
        share([each.loss(each.favourite) for each in replays]),
        share([each.shortlist_loss(SHORTLIST) for each in replays]),
        percent([each.error for each in replays], 0.5),
    )


def print_table(replays):
    groups = collections.defaultdict(list)
    for each in replays:
        groups[each.case["family"]].append(each)
    rows = [COLUMNS, *(row_of(name, groups[name]) for name in sorted(groups))]
    rows.append(row_of("all", replays))
    widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
    for row in rows:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip())


def print_worst(replays, number):
    known = [each for each in replays if each.loss(each.chosen) is not None]
    known.sort(key=lambda each: -each.loss(each.chosen))
    for each in known[:number]:
        case = each.case
        best = min(each.times, key=each.times.get)
        print(
            f"{case['family']} {case['dtype']} {'x'.join(map(str, case['shape']))}: "
            f"{100 * each.loss(each.chosen):.1f}%, {each.times[each.chosen]} us with "
            f"{each.chosen}, {each.best} with {best}"
        )


def found_of(each):
    return {
        **{key: each.case[key] for key in ("family", "dtype", "shape")},
        "chosen": each.chosen,
        "loss": each.loss(each.chosen),
        "model_loss": each.loss(each.favourite),
        "shortlist_loss": each.shortlist_loss(SHORTLIST),
        "error": each.error,
    }


def add_sweep(sweeps, entries, name, commit):
    """Adds the entries of a sweep.json; the schedule that was chosen among the others."""
    numbers = {text: number for number, text in enumerate(sweeps["schedules"])}
    date = datetime.date.today().isoformat()
    sweeps["runs"].append({"name": name, "date": date, "commit": commit})
    for entry in entries:
        times = {}
        for result in entry.get("results", []):
            schedule = result["schedule"].removeprefix("chosen ")
            if "median" in result and schedule.startswith("#fuse"):
                times.setdefault(schedule, result["median"])
        if "program" in entry or len(times) < 2:
            continue
        for schedule in times:
            numbers.setdefault(schedule, len(numbers))
        case = {"run": len(sweeps["runs"]) - 1}
        case |= {key: entry[key] for key in ("family", "dtype", "shape")}
        if entry.get("graph"):
            case["graph"] = True
        case["us"] = [
            [numbers[schedule], round(us, 2)] for schedule, us in times.items()
        ]
        sweeps["cases"].append(case)
    sweeps["schedules"] = list(numbers)


def text_of(sweeps):
    """JSON with a line a schedule and a line a case."""
    lines = [
        f" {json.dumps(key)}: {json.dumps(sweeps[key])}" for key in ("gpu", "runs")
    ]
    for key in ("schedules", "cases"):
        entries = ",\n".join(f"  {json.dumps(entry)}" for entry in sweeps[key])
        lines.append(f' "{key}": [\n{entries}\n ]')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main():
    arguments = parse_arguments()
    sweeps = read_json(arguments.sweeps)
    if arguments.add:
        add_sweep(sweeps, read_json(arguments.add), arguments.name, arguments.commit)
        packed.write_text(arguments.sweeps, text_of(sweeps))
        return
    replays = replay_all(arguments, sweeps)
    print_table(replays)
    print_worst(replays, arguments.list)
    if arguments.json:
        found = [found_of(each) for each in replays]
        lines = ",\n".join(map(json.dumps, found))
        packed.write_text(arguments.json, f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
