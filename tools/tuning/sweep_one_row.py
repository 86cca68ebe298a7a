#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of schedules of rows for products of one row that walk two rows of a weight together:
queries, keys and values with RoPE behind a norm, and gate and up.

As in compare_few_rows.py a call reads its weights from memory, in a graph over several, and
in the same rounds a kernel only reads them. Every result is checked against f64.

    sweep_one_row.py --out one-row-sweep.json --seconds 100   # on a GPU with torch
    sweep_one_row.py --list                                   # no GPU: the schedules
"""

import argparse
import dataclasses
import re
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools")]

from bench.compare_contractions import selected  # noqa: E402
from bench.compare_few_rows import weights_of  # noqa: E402
from bench.peers import contraction_cases  # noqa: E402
from tuning import sweep_few_rows  # noqa: E402

# Heads, heads of keys, elements of a row, and columns of gate and of up.
LAYERS = {
    "LLaMA-3 8B": (32, 8, 4096, 14336),
    "Qwen2.5 7B": (28, 4, 3584, 18944),
    "LLaMA-3 70B": (64, 8, 8192, 28672),
}
# What rounds the normalised row is off by more than one rounding of the result.
SLACK = 4
# Threads, rows of a block, and blocks that registers leave room for.
SHAPES = (
    *((64, 1, least) for least in (0, 8)),
    *((128, 1, least) for least in (0, 4, 8)),
    *((256, 1, least) for least in (0, 2, 4)),
    *((128, 2, 4), (256, 2, 2), (256, 2, 4)),
)
OTHERS = (
    "threads = 128, vector = 8, rows_per_block = 1, hold = loop",
    "threads = 256, vector = 8, rows_per_block = 1, hold = loop",
    "threads = 128, vector = 8, rows_per_block = 1, hold = registers, least_blocks = 4",
    "threads = 256, vector = 8, rows_per_block = 1, hold = registers, least_blocks = 2",
    "threads = 512, vector = 8, rows_per_block = 2, hold = registers",
)


def cases():
    for name, (heads, key_heads, k, inner) in LAYERS.items():
        of_layer = {
            "qkv": contraction_cases.qkv(1, heads, key_heads, k, norm=True),
            "gate+up": contraction_cases.swiglu(1, inner, k, scaled=False),
        }
        for layer, case in of_layer.items():
            yield dataclasses.replace(case, name=f"{name} {layer}")


def schedules():
    for threads, rows, least in SHAPES:
        bound = f", least_blocks = {least}" if least else ""
        yield (
            f"#fuse.rows<threads = {threads}, vector = 8, rows_per_block = {rows}, "
            f"hold = cache{bound}>"
        )
    for text in OTHERS:
        yield f"#fuse.rows<{text}>"


def with_names(text, program):
    """A scheduled program whose arguments have their names again, by which results say whose
    buffers they take."""
    names = re.findall(r"%(\w+): ", program.split("->", 1)[0])
    for number, name in enumerate(names):
        text = re.sub(rf"%arg{number}\b", f"%{name}", text)
    return text


def variants(case, chip):
    """Programs by the texts of their schedules, the chosen one first."""
    text = with_names(sweep_few_rows.scheduled(case, chip), case.program)
    chosen = sweep_few_rows.SCHEDULE.findall(text)
    return {
        schedule: sweep_few_rows.SCHEDULE.sub(lambda _: f"schedule = {schedule}", text)
        for schedule in dict.fromkeys([*chosen, *schedules()])
    }


def run_case(torch, measure, case, texts, seconds):
    count, calls = weights_of(case)
    sets = [measure.make_inputs(case, seed) for seed in range(count)]
    wide = [case.operands(torch, *each)[1].T.contiguous() for each in sets]
    row = sets[0][0]
    functions = {
        "cublas": [lambda w=w: torch.matmul(row, w.T) for w in wide],
        "read": [measure.read_all_of(w) for w in wide],
    }
    reference = measure.reference_of(case, sets[-1])
    for schedule, text in texts.items():
        program = sweep_few_rows.compile_one(text)
        if program is None:
            continue
        found = measure.as_tuple(program(*sets[-1]))
        _, wrong = measure.check(found, reference, SLACK)
        if wrong:
            raise SystemExit(f"expected right results of {schedule}, got {wrong} wrong")
        functions[schedule] = [lambda s=s, p=program: p(*s) for s in sets]
    times, failed = measure.GraphStopwatch(calls).run(functions, seconds)
    if failed:
        raise SystemExit(f"expected calls that can be captured, but got {failed}")
    return {name: each["median"] for name, each in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default="one-row-sweep.json")
    parser.add_argument("--only", default="", help="cases whose name has one of a,b,c")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--seconds", type=float, default=100, help="in all")
    parser.add_argument("--each", type=float, default=0.4, help="seconds of a case")
    parser.add_argument("--list", action="store_true", help="print the schedules")
    arguments = parser.parse_args()
    deadline = time.monotonic() + arguments.seconds
    found = selected(list(cases()), arguments.only)
    plan = [variants(case, arguments.chip) for case in found]
    sweep_few_rows.sweep(
        found, plan, arguments, deadline, run_case, sweep_few_rows.report
    )


if __name__ == "__main__":
    main()
