#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of attention's schedules by wgmma and by mma.sync: what fit_streamed_model.py reads.

Of each case and each kind of instructions the model's first ways to share rows and keys, each
with tiles of 64 and of 128 keys and with two and three stages. Results are checked as in
compare_attention.py, whose clock this is.

    sweep_streamed.py --out streamed-sweep.json   # on a Hopper GPU with torch, two minutes
    sweep_streamed.py --only "1 query" --list     # no GPU: the schedules
"""

import argparse
import concurrent.futures
import json
import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools")]

from bench import compare_attention  # noqa: E402
from bench.peers import attention_cases  # noqa: E402
from tuning.schedule_text import number_in  # noqa: E402
from tuning.sweep_few_rows import (  # noqa: E402
    SCHEDULE,
    compile_into_cache,
    compile_one,
    run_tool,
    scheduled,
)

CHIP = "sm_90a"
# Whose candidates have one kind of instructions each.
CHIPS = (CHIP, "sm_90")
SHARINGS, KEYS, STAGES = 3, (64, 128), (2, 3)


def cases():
    """Few queries of long caches and many of short ones, what lies between, and prefill."""
    between = ((16, 32, 8, 16, 8192), (16, 32, 8, 64, 4096), (4, 32, 8, 256, 4096))
    prefill = [c for c in attention_cases.DENSE if c.tokens <= 8192 and not c.causal]
    few = tuple(attention_cases.decoded(*shape) for shape in between)
    return [*attention_cases.DECODED, *few, *prefill]


def sharing(schedule):
    return tuple(number_in(schedule, name) for name in ("consumers", "heads", "split"))


def candidates(case, chip):
    out = run_tool(
        "fuse",
        case.program,
        *f"inspect - --chip {chip} --emit=candidates --json".split(),
    )
    first = json.loads(out)["kernels"][0]
    return [each["schedule"] for each in first["candidates"]]


def schedules(case):
    chosen = []
    for chip in CHIPS:
        ranked = candidates(case, chip)
        known = list(dict.fromkeys(sharing(text) for text in ranked))[:SHARINGS]
        found = {}
        for text in ranked:
            tile = number_in(text, "tile_k"), number_in(text, "stages")
            if sharing(text) in known and tile[0] in KEYS and tile[1] in STAGES:
                found.setdefault((sharing(text), *tile), text)
        chosen += found.values()
    return chosen


def variants(case):
    """Programs by the texts of their schedules."""
    text = scheduled(case, CHIP)
    return {
        schedule: SCHEDULE.sub(lambda _: f"schedule = {schedule}", text, count=1)
        for schedule in schedules(case)
    }


def run_case(torch, case, texts):
    def random(heads, tokens):
        shape = (case.batch, heads, tokens, case.head)
        return torch.randn(*shape, device="cuda", dtype=torch.bfloat16)

    q = random(case.heads, case.queries)
    k, v = (random(case.key_heads, case.tokens) for _ in range(2))
    wanted = compare_attention.reference(torch, case, q, k, v, None)
    functions = {}
    for schedule, text in texts.items():
        program = compile_one(text)
        if program is None:
            print(f"{case.name}: not legal: {schedule}", flush=True)
            continue
        error = compare_attention.error_of(torch, case, program(q, k, v), wanted)
        if not error < compare_attention.LARGEST_ERROR:
            raise SystemExit(f"expected right results of {schedule}, got {error}")
        functions[schedule] = lambda program=program: program(q, k, v)
    return compare_attention.medians(torch, functions)


def report(case, times):
    best = {}
    for schedule, us in sorted(times.items(), key=lambda each: each[1]):
        best.setdefault(
            "wgmma" if "= wgmma" in schedule else "mma_sync", (us, schedule)
        )
    print(case.name, flush=True)
    for us, schedule in best.values():
        print(f"    {us:8.1f}  {schedule}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default="streamed-sweep.json")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--seconds", type=float, default=120, help="in all")
    parser.add_argument("--list", action="store_true", help="print the schedules")
    arguments = parser.parse_args()
    deadline = time.monotonic() + arguments.seconds
    chosen = [case for case in cases() if arguments.only in case.name]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        plan = list(pool.map(variants, chosen))
    if arguments.list:
        for case, texts in zip(chosen, plan, strict=True):
            print(f"{case.name}\n  " + "\n  ".join(texts))
        return
    compile_into_cache([text for texts in plan for text in texts.values()])
    print(f"compiled, {deadline - time.monotonic():.0f} s left", flush=True)
    import torch

    entries = []
    for case, texts in zip(chosen, plan, strict=True):
        if time.monotonic() > deadline:
            print(f"not run for lack of time: {case.name} and what follows")
            break
        entry = {"name": case.name, "us": run_case(torch, case, texts)}
        for name in ("batch", "heads", "key_heads", "queries", "tokens", "head"):
            entry[name] = getattr(case, name)
        entries.append(entry | {"gpu": torch.cuda.get_device_name()})
        Path(arguments.out).write_text(json.dumps(entries, indent=1))
        report(case, entry["us"])
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
