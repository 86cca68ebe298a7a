#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of tensor cores' schedules against cuBLAS: what fit_mma_model.py reads.

The schedules of each product are the model's first ones, and then the first of each
kind (tile rows, split of K, swap, cluster) that the model does not find much slower.
Every result is checked against f64; times are medians of interleaved rounds, with a cold
L2 and in a CUDA graph of many calls. Schedules compile in as many processes as there are
cores, into the cache.

    sweep_mma.py --out mma-sweep.json --seconds 200   # on a GPU with torch
    sweep_mma.py --only "Qwen2.5 7B o" --list         # no GPU: the schedules
    sweep_mma.py --chip sm_90                         # mma.sync, as other chips have it
"""

import argparse
import concurrent.futures
import datetime
import itertools
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
from bench.compare_contractions import calls_in_a_graph  # noqa: E402
from bench.peers.contraction_cases import MODELS, ODD_SHAPES, product  # noqa: E402
from tuning.schedule_text import number_in  # noqa: E402

ROWS = (8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
FAMILIES = ("LLaMA-3 8B", "Qwen2.5 7B")
# The model's first, and how much slower than the first others may be by it.
FIRST, SLOWER = 24, 1.8
FIELDS = ("tile_m", "tile_n", "stages", "consumers", "persistent")
CLUSTERS = ("split_k", "cluster_m", "cluster_n")


def kind(schedule):
    clusters = (number_in(schedule, name) for name in CLUSTERS)
    return number_in(schedule, "tile_m"), "swap = true" in schedule, *clusters


def candidates(case, chip):
    """All schedules of a product and the model's microseconds, the first first."""
    command = [tool(), "inspect", "-", "--chip", chip, "--emit=candidates", "--json"]
    done = subprocess.run(
        command, input=case.program, capture_output=True, text=True, check=True
    )
    (kernel,) = json.loads(done.stdout)["kernels"]
    return [
        (each["schedule"], each["us"])
        for each in kernel["candidates"]
        if each["schedule"].startswith("#fuse.mma")
    ]


def tool():
    return shutil.which("fuse") or str(ROOT / "build" / "bin" / "fuse")


def schedules(case, chip):
    ranked = candidates(case, chip)
    chosen = [text for text, _ in ranked[:FIRST]]
    kinds = {kind(text) for text in chosen}
    for text, predicted in ranked:
        if predicted <= SLOWER * ranked[0][1] and kind(text) not in kinds:
            kinds.add(kind(text))
            chosen.append(text)
    return chosen


def scheduled(case, schedule):
    """The case's program as a kernel with that schedule."""
    m, n, k = case.shape
    x, w, y = (f"tensor<{a}x{b}xbf16>" for a, b in ((m, k), (n, k), (m, n)))
    return (
        f"func.func @product(%x: {x}, %w: {w}) -> {y} {{\n"
        f'  %y = fuse.kernel "product" ins(%x, %w : {x}, {w}) -> {y} schedule = '
        f"{schedule} {{\n  ^bb0(%a: {x}, %b: {w}):\n"
        f'    %p = fuse.contract "mk,nk->mn" %a, %b : {x}, {w} -> {y}\n'
        f"    fuse.yield %p : {y}\n  }}\n  return %y : {y}\n}}\n"
    )


def described(schedule, cold, warm):
    """An entry of a case's tiles."""
    numbers = {name: number_in(schedule, name) for name in (*FIELDS, *CLUSTERS)}
    store = re.search(r"store = (\w+)", schedule)[1]
    swap = "swap = true" in schedule
    return {**numbers, "store": store, "swap": swap, "us": cold, "warm_us": warm}


def cases(only):
    """What matters most first."""
    shapes = [
        (family, layer, (rows, n, k))
        for rows, family in itertools.product(ROWS, FAMILIES)
        for layer, (n, k) in MODELS[family].items()
    ]
    shapes += [("odd sizes", "odd", shape) for shape in ODD_SHAPES if shape[2] % 8 == 0]
    patterns = [pattern for pattern in only.split(",") if pattern]
    for family, layer, shape in shapes:
        case = product(f"{family} {layer}", "sweep", shape)
        if not patterns or any(pattern in case.name for pattern in patterns):
            yield family, layer, case


def compile_all(plan):
    """Into the cache, by other processes."""
    programs = [scheduled(case, text) for _, _, case, texts in plan for text in texts]
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(compile_one, programs, chunksize=4))


def compile_one(program):
    fuse.compile(program, target="cuda")


def run_case(torch, measure, entry, case, texts, seconds):
    inputs = measure.make_inputs(case, seed=0)
    reference = measure.reference_of(case, inputs)
    left, right = case.operands(torch, *inputs)
    functions = {"cublas": lambda: torch.matmul(left, right)}
    for text in texts:
        program = fuse.compile(scheduled(case, text), target="cuda")
        _, wrong = measure.check(measure.as_tuple(program(*inputs)), reference)
        if wrong:
            raise SystemExit(f"expected right results of {text}, but got {wrong} wrong")
        functions[text] = lambda program=program: program(*inputs)
    cold = measure.Stopwatch().run(functions, seconds)
    warm, failed = measure.GraphStopwatch(calls_in_a_graph(case)).run(
        {name: [function] for name, function in functions.items()}, seconds
    )
    if failed:
        raise SystemExit(f"expected calls that can be captured, but got {failed}")
    entry["cublas_us"] = cold["cublas"]["median"]
    entry["cublas_warm_us"] = warm["cublas"]["median"]
    entry["tiles"] = [
        described(text, cold[text]["median"], warm[text]["median"]) for text in texts
    ]


def line(entry):
    parts = [f"{entry['layer']:8} {'x'.join(map(str, entry['shape'])):18}"]
    for key, library in (("us", "cublas_us"), ("warm_us", "cublas_warm_us")):
        times = [tile[key] for tile in entry["tiles"]]
        best = min(times)
        parts.append(
            f"{entry[library] / best:.2f} of cuBLAS, first {best / times[0]:.2f}"
        )
    best = min(entry["tiles"], key=lambda tile: tile["warm_us"])
    numbers = {
        k: v for k, v in best.items() if not k.endswith("us") and v not in (1, False)
    }
    return "  ".join(parts) + f"  {numbers}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default="mma-sweep.json", help="file for the times")
    parser.add_argument("--seconds", type=float, default=200, help="in all")
    parser.add_argument("--only", default="", help="cases whose name has one of a,b,c")
    parser.add_argument("--list", action="store_true", help="print the schedules")
    parser.add_argument("--chip", default="sm_90a", help="whose schedules")
    arguments = parser.parse_args()
    deadline = time.monotonic() + arguments.seconds
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        chosen = list(cases(arguments.only))
        texts = pool.map(lambda each: schedules(each[2], arguments.chip), chosen)
        plan = [(*each, found) for each, found in zip(chosen, texts, strict=True)]
    if arguments.list:
        for _, _, case, found in plan:
            print(f"{case.name}\n  " + "\n  ".join(found))
        return
    compile_all(plan)
    print(f"compiled, {deadline - time.monotonic():.0f} s left", flush=True)
    import torch
    from bench.peers import measure

    entries = []
    for family, layer, case, found in plan:
        if time.monotonic() > deadline:
            print(f"not run for lack of time: {case.name} and what follows")
            break
        now = datetime.datetime.now(datetime.UTC)
        entry = {"family": family, "layer": layer, "shape": list(case.shape)}
        entry |= {"gpu": torch.cuda.get_device_name(), "date": now.isoformat()[:10]}
        run_case(torch, measure, entry, case, found, seconds=0.2)
        entries.append(entry)
        Path(arguments.out).write_text(json.dumps(entries, indent=1))
        print(line(entry), flush=True)
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
