#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of all schedules for products of few rows, in a graph over different weights.

Of each product the schedules are the model's first ones, the first of each kind, and the
same with longer steps of the summed axis. As in compare_few_rows.py a call reads its weight
from memory and starts while the one ahead ends; in the same rounds cuBLAS multiplies, and a
kernel only reads. Every result is checked against f64.

    sweep_few_rows.py --out few-rows-sweep.json --seconds 100   # on a GPU with torch
    sweep_few_rows.py --rows 1 --only "Qwen2.5 7B qkv" --list   # no GPU: the schedules
    sweep_few_rows.py --wide --only "f64,f32 16x"               # f32 and f64, all tiles
"""

import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools")]

import fuse_compiler as fuse  # noqa: E402
from bench.compare_contractions import selected  # noqa: E402
from bench.compare_few_rows import weights_of  # noqa: E402
from bench.peers import contraction_cases  # noqa: E402
from tuning.schedule_text import PATTERN, number_in, several_rows_of  # noqa: E402

SCHEDULE = re.compile(rf"schedule = ({PATTERN})")
# The model's first, those of another kind that are taken beside them, and the most in all.
FIRST, KINDS, MOST = 6, 8, 22
# Places of a step of the summed axis, and the bytes of slots that fit beside the rest.
STEPS, SLOT_BYTES = (128, 256), 200 * 1024


def tool(name):
    return shutil.which(name) or str(ROOT / "build" / "bin" / name)


def run_tool(name, program, *options):
    return subprocess.run(
        [tool(name), *options],
        input=program,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def kind(schedule):
    names = ("tile_m", "tile_n", "split_k", "threads", "rows_per_block")
    if "#fuse.mma" in schedule:
        names = ("tile_m", "split_k")
    return tuple(number_in(schedule, name) for name in names)


def longer_steps(schedule):
    """The schedule with steps of more places, and as many slots as there is room for."""
    if not schedule.startswith("#fuse.mma") or "swap = true" not in schedule:
        return
    row_bytes = 2 * (number_in(schedule, "tile_m") + number_in(schedule, "tile_n"))
    for places in STEPS:
        stages = min(16, SLOT_BYTES // (row_bytes * places))
        if stages >= 3:
            text = schedule.replace("tile_k = 64", f"tile_k = {places}")
            yield re.sub(r"stages = \d+", f"stages = {stages}", text)


def schedules(case, chip):
    out = run_tool(
        "fuse",
        case.program,
        "inspect",
        "-",
        "--chip",
        chip,
        "--emit=candidates",
        "--json",
    )
    (kernel,) = json.loads(out)["kernels"]
    ranked = [each["schedule"] for each in kernel["candidates"]]
    chosen = ranked[:FIRST]
    kinds = {kind(text) for text in chosen}
    for text in ranked[FIRST:]:
        if kind(text) not in kinds and len(chosen) < FIRST + KINDS:
            kinds.add(kind(text))
            chosen.append(text)
    chosen += [longer for text in chosen[:FIRST] for longer in longer_steps(text)]
    chosen = list(dict.fromkeys(chosen))[:MOST]
    return list(dict.fromkeys([*chosen, *several_rows_of(ranked[0], case.shape[2])]))


def scheduled(case, chip):
    """The case's program as a kernel with a schedule."""
    return run_tool(
        "fuse-opt",
        case.program,
        f"-fuse-form=chip={chip}",
        f"-fuse-schedule=chip={chip}",
        "-",
    )


def compile_one(text):
    """None where the schedule is not legal."""
    try:
        return fuse.compile(text, target="cuda")
    except fuse.Error:
        return None


def variants(case, chip):
    """Programs by the texts of their schedules."""
    text = scheduled(case, chip)
    return {
        schedule: SCHEDULE.sub(lambda _: f"schedule = {schedule}", text)
        for schedule in schedules(case, chip)
    }


def compile_into_cache(texts):
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(can_compile, texts, chunksize=2))


def can_compile(text):
    return compile_one(text) is not None


def run_case(torch, measure, case, texts, seconds):
    count, calls = weights_of(case)
    sets = [measure.make_inputs(case, seed) for seed in range(count)]
    x = sets[0][0]
    sets = [(x, *rest) for _, *rest in sets]
    m, n, _ = case.shape
    out = torch.empty(m, n, device="cuda", dtype=x.dtype)
    functions = {
        "cublas": [lambda w=w: torch.matmul(x, w.T, out=out) for _, w in sets],
        "read": [measure.read_all_of(weight) for _, weight in sets],
    }
    reference = measure.reference_of(case, sets[-1])
    for schedule, text in texts.items():
        program = compile_one(text)
        if program is None:
            continue
        found = measure.as_tuple(program(*sets[-1]))
        _, wrong = measure.check(found, reference)
        if wrong:
            raise SystemExit(f"expected right results of {schedule}, got {wrong} wrong")
        functions[schedule] = [lambda s=s, p=program: p(*s) for s in sets]
    times, failed = measure.GraphStopwatch(calls).run(functions, seconds)
    if failed:
        raise SystemExit(f"expected calls that can be captured, but got {failed}")
    return {name: each["median"] for name, each in times.items()}


def is_wide(case):
    """cuBLAS multiplies with the transposed weight here."""
    return case.set == "wide floats" and "x W" not in case.name


def report(case, times):
    read = times["read"]
    ranked = sorted((us, name) for name, us in times.items() if "#" in name)
    chosen = next(us for name, us in times.items() if "#" in name)
    print(
        f"{case.name}: read {read:.2f} us, cublas {times['cublas']:.2f}, chosen "
        f"{chosen:.2f} ({read / chosen:.2f} of a read), fastest {ranked[0][0]:.2f} "
        f"({read / ranked[0][0]:.2f})",
        flush=True,
    )
    for us, name in ranked[:6]:
        print(f"    {us:7.2f}  {name}", flush=True)


def sweep(cases, plan, arguments, deadline, run_case, report):
    """Lists the schedules of each case, or measures them until the deadline.

    plan  of each case, its programs by schedule
    """
    if arguments.list:
        for case, texts in zip(cases, plan, strict=True):
            print(f"{case.name}\n  " + "\n  ".join(texts))
        return
    compile_into_cache([text for texts in plan for text in texts.values()])
    print(f"compiled, {deadline - time.monotonic():.0f} s left", flush=True)
    import torch
    from bench.peers import measure

    entries = []
    for case, texts in zip(cases, plan, strict=True):
        if time.monotonic() > deadline:
            print(f"not run for lack of time: {case.name} and what follows")
            break
        times = run_case(torch, measure, case, texts, arguments.each)
        entries.append(
            {"name": case.name, "shape": list(case.shape), "us": times}
            | {"gpu": torch.cuda.get_device_name()}
        )
        Path(arguments.out).write_text(json.dumps(entries, indent=1))
        report(case, times)
        torch.cuda.empty_cache()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default="few-rows-sweep.json")
    parser.add_argument("--rows", default="1,8,16")
    parser.add_argument("--wide", action="store_true", help="products of f32 and f64")
    parser.add_argument("--only", default="", help="cases whose name has one of a,b,c")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--seconds", type=float, default=100, help="in all")
    parser.add_argument("--each", type=float, default=0.6, help="seconds of a case")
    parser.add_argument("--list", action="store_true", help="print the schedules")
    arguments = parser.parse_args()
    deadline = time.monotonic() + arguments.seconds
    rows = [int(each) for each in arguments.rows.split(",")]
    cases = contraction_cases.decoding_cases(rows)
    if arguments.wide:
        cases = [case for case in contraction_cases.all_cases() if is_wide(case)]
    cases = selected(cases, arguments.only)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        plan = list(pool.map(lambda case: variants(case, arguments.chip), cases))
    sweep(cases, plan, arguments, deadline, run_case, report)


if __name__ == "__main__":
    main()
