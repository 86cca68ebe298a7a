#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions on the CPU against NumPy, which calls its BLAS, in one process.

Rounds are interleaved, and a case's figure is the median of NumPy's time over
Fuse's in the same round: above 1 Fuse is faster. Results are compared before
anything is timed. bf16 and f16, which NumPy has no BLAS for, are compared with
its f32. `--cores one` gives both a single thread and counts its time on the CPU,
which others on the machine do not change; `--json` keeps what the file has of the
other number of cores.

    .venv/bin/python tools/bench/compare_cpu_contractions.py
    for cores in one all; do
      .venv/bin/python tools/bench/compare_cpu_contractions.py --cores $cores \\
        --json results/cpu-contractions.json.xz
    done; make docs
"""

import argparse
import json
import os
import pathlib
import platform
import re
import statistics
import sys
import time
from datetime import date

ONE_CORE = "--cores" in sys.argv and "one" in sys.argv
if ONE_CORE:
    os.environ.update(FUSE_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import ml_dtypes  # noqa: E402 - NumPy reads the number of threads once
import numpy as np  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools")]

import fuse_compiler as fuse  # noqa: E402 - found through the path above
from bench.peers import cpu_report, packed  # noqa: E402
from bench.peers.numpy_ops import gelu  # noqa: E402

DTYPES = {
    "f32": np.float32,
    "f64": np.float64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
}

#: Of the operands as they lie in memory: x W, x W^T, x^T W.
ORDERS = ("nn", "nt", "tn")

#: N and K of the layers of LLaMA-3 8B.
LAYERS = ((4096, 4096), (6144, 4096), (14336, 4096), (4096, 14336))


def cases():
    """Each is (set, order, dtype, rows, columns, summed, epilogue)."""
    for size in (256, 384, 512, 768, 1024, 1536, 2048):
        for order in ORDERS:
            yield "squares", order, "f32", size, size, size, ""
    for size in (500, 1000, 1023):
        for order in ORDERS:
            yield "odd sizes", order, "f32", size, size, size, ""
    for rows in (16, 1):
        for columns, summed in LAYERS:
            yield f"layers, {rows} rows", "nt", "f32", rows, columns, summed, ""
    for dtype in ("bf16", "f16", "f64"):
        for rows, size in ((1024, 1024), (16, 4096)):
            yield dtype, "nt", dtype, rows, size, size, ""
    for epilogue in ("bias_gelu", "residual", "swiglu"):
        yield "fused", "nt", "f32", 512, 1024, 1024, epilogue


def program_of(order, dtype, epilogue, sizes):
    rows, columns, summed = sizes
    x = f"{summed}x{rows}" if order[0] == "t" else f"{rows}x{summed}"
    w = f"{columns}x{summed}" if order[1] == "t" else f"{summed}x{columns}"
    x, w, y = (f"tensor<{shape}x{dtype}>" for shape in (x, w, f"{rows}x{columns}"))
    flags = ("transpose_lhs " if order[0] == "t" else "") + (
        "transpose_rhs " if order[1] == "t" else ""
    )
    product = f"%p = fuse.matmul %x, %w {flags}: {x}, {w} -> {y}"
    bodies = {
        "": ("", "%p"),
        "bias_gelu": (
            f"%q = fuse.add %p, %b : {y}, tensor<{columns}x{dtype}>\n%r = fuse.gelu tanh %q : {y}",
            "%r",
        ),
        "residual": (f"%r = fuse.add %p, %h : {y}, {y}", "%r"),
        "swiglu": (
            f"%u = fuse.matmul %x, %v {flags}: {x}, {w} -> {y}\n"
            f"%g = fuse.silu %p : {y}\n%r = fuse.mul %g, %u : {y}, {y}",
            "%r",
        ),
    }
    more = {
        "": "",
        "bias_gelu": f", %b: tensor<{columns}x{dtype}>",
        "residual": f", %h: {y}",
        "swiglu": f", %v: {w}",
    }[epilogue]
    body, result = bodies[epilogue]
    return f"func.func @product(%x: {x}, %w: {w}{more}) -> {y} {{\n{product}\n{body}\nreturn {result} : {y}\n}}"


def operands_of(order, dtype, epilogue, sizes):
    rows, columns, summed = sizes
    random = np.random.default_rng(0)

    def make(*shape):
        wide = random.standard_normal(shape, dtype=np.float32)
        return wide.astype(DTYPES[dtype])

    x = make(summed, rows) if order[0] == "t" else make(rows, summed)
    w = make(columns, summed) if order[1] == "t" else make(summed, columns)
    more = {
        "": lambda: [],
        "bias_gelu": lambda: [make(columns)],
        "residual": lambda: [make(rows, columns)],
        "swiglu": lambda: [make(*w.shape)],
    }[epilogue]()
    return [x, w, *more]


def numpy_of(order, epilogue):
    def product(x, w):
        return (x.T if order[0] == "t" else x) @ (w.T if order[1] == "t" else w)

    def swiglu(x, w, v):
        gate = product(x, w)
        return gate * (1 + np.tanh(gate / 2)) / 2 * product(x, v)

    return {
        "": product,
        "bias_gelu": lambda x, w, b: gelu(product(x, w) + b),
        "residual": lambda x, w, h: product(x, w) + h,
        "swiglu": swiglu,
    }[epilogue]


def measure(function):
    clock = time.thread_time if ONE_CORE else time.perf_counter
    start = clock()
    function()
    return clock() - start


def compare(case, seconds):
    _, order, dtype, *sizes, epilogue = case
    operands = operands_of(order, dtype, epilogue, sizes)
    start = time.perf_counter()
    program = fuse.compile(
        program_of(order, dtype, epilogue, sizes), target="cpu", cache=False
    )
    out = program(*operands)
    first = time.perf_counter() - start
    start = time.perf_counter()
    program(*operands)
    compiled = first - (time.perf_counter() - start)
    known = [
        operand if dtype == "f64" else operand.astype(np.float32)
        for operand in operands
    ]
    reference = numpy_of(order, epilogue)
    expected = reference(*known)
    scale = np.abs(expected).max()
    error = np.abs(out.astype(expected.dtype) - expected).max() / scale
    tolerance = {"f32": 1e-5, "f64": 1e-13, "f16": 2e-3, "bf16": 1e-2}[dtype]
    if not error <= tolerance:
        raise SystemExit(
            f"expected {case} to agree with NumPy to {tolerance}, but got {error}"
        )
    pairs = []
    stop = time.perf_counter() + seconds
    while time.perf_counter() < stop or len(pairs) < 5:
        pairs.append(
            (
                measure(lambda: program(*operands, out=out)),
                measure(lambda: reference(*known)),
            )
        )
    return {
        "case": list(case),
        "cores": "one" if ONE_CORE else "all",
        "fuse": statistics.median(ours for ours, _ in pairs),
        "numpy": statistics.median(theirs for _, theirs in pairs),
        "ratio": statistics.median(theirs / ours for ours, theirs in pairs),
        "rounds": len(pairs),
        "error": float(error),
        "compile": compiled,
        "schedule": program.kernels[0].schedule,
    }


def machine():
    """The CPU's name, where the system says it."""
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        text = ""
    found = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    return found[1] if found else platform.machine()


def write(path, found):
    """Beside what is there of the other number of cores."""
    kept = packed.read_json(path)["cases"] if path.exists() else []
    measured = {entry["cores"] for entry in found}
    setting = {
        "machine": machine(),
        "cores": len(os.sched_getaffinity(0)),
        "numpy": np.__version__,
        "date": date.today().isoformat(),
    }
    cases = [entry for entry in kept if entry["cores"] not in measured] + found
    text = json.dumps({"setting": setting, "cases": cases}, indent=1)
    packed.write_text(path, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument(
        "--seconds", type=float, default=0.6, help="for the rounds of a case"
    )
    parser.add_argument("--cores", choices=("one", "all"), default="all")
    parser.add_argument("--only", default="", help="the part of a set's name")
    parser.add_argument(
        "--json", type=pathlib.Path, help="where to write what was measured"
    )
    options = parser.parse_args()
    found = []
    for case in cases():
        if options.only not in " ".join(map(str, case)):
            continue
        entry = compare(case, options.seconds)
        found.append(entry)
        print(
            f"{case[0]:18} {cpu_report.shape_of(case):34} {entry['fuse'] * 1e3:9.3f} ms  NumPy "
            f"{entry['numpy'] * 1e3:9.3f} ms  {entry['ratio']:.2f}",
            flush=True,
        )
    print()
    print("\n".join(cpu_report.table({"cases": found})))
    if options.json:
        write(options.json, found)


if __name__ == "__main__":
    main()
