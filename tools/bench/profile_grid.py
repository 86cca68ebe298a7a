#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why cases of a grid are under their bar: Nsight Compute's counters of each.

    profile_grid.py results/grid.json.xz --out profiles --budget 300
    profile_grid.py grid.json --all --families layer_norm

Reads what compare_grid.py has measured, runs the cases under their bar (peers/bars.py)
or all that are chosen once more under ncu, all in one process, and writes the grid with
a "profile" (peers/counters.py) in those entries. What cannot be run stays as it was.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools")]

from bench.compare_grid import names_of  # noqa: E402
from bench.peers import bars, counters, grid, grid_report  # noqa: E402


def parse_arguments(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    families = [family.name for family in grid.FAMILIES]
    add("grid", type=Path, help="what compare_grid.py wrote")
    add("--out", type=Path, default=Path("profiles"), help="folder for the results")
    add("--budget", type=float, default=300, help="seconds for everything")
    add("--all", action="store_true", help="also those that reach their bar")
    add("--families", type=names_of(families), default=families)
    add("--sets", type=names_of(grid.SETS), default=list(grid.SETS))
    add("--ncu", default="ncu", help="the program")
    add("--run", type=Path, metavar="DONE", help=argparse.SUPPRESS)
    return parser.parse_args(words)


def chosen(entries, arguments):
    """The entries to profile: the farthest from their bar first."""
    missed = [found[0] for found in bars.under(entries)]
    rest = [each for each in entries if "fuse_us" in each and each not in missed]
    return [
        each
        for each in missed + (rest if arguments.all else [])
        if each["family"] in arguments.families and each["set"] in arguments.sets
    ]


def run_cases(arguments, entries):
    """Runs under ncu: one call of each case between two marks for the profiler, and
    {"key", "launches"} of each in the file that --run names."""
    import fuse_compiler as fuse
    import torch
    from bench.peers import measure

    end = time.monotonic() + arguments.budget
    cases = {case.key: case.case for case in grid.grid_cases()}
    done = []
    for entry in entries:
        if time.monotonic() > end:
            break
        key = grid_report.key_of(entry)
        case = cases[key]
        inputs = measure.make_inputs(case, seed=0)
        program = fuse.compile(case.program, target="cuda")
        program(*inputs)
        torch.cuda.synchronize()
        torch.cuda.cudart().cudaProfilerStart()
        program(*inputs)
        torch.cuda.synchronize()
        torch.cuda.cudart().cudaProfilerStop()
        done.append({"key": key, "launches": len(entry["schedule"].split("; "))})
        arguments.run.write_text(json.dumps(done))
        del inputs
        torch.cuda.empty_cache()


def with_profiles(entries, done, launches):
    """The entries, those that ran with their profile. A case is as many launches as its
    line says; those of a run that was cut short are left out."""
    profiles, first = {}, 0
    for case in done:
        family, name, dtype, shape = case["key"]
        own = launches[first : first + case["launches"]]
        first += case["launches"]
        if len(own) == case["launches"]:
            profiles[family, name, dtype, tuple(shape)] = own
    filled = []
    for entry in entries:
        own = profiles.get(grid_report.key_of(entry))
        if own:
            elements = 1
            for size in entry["shape"]:
                elements *= size
            profile = counters.profile_of(own, entry["bytes"], elements)
            entry = entry | {"profile": profile}
        filled.append(entry)
    return filled


def profile(arguments, entries):
    """The entries with profiles, by a process of its own under ncu."""
    with tempfile.TemporaryDirectory() as folder:
        log, done = Path(folder, "ncu.csv"), Path(folder, "done.json")
        done.write_text("[]")
        command = [arguments.ncu, *counters.options(), "--log-file", str(log)]
        command += [sys.executable, __file__, *sys.argv[1:], "--run", str(done)]
        status = subprocess.call(command)
        text = log.read_text() if log.exists() else ""
        launches = counters.read_launches(text)
        ran = json.loads(done.read_text())
    if not launches:
        said = [line for line in text.splitlines() if line.startswith("==ERROR==")]
        sys.exit(
            "profile_grid: expected counters from ncu, but it ended with "
            f"{status}: {' '.join(said)}; try it on a program with a GPU"
        )
    planned = sum(case["launches"] for case in ran)
    print(f"{len(ran)} cases, {len(launches)} of {planned} launches")
    return with_profiles(entries, ran, launches)


def main():
    arguments = parse_arguments()
    entries = grid_report.read_entries(arguments.grid)
    if arguments.run:
        run_cases(arguments, chosen(entries, arguments))
        return 0
    filled = profile(arguments, entries)
    arguments.out.mkdir(parents=True, exist_ok=True)
    grid_report.write(arguments.out, filled, {"gpu": filled[0]["gpu"]})
    print("\n".join(grid_report.missed_bars(filled)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
