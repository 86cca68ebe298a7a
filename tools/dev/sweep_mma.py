#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of tensor cores' tiles for few rows, beside cuBLAS: what fit_mma_model.py reads.

The schedules of each product are the first candidates of the model, and tiles around
them: with K shared, with the operands swapped, with one warpgroup. Every result is
checked against f64; times are medians of interleaved rounds with a cold L2.

    sweep_mma.py --out mma-sweep.json --seconds 200   # on a GPU with torch
    sweep_mma.py --list                               # no GPU: the schedules
"""

import argparse
import datetime
import itertools
import json
import re
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools" / "dev")]

import fuse_compiler as fuse  # noqa: E402
from peers.contraction_cases import MODELS, product  # noqa: E402

ROWS = (16, 32, 64, 128, 256, 512, 1024)
FAMILIES = ("LLaMA-3 8B", "Qwen2.5 7B")
TILE_ROWS, TILE_COLUMNS = (64, 128, 256), (64, 128, 192, 256)
SPLITS = (1, 2, 4)
FIELDS = ("tile_m", "tile_n", "stages", "consumers", "persistent", "split_k")


def schedules(rows, multiprocessors=132):
    """Texts of #fuse.mma, without those that cannot win: half a tile is idle at most."""
    shapes = [
        (m, n, split, False)
        for m, n, split in itertools.product(TILE_ROWS, TILE_COLUMNS, SPLITS)
        if m <= max(64, rows) and m * n <= 128 * 256
    ]
    if rows <= 128:
        narrow = max(16, min(rows, 64))
        shapes += [(m, narrow, split, True) for m in (64, 128) for split in SPLITS]
    for m, n, split, swap in shapes:
        for consumers in (1, 2) if m == 64 else (2,):
            gathers = swap or split > 1
            clusters = {1: multiprocessors, 2: 66, 4: 32}[split]
            yield (
                f"#fuse.mma<isa = wgmma, tile_m = {m}, tile_n = {n}, tile_k = 64, "
                f"stages = STAGES, consumers = {consumers}, raster = 16, "
                f"store = {'direct' if gathers else 'tma'}, "
                f"persistent = {clusters * split if split > 1 else multiprocessors}, "
                f"split_k = {split}, swap = {str(swap).lower()}>"
            )


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


def with_most_stages(case, schedule, compile_program):
    """The program with as many stages as there is room for, and its schedule; None if
    none is legal."""
    for stages in (8, 7, 6, 5, 4, 3):
        text = schedule.replace("STAGES", str(stages))
        try:
            return compile_program(scheduled(case, text)), text
        except fuse.Error:
            continue
    return None


def described(schedule, microseconds):
    """An entry of a case's tiles."""
    numbers = {f: int(re.search(rf"{f} = (\d+)", schedule)[1]) for f in FIELDS}
    store = re.search(r"store = (\w+)", schedule)[1]
    swap = "swap = true" in schedule
    return {**numbers, "store": store, "swap": swap, "us": microseconds}


def cases():
    for family, rows in itertools.product(FAMILIES, ROWS):
        for layer, (n, k) in MODELS[family].items():
            yield family, layer, product(layer, "few rows", (rows, n, k))


def run_case(torch, measure, stopwatch, entry, case, seconds):
    inputs = measure.make_inputs(case, seed=0)
    reference = measure.reference_of(case, inputs)
    left, right = case.operands(torch, *inputs)
    functions = {"cublas": lambda: torch.matmul(left, right)}
    for schedule in schedules(case.shape[0]):
        made = with_most_stages(
            case, schedule, lambda text: fuse.compile(text, target="cuda")
        )
        if made is None:
            continue
        program, text = made
        _, wrong = measure.check(measure.as_tuple(program(*inputs)), reference)
        if wrong:
            raise SystemExit(f"expected right results of {text}, but got {wrong} wrong")
        functions[text] = lambda program=program: program(*inputs)
    times = {n: t["median"] for n, t in stopwatch.run(functions, seconds).items()}
    entry["cublas_us"] = times.pop("cublas")
    entry["tiles"] = [described(text, us) for text, us in times.items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default="mma-sweep.json", help="file for the times")
    parser.add_argument("--seconds", type=float, default=200, help="in all")
    parser.add_argument("--list", action="store_true", help="print the schedules")
    arguments = parser.parse_args()
    if arguments.list:
        for rows in ROWS:
            print(f"{rows} rows\n  " + "\n  ".join(schedules(rows)))
        return
    import torch
    from peers import measure

    deadline = time.monotonic() + arguments.seconds
    stopwatch, entries = measure.Stopwatch(), []
    for family, layer, case in cases():
        if time.monotonic() > deadline:
            print(f"not run for lack of time: {case.name} and what follows")
            break
        now = datetime.datetime.now(datetime.UTC)
        entry = {"family": family, "layer": layer, "shape": list(case.shape)}
        entry |= {"gpu": torch.cuda.get_device_name(), "date": now.isoformat()[:10]}
        run_case(torch, measure, stopwatch, entry, case, seconds=0.2)
        entries.append(entry)
        Path(arguments.out).write_text(json.dumps(entries, indent=1))
        best = min(tile["us"] for tile in entry["tiles"])
        print(f"{case.name:40} {entry['cublas_us'] / best:.3f} of cuBLAS", flush=True)


if __name__ == "__main__":
    main()
