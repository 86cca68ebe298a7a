# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measured times of run_design.py as a table: a row a time, with the numbers that
`fuse-opt --fuse-list-schedules` prints of the schedule in that call.

    schedule_samples.py measured.jsonl samples.npz    # for fit_schedules.py --samples
    schedule_samples.py measured.jsonl samples.npz columns
"""

import concurrent.futures
import functools
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

from bench.peers import packed  # noqa: E402
from tuning import design_cases  # noqa: E402

# As in AssignSchedules.cpp, on an H200: calls of few bytes, brief and small ones.
BUCKETS = ((8 << 10) * 132, (64 << 10) * 132, 4 * 52428800)


def read_sweeps(sweeps, replays, kind="rows"):
    """The cases of sweeps.json.xz, and what the rules chose for them by replay.json.xz."""
    held, found = design_cases.manifest(), {}
    for case, replay in zip(sweeps["cases"], replays, strict=True):
        rows, columns = case["shape"]
        texts = {number: sweeps["schedules"][number] for number, _ in case["us"]}
        times = [
            (texts[number], us)
            for number, us in case["us"]
            if texts[number].startswith(f"#fuse.{kind}<")
        ]
        if len(times) < 2:
            continue
        key = (case["family"], case["dtype"], columns)
        if key not in found:
            found[key] = dict(zip(("family", "dtype", "columns"), key))
            found[key] |= {"sizes": [], "us": [], "schedules": [], "rules": []}
            found[key]["held_out"] = design_cases.is_held_out(key[0], columns, held)
        entry = found[key]
        known = entry["schedules"]
        known += [text for text, _ in times if text not in known]
        entry["sizes"].append([rows, "graph" if case.get("graph") else "events"])
        entry["us"].append([[known.index(text), us] for text, us in times])
        chosen = replay["chosen"]
        entry["rules"].append(known.index(chosen) if chosen in known else -1)
    return list(found.values())


def read_grid(path):
    """The cases of the grid whose kernels are rows, as entries with one time a call."""
    found = {}
    for case in packed.read_json(path):
        schedule = case.get("schedule", "")
        if not schedule.startswith("#fuse.rows") or len(case["shape"]) != 2:
            continue
        rows, columns = case["shape"]
        key = (case["family"], case["dtype"], columns)
        entry = found.setdefault(key, {"sizes": [], "us": [], "schedules": []})
        entry |= dict(zip(("family", "dtype", "columns"), key))
        entry["sizes"].append([rows, case["timing"]])
        entry["us"].append([[len(entry["schedules"]), case["fuse_us"]]])
        entry["schedules"].append(schedule)
    return list(found.values())


def read_measured(path, kind="rows"):
    """The cases of a file of run_design.py, or of the sweeps, whose kernels are rows, or
    columns."""
    if path.name.startswith("sweeps"):
        replays = packed.read_json(path.with_name("replay.json.xz"))
        return read_sweeps(packed.read_json(path), replays, kind)
    entries = [json.loads(line) for line in packed.read_text(path).splitlines()]
    return [
        entry
        for entry in entries
        if entry.get("us") and entry["schedules"][0].startswith(f"#fuse.{kind}<")
    ]


def bucket_of(moved):
    """0 of large calls, 1 of small ones, 2 of brief ones, 3 of few bytes."""
    return 3 - next((i for i, most in enumerate(BUCKETS) if moved <= most), 3)


def _size_of(entry, rows):
    """What the compiler tells calls apart by: rows, or of columns all elements."""
    if entry["schedules"][0].startswith("#fuse.rows"):
        return rows
    case = (entry["family"], entry["dtype"], rows, entry["columns"])
    return max(math.prod(each.shape) for each in design_cases.case_of(*case).inputs)


def _features_of(fuse_opt, chip, entry):
    """The kernel's key, the names, and for each size and time the features; of a case
    that the compiler has no features of, nothing, with a message."""
    lines = [
        f"{_size_of(entry, rows)} {entry['schedules'][number]}"
        for (rows, _), times in zip(entry["sizes"], entry["us"])
        for number, _ in times
    ]
    case = (entry["family"], entry["dtype"], 64, entry["columns"])
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as asked:
        asked.write("\n".join(lines) + "\n")
        asked.flush()
        done = subprocess.run(
            [
                fuse_opt,
                "-",
                f"--fuse-form=chip={chip}",
                f"--fuse-list-schedules=chip={chip} features={asked.name}",
                "-o",
                os.devnull,
            ],
            input=design_cases.case_of(*case).program,
            capture_output=True,
            text=True,
        )
    if done.returncode != 0:
        # Such as a program that was one kernel when it was measured, and is two.
        print(f"left out, {case}: {done.stderr.strip()[:200]}", file=sys.stderr)
        return "", None, None
    found = json.loads(done.stdout.splitlines()[0])
    return found.get("key", ""), found.get("names"), found.get("features")


def key_of(fuse_opt, chip, program):
    """That of the program's only kernel."""
    out = subprocess.run(
        [
            fuse_opt,
            "-",
            f"--fuse-form=chip={chip}",
            f"--fuse-list-schedules=chip={chip}",
            "-o",
            os.devnull,
        ],
        input=program,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return json.loads(out.splitlines()[0])["key"]


class Samples:
    """Times of all schedules of all calls; a group is a call: a case's number and that of
    its size."""

    def __init__(self, entries, keys, names, columns):
        self.entries, self.keys, self.names = entries, list(keys), list(names)
        self.features, self.us, number, group = columns
        self.number, self.group = number.astype(int), group.astype(int)
        self.groups = [
            (entry, size) for entry in entries for size in range(len(entry["us"]))
        ]
        best = np.full(len(self.groups), np.inf)
        np.minimum.at(best, self.group, self.us)
        self.loss = self.us / best[self.group] - 1
        self.held = np.array([entry["held_out"] for entry, _ in self.groups])

    @staticmethod
    def ask(entries, fuse_opt, chip, jobs):
        """By the compiler that is here."""
        ask = functools.partial(_features_of, fuse_opt, chip)
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            found = list(pool.map(ask, entries))
        names = next(names for _, names, _ in found if names)
        rows, group = [], 0
        for entry, (_, _, features) in zip(entries, found):
            features = iter(features or ())
            for measured in entry["us"]:
                for (number, us), numbers in zip(measured, features):
                    rows.append((*numbers, us, number, group))
                group += 1
        table = np.array(rows, dtype=np.float32)
        keys = [key for key, _, _ in found]
        return Samples(entries, keys, names, (table[:, :-3], *table[:, -3:].T))

    def write(self, path):
        columns = (self.features, self.us, self.number, self.group)
        names = ("features", "us", "number", "group")
        texts = {"names": self.names, "keys": self.keys}
        np.savez_compressed(path, **texts, **dict(zip(names, columns)))

    @staticmethod
    def read(path, entries):
        """Of the same entries."""
        found = np.load(path)
        names = ("features", "us", "number", "group")
        columns = [found[name] for name in names]
        return Samples(entries, found["keys"], found["names"], columns)

    def rules(self):
        """The loss of what was chosen then, for each group; NaN if not measured."""
        losses = np.full(len(self.groups), np.nan)
        chosen = np.array([rule_of(entry, size) for entry, size in self.groups])
        mine = self.number == chosen[self.group]
        losses[self.group[mine]] = self.loss[mine]
        return losses


def moved_by(entry, size):
    rows = entry["sizes"][size][0]
    case = (entry["family"], entry["dtype"], rows, entry["columns"])
    return design_cases.case_of(*case).bytes


def rule_of(entry, size):
    """The number of the schedule that was chosen there when it was measured."""
    if "rules" in entry:
        return entry["rules"][size]
    return entry["chosen"][bucket_of(moved_by(entry, size))]


def main():
    measured, out = map(Path, sys.argv[1:3])
    entries = read_measured(measured, *sys.argv[3:])
    tool = shutil.which("fuse-opt") or "build/bin/fuse-opt"
    Samples.ask(entries, tool, "sm_90", os.cpu_count()).write(out)


if __name__ == "__main__":
    main()
