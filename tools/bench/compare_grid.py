#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fuse against everybody over families, row lengths and element types.

    compare_grid.py --out grid --budget 500              # what the GPU's time allows
    compare_grid.py --families softmax,rms_norm --dtypes bf16 --sets stream
    compare_grid.py --list                               # no GPU: the cases
    compare_grid.py --dry-run                            # no GPU: compile all programs
    compare_grid.py --plot results/grid.json.xz          # no GPU: a table and SVG files
    compare_grid.py --changed results/grid.json.xz       # no GPU: other schedules today

All competitors of a case run in one process on one GPU in interleaved rounds, and
results are checked against f64. A grid.json that is in the output folder is gone on
with: cases that it has are not measured again. What it holds: peers/grid_report.py.

The measuring process is started anew when it ends before its time, as it does when a
competitor loses the GPU or hangs; it is left out of that case then, as failed.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools")]

from bench.peers import ahead, blame, competitors, grid, grid_report  # noqa: E402

# Beyond this the machine is at fault.
MAX_STARTS = 8


def names_of(choices):
    """A type for argparse: names with commas between them, of `choices`."""

    def parse(text):
        names = [name for name in text.split(",") if name]
        unknown = [name for name in names if name not in choices]
        if unknown:
            raise argparse.ArgumentTypeError(
                f"expected some of {', '.join(choices)}, but got {', '.join(unknown)}"
            )
        return names

    return parse


def results(text):
    """A type for argparse: a grid.json that has been written."""
    path = Path(text)
    if not path.is_file():
        raise argparse.ArgumentTypeError(
            f"expected a grid.json that was written, but got '{text}', which is no file; "
            "measure one with --out, or name results/grid.json.xz"
        )
    return path


def parse_arguments(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    families = [family.name for family in (*grid.FAMILIES, *grid.CHAINS)]
    add("--out", default="grid", help="folder for the results")
    add("--budget", type=float, default=540, help="seconds for everything")
    add("--costly-seconds", type=float, default=200, help="for what compiles slowly")
    add(
        "--ahead",
        type=float,
        default=0,
        metavar="SECONDS",
        help="let torch.compile take part in all cases, for which all cores compile so long first",
    )
    add(
        "--warm",
        type=float,
        default=0,
        metavar="SECONDS",
        help="let all cores compile so long first what takes part anyway",
    )
    add("--seconds", type=float, default=0.1, help="of timing for a case")
    add("--families", type=names_of(families), default=[], help=", ".join(families))
    add("--dtypes", type=names_of(grid.DTYPES), default=list(grid.DTYPES))
    add("--sets", type=names_of(grid.SETS), default=list(grid.SETS))
    add(
        "--peers",
        type=names_of(competitors.NAMES),
        default=list(competitors.NAMES),
        help=", ".join(competitors.NAMES),
    )
    add("--seed", type=int, default=0)
    add("--list", action="store_true", help="only show the cases")
    add("--dry-run", action="store_true", help="only compile, for --chip")
    add("--chip", default="sm_90", help="of the dry run, and of what changed")
    add("--plot", type=results, metavar="GRID.json", help="only show what it holds")
    add("--changed", type=results, metavar="GRID.json", help="list what changed since")
    add("--measure", action="store_true", help=argparse.SUPPRESS)
    add("--part", default="", help=argparse.SUPPRESS)
    arguments = parser.parse_args(words)
    for name in ("ahead", "warm"):
        if getattr(arguments, name) < 0:
            parser.error(
                f"--{name}: expected 0 seconds or more, but got "
                f"{getattr(arguments, name):g}; leave it out to compile nothing ahead"
            )
    return arguments


def list_cases(cases):
    for case in cases:
        shape = "x".join(map(str, case.shape))
        mebibytes = case.case.bytes / (1 << 20)
        others = "all" if case.costly else "those that compile fast"
        print(
            f"{case.family:20} {case.dtype:5} {shape:20} {mebibytes:9.1f} MiB  "
            f"{case.timing:7} {others}"
        )
    print(f"{len(cases)} cases")


def dry_run(cases, chip):
    """Compiles all programs; the number of those that fail."""
    from bench.compare_peers import dry_run_problem

    failures, seen = 0, set()
    for case in cases:
        if case.case.program in seen:
            continue
        seen.add(case.case.program)
        problem = dry_run_problem(case.case.program, chip)
        if problem:
            print(f"{case.case.name:45} {problem}", flush=True)
        failures += (problem or "").startswith("does not compile")
    print(f"{len(seen)} programs, {failures} do not compile")
    return failures


def list_changed(entries, cases, chip):
    """Shows the entries whose case has another schedule than when it was measured; how
    many there are."""
    from bench.peers import schedules

    known = {case.key: case for case in cases}
    changed = 0
    for entry in entries:
        case = known.get(grid_report.key_of(entry))
        now = "; ".join(schedules.of_case(case, chip)) if case else "no such case"
        if now == entry["schedule"]:
            continue
        changed += 1
        print(f"{' '.join(map(str, grid_report.key_of(entry)))}")
        print(f"    was {entry['schedule']}")
        print(f"    is  {now}", flush=True)
    print(f"{changed} of {len(entries)} cases have another schedule")
    return changed


def compile_ahead(arguments, cases, folder):
    """One part of the cases to measure, in this process; its exit status."""
    entries = grid_report.read_entries(folder / "grid.json")
    part = ahead.part_of(grid_report.remaining(cases, entries), arguments.part)
    seconds = max(arguments.ahead, arguments.warm)
    everywhere = arguments.ahead > 0
    left = ahead.compile_part(
        part, arguments.peers, seconds, arguments.seed, everywhere
    )
    if left:
        print(f"ahead: {left} of {len(part)} cases of a part were not reached")
    return 0


def measure(arguments, cases, folder):
    from bench.compare_peers import commit
    from bench.peers.grid_run import GridRun

    return GridRun(arguments, cases, folder, commit()).run()


def show(entries, folder):
    """The table and the pictures of what was measured."""
    from bench.peers import plots

    table = folder / "grid.md"
    table.write_text(grid_report.markdown(entries, {"gpu": entries[0]["gpu"]}))
    for path in [table, *plots.draw(entries, folder)]:
        print(path)


def own_command():
    return [sys.executable, os.path.abspath(__file__), *sys.argv[1:]]


def supervise(folder, budget, start_process=subprocess.call, clock=time.monotonic):
    """Starts the measuring process until it ends by itself; its exit status."""
    blame.forget(folder)
    end = clock() + budget
    words = [*own_command(), "--measure"]
    for _ in range(MAX_STARTS):
        status = start_process([*words, "--budget", f"{end - clock():.0f}"])
        if not blame.is_unfinished(folder):
            return status
        print(f"ended with {status}; going on", file=sys.stderr, flush=True)
        if end - clock() < 20:
            break
    return 1


def main():
    arguments = parse_arguments()
    if arguments.plot:
        show(grid_report.read_entries(arguments.plot), Path(arguments.out))
        return 0
    cases = grid.grid_cases(arguments.families, arguments.dtypes, arguments.sets)
    if arguments.changed:
        entries = grid_report.read_entries(arguments.changed)
        list_changed(entries, cases, arguments.chip)
        return 0
    if arguments.list:
        list_cases(cases)
        return 0
    if arguments.dry_run:
        return 1 if dry_run(cases, arguments.chip) else 0
    folder = Path(arguments.out)
    folder.mkdir(parents=True, exist_ok=True)
    if arguments.part:
        return compile_ahead(arguments, cases, folder)
    if arguments.measure:
        return 1 if measure(arguments, cases, folder) else 0
    end = time.monotonic() + arguments.budget
    if arguments.ahead or arguments.warm:
        count = os.cpu_count()
        failed = ahead.run_parts(own_command(), count)
        if failed:
            print(f"ahead: {failed} of {count} parts failed", file=sys.stderr)
    return supervise(folder, end - time.monotonic())


if __name__ == "__main__":
    sys.exit(main())
