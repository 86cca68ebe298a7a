#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How good the schedules are that the compiler chooses without measuring.

    tune_grid.py --out tuned
    tuning_report.py tuned/tuned.json [--within 3]

For each kernel the time of the unmeasured choice over that of the fastest schedule
that was tried, as a table in Markdown, worst first; then how many are within 3%.
"""

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Result:
    """One kernel of one case."""

    case: str
    chosen: str
    best: str
    chosen_us: float
    best_us: float
    trials: int

    @property
    def ratio(self) -> float:
        return self.chosen_us / self.best_us


def read_results(path: Path) -> tuple[list[Result], list[str]]:
    """The kernels with a choice, and the names of the cases that failed."""
    results, failed = [], []
    for case in json.loads(path.read_text()):
        if "tuning" not in case:
            failed.append(case["name"])
        for kernel in case.get("tuning", []):
            trials = [trial for trial in kernel["trials"] if not trial["spills"]]
            if len(trials) < 2 or min(trial["us"] for trial in trials) <= 0:
                continue
            chosen = kernel["trials"][0]
            best = min(trials, key=lambda trial: trial["us"])
            results.append(
                Result(
                    f"{case['name']}: {kernel['kernel']}",
                    chosen["schedule"],
                    best["schedule"],
                    chosen["us"],
                    best["us"],
                    len(trials),
                )
            )
    return results, failed


def format_report(results: list[Result], failed: list[str], within: float) -> str:
    lines = [
        "| kernel | chosen us | best us | ratio | chosen | best |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for result in sorted(results, key=lambda result: -result.ratio):
        same = result.chosen == result.best
        lines.append(
            f"| {result.case} | {result.chosen_us:.2f} | {result.best_us:.2f} "
            f"| {result.ratio:.3f} | `{result.chosen}` "
            f"| {'the same' if same else f'`{result.best}`'} |"
        )
    good = sum(result.ratio <= 1 + within / 100 for result in results)
    share = 100 * good / len(results) if results else 0
    lines += ["", f"{good} of {len(results)} choices ({share:.0f}%) are within {within:g}% of "
              "the fastest schedule tried."]  # fmt: skip
    if failed:
        lines.append(f"Not tuned: {', '.join(failed)}.")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--within", type=float, default=3, metavar="PERCENT")
    options = parser.parse_args()
    results, failed = read_results(options.file)
    print(format_report(results, failed, options.within))
    return 0 if results and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
