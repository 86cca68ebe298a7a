#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures several schedules of every kernel of the grid, on a GPU.

    tune_grid.py --out tuned --budget 300
    tune_grid.py --families softmax --dtypes bf16 --sets stream,square
    tuning_report.py tuned/tuned.json

The cases are those of compare_grid.py, in its order. What was measured is written to
tuned.json after every case, the winners to tuning.json; cases that fail have an `error`.
"""

import argparse
import json
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools")]

from bench.compare_grid import names_of  # noqa: E402
from bench.peers import grid  # noqa: E402


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    families = [family.name for family in grid.FAMILIES]
    add("--out", type=Path, default=Path("tuned"), help="folder for the results")
    add("--budget", type=float, default=540, help="seconds for everything")
    add("--families", type=names_of(families), default=[], help=", ".join(families))
    add("--dtypes", type=names_of(grid.DTYPES), default=["bf16", "f32"])
    # A graph's kernels are too short for the tuner's events.
    add("--sets", type=names_of(grid.SETS), default=["stream", "square"])
    return parser.parse_args()


def tune(case, tuning):
    """What was measured for one case, as `fuse bench --autotune` writes it."""
    import fuse_compiler as fuse

    shapes = [given.shape for given in case.case.inputs]
    name = f"{case.family} {case.dtype} {'x'.join(map(str, case.shape))}"
    try:
        program = fuse.compile(
            case.case.program, target="cuda", autotune=shapes, tuning=tuning
        )
    except fuse.Error as error:
        return {"name": name, "error": str(error)}
    return {"name": name, "tuning": program.tuning}


def main():
    arguments = parse_arguments()
    arguments.out.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + arguments.budget
    cases = grid.grid_cases(arguments.families, arguments.dtypes, arguments.sets)
    results = []
    for case in cases:
        if time.monotonic() > end:
            print(f"{len(cases) - len(results)} cases left out: no time")
            break
        results.append(tune(case, arguments.out / "tuning.json"))
        (arguments.out / "tuned.json").write_text(json.dumps(results, indent=1))
    return 1 if any("error" in result for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
