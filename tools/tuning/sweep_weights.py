#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of schedules for weights of 8 and 4 bits beside rows.

Beside each product cuBLAS multiplies the same weights in bf16, and a kernel only reads those
of 8 or 4 bits. Times are medians of interleaved rounds, with a cold L2 and in a graph over
different weights, as compare_few_rows.py has them. Every result is checked against f64.

    sweep_weights.py --out weights-sweep.json --seconds 110   # on a GPU with torch
    sweep_weights.py --list                                   # no GPU: the schedules
"""

import argparse
import concurrent.futures
import json
import os
import re
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools")]

from bench.compare_contractions import SLACKS, selected  # noqa: E402
from bench.compare_few_rows import weights_of  # noqa: E402
from bench.peers.contraction_cases import MODELS  # noqa: E402
from bench.peers.quantized_cases import weights  # noqa: E402
from tuning import sweep_few_rows  # noqa: E402
from tuning.schedule_text import fields_of, number_in, several_rows_of  # noqa: E402

KINDS = (("int8", False), ("int4", True), ("f8", False))
# Schedules of a case: the model's first, and of each further kind its first.
FIRST, MOST = 2, 9


def cases(rows, families):
    for m in rows:
        for family in families:
            for layer, (n, k) in MODELS[family].items():
                for kind, grouped in KINDS:
                    yield weights(f"{family} {layer}", m, n, k, kind, grouped)


def kind_of(schedule):
    names = ("tile_m", "tile_k", "split_k", "consumers")
    if schedule.startswith("#fuse.rows"):
        names = ("threads", "vector", "rows_per_block", "rows_per_thread", "share")
        names += ("least_blocks",) if "rows_per_thread" in schedule else ()
        return tuple(fields_of(schedule).get(name) for name in names)
    swap = "swap = true" in schedule
    return (swap, *(number_in(schedule, name) for name in names))


def several_rows(schedule):
    """The schedule of rows with two and four of them a thread."""
    if not schedule.startswith("#fuse.rows") or "hold = registers" not in schedule:
        return
    rows, threads = (
        number_in(schedule, name) for name in ("rows_per_block", "threads")
    )
    for each in (2, 4):
        hold = f"hold = registers<rows_per_thread = {each}>"
        text = re.sub(r"hold = registers(<[^>]*>)?", hold, schedule)
        text = text.replace(
            f"rows_per_block = {rows}", f"rows_per_block = {rows * each}"
        )
        yield re.sub(
            r"least_blocks = \d+", f"least_blocks = {max(1, 512 // threads)}", text
        )


def of_product(kernels):
    """The kernel that multiplies, which another one may write weights for."""
    return next(
        (each for each in kernels if "#fuse.mma" in each["candidates"][0]["schedule"]),
        kernels[0],
    )


def variants(case, chip, most):
    """Programs by the texts of their schedules."""
    text = sweep_few_rows.scheduled(case, chip)
    inspected = sweep_few_rows.run_tool(
        "fuse",
        case.program,
        "inspect",
        "-",
        "--chip",
        chip,
        *("--emit=candidates", "--json"),
    )
    kernel = of_product(json.loads(inspected)["kernels"])
    ranked = [each["schedule"] for each in kernel["candidates"]]
    ranked[1:1] = several_rows(ranked[0])
    if case.shape[0] == 1:
        ranked[2:2] = several_rows_of(ranked[0], case.shape[2])
    name = ranked[0].split("<")[0]
    chosen, kinds = [], set()
    for schedule in ranked:
        if len(chosen) < min(FIRST, most) or kind_of(schedule) not in kinds:
            chosen.append(schedule)
            kinds.add(kind_of(schedule))

    def scheduled(schedule):
        return sweep_few_rows.SCHEDULE.sub(
            lambda found: f"schedule = {schedule}" if name in found[1] else found[0],
            text,
        )

    return {schedule: scheduled(schedule) for schedule in chosen[:most]}


def run_case(torch, measure, case, texts, seconds):
    count, calls = weights_of(case)
    sets = [measure.make_inputs(case, seed) for seed in range(count)]
    x = sets[0][0]
    sets = [(x, *rest) for _, *rest in sets]
    wide = [case.operands(torch, *each)[1] for each in sets]
    functions = {
        "cublas": [lambda w=w: torch.matmul(x, w) for w in wide],
        "read": [measure.read_all_of(weight) for _, weight, _ in sets],
    }
    reference = measure.reference_of(case, sets[-1])
    for schedule, text in texts.items():
        program = sweep_few_rows.compile_one(text)
        if program is None:
            print(f"not legal: {schedule}")
            continue
        found = measure.as_tuple(program(*sets[-1]))
        largest, wrong = measure.check(found, reference, SLACKS.get(case.set, 1))
        if wrong:
            size = float(reference[0].square().mean().sqrt())
            print(
                f"WRONG: {wrong} elements of {case.name} by {schedule}: off by up to "
                f"{largest / size:.5f} of the root mean square"
            )
            continue
        functions[schedule] = [lambda s=s, p=program: p(*s) for s in sets]
    cold = measure.Stopwatch().run(
        {name: each[0] for name, each in functions.items()}, seconds
    )
    graph, failed = measure.GraphStopwatch(calls).run(functions, seconds)
    if failed:
        print(f"not captured: {failed}")
    return {
        name: [cold[name]["median"], graph[name]["median"]]
        for name in functions
        if name in graph
    }


def report(case, times):
    """Microseconds in a graph and, in brackets, with a cold L2."""
    (cold, graph), read = times["cublas"], times["read"]
    print(
        f"{case.name}: cublas {graph:.2f} ({cold:.2f}), read {read[1]:.2f} ({read[0]:.2f})"
    )
    chosen = [(name, us) for name, us in times.items() if "#" in name]
    for number, (name, us) in enumerate(chosen):
        name = name.replace("isa = mma_sync, ", "").replace("store = direct, ", "")
        print(
            f"  {'*' if number == 0 else ' '} {us[1]:7.2f} ({us[0]:7.2f})  of cublas "
            f"{graph / us[1]:.2f} ({cold / us[0]:.2f}), of a read {read[1] / us[1]:.2f}  {name}",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default="weights-sweep.json")
    parser.add_argument("--rows", default="4,16,64")
    parser.add_argument("--families", default="LLaMA-3 8B")
    parser.add_argument("--only", default="", help="cases whose name has one of a,b,c")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--most", type=int, default=MOST, help="schedules of a case")
    parser.add_argument("--seconds", type=float, default=110, help="in all")
    parser.add_argument("--each", type=float, default=0.15, help="seconds of a case")
    parser.add_argument("--list", action="store_true", help="print the schedules")
    arguments = parser.parse_args()
    deadline = time.monotonic() + arguments.seconds
    rows = [int(each) for each in arguments.rows.split(",")]
    found = selected(list(cases(rows, arguments.families.split(","))), arguments.only)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        plan = list(
            pool.map(lambda case: variants(case, arguments.chip, arguments.most), found)
        )
    sweep_few_rows.sweep(found, plan, arguments, deadline, run_case, report)


if __name__ == "__main__":
    main()
