#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions on tensor cores against cuBLAS, cuBLASLt and torch, in one process.

Every case runs on random inputs, is checked against f64, and is timed by CUDA events in
interleaved rounds, with a cold L2 and back to back, in a CUDA graph of many calls. Results
are written after each case, and a run on a folder that has some goes on with the others.

    compare_contractions.py --out contractions --budget 300
    compare_contractions.py --only fused,odd --compile
    compare_contractions.py --chip sm_90     # by mma.sync, as other chips have it
    compare_contractions.py --only "weights in tiles"  # 8 and 4 bits, 16 to 4096 rows
    compare_contractions.py --list           # no GPU
    compare_contractions.py --dry-run        # no GPU: compile all programs for sm_90a
"""

import argparse
import datetime
import json
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools")]

import fuse_compiler as fuse  # noqa: E402
from bench.compare_peers import commit  # noqa: E402
from bench.peers import contraction_cases, quantized_cases  # noqa: E402

# Calls in a graph of a function that is timed back to back: so many that a graph takes some
# MOST_OPERATIONS, since each call keeps its results.
FEWEST_CALLS, MOST_CALLS, MOST_OPERATIONS = 4, 32, 2e12
# What is fused rounds to 16 bits in between, in torch as in Fuse, so that its error is one
# of larger values, and cancellation may leave it.
FUSED_SLACK = 8
# TF32 is off by up to 2^-10 of each factor, 32-bit floats by 2^-24.
TF32_SLACK = 300
# Sets of products of 16-bit floats, which QuACK has.
PRODUCTS = {
    *("layers", "few rows", "one row", "unknown rows", "orders", "odd sizes"),
    "decoding",
}
# Also sums that Hopper's tensor cores keep with few bits. Dequantised weights are rounded to
# bf16, all of them, by which a result is off by 0.1% of a usual one on average, and a few of
# a million by five times as much.
SLACKS = {
    "fused": FUSED_SLACK,
    "tf32": TF32_SLACK,
    "f8": FUSED_SLACK,
    "block scales": FUSED_SLACK,
    "weights": 2 * FUSED_SLACK,
    "weights in tiles": 2 * FUSED_SLACK,
}


def add_options(parser, folder, budget):
    """The options of every Comparison."""
    parser.add_argument("--out", default=folder, help="folder for the results")
    parser.add_argument("--budget", type=float, default=budget, help="seconds in all")
    parser.add_argument("--seconds", type=float, default=0.15, help="of timing a case")
    parser.add_argument(
        "--only", default="", help="cases whose set or name contains one of a,b,c"
    )
    parser.add_argument(
        "--compile",
        action="store_true",
        help="torch.compile with max-autotune, too, which takes long",
    )
    parser.add_argument(
        "--quack",
        choices=("default", "tuned"),
        help="QuACK's GEMM, too, of products alone: as it is, or after its autotuning",
    )
    parser.add_argument("--dry-run", action="store_true", help="only compile")
    parser.add_argument(
        "--chip",
        help="whose kernels: the device's, or of a dry run sm_90a's; those of sm_90 multiply "
        "by mma.sync",
    )


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser, folder="contractions", budget=540)
    parser.add_argument("--list", action="store_true", help="print the cases")
    return parser.parse_args()


def all_cases():
    return (*contraction_cases.all_cases(), *quantized_cases.all_cases())


def selected(cases, only):
    """Those whose set or name contains one of a,b,c; all where there is none."""
    patterns = [pattern for pattern in only.split(",") if pattern]
    return [
        case
        for case in cases
        if not patterns or any(p in case.set or p in case.name for p in patterns)
    ]


def calls_in_a_graph(case):
    return max(FEWEST_CALLS, min(MOST_CALLS, int(MOST_OPERATIONS / case.flops)))


def has_tensor_cores(case, kernels):
    """Whether a kernel has them; a row times a matrix has no need, nor has exact f32."""
    is_exact = case.set == "wide floats" and case.dtype == "f32"
    if case.shape[0] == 1 or is_exact:
        return True
    return any("#fuse.mma" in k.schedule for k in kernels)


def dry_run(cases, chip):
    """Compiles every program; the number of those without tensor cores."""
    failures = 0
    for case in cases:
        try:
            kernels = fuse.inspect(case.program, chip=chip or "sm_90a").kernels
            problem = None if has_tensor_cores(case, kernels) else "no tensor cores"
            said = problem or f"{len(kernels)} kernels"
        except fuse.Error as error:
            said = problem = f"does not compile: {error}"
        failures += problem is not None
        print(f"{case.name:50} {said}", flush=True)
    return failures


class Comparison:
    """The run on a GPU."""

    file_name = "contractions.json"

    def __init__(self, arguments):
        import torch
        from bench.peers import measure

        self.torch, self.measure, self.arguments = torch, measure, arguments
        self.deadline = time.monotonic() + arguments.budget
        self.path = Path(arguments.out) / self.file_name
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.entries = json.loads(self.path.read_text()) if self.path.exists() else []
        self.cold = measure.Stopwatch()

    def run(self):
        known = {entry["name"] for entry in self.entries}
        for case in self.cases():
            if case.name in known or time.monotonic() > self.deadline:
                continue
            entry = self.run_case(case)
            self.entries.append(entry)
            self.path.write_text(json.dumps(self.entries, indent=1))
            print(self.line(entry), flush=True)
            self.torch.cuda.empty_cache()
        return self.entries

    def cases(self):
        return selected(all_cases(), self.arguments.only)

    def line(self, entry):
        return line(entry)

    def new_entry(self, case):
        torch = self.torch
        return {
            "name": case.name,
            "set": case.set,
            "shape": case.shape,
            "dtype": case.dtype,
            "flops": case.flops,
            "bytes": case.bytes_read,
            "gpu": torch.cuda.get_device_name(),
            "torch": torch.__version__,
            "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "commit": commit(),
            "errors": {},
        }

    def run_case(self, case):
        entry = self.new_entry(case)
        inputs = self.measure.make_inputs(case, seed=0)
        functions = self.functions(case, inputs, entry)
        seconds = self.arguments.seconds
        entry["cold"] = self.cold.run(functions, seconds)
        graphs = self.measure.GraphStopwatch(calls_in_a_graph(case))
        entry["warm"], failed = graphs.run(
            {name: [function] for name, function in functions.items()}, seconds
        )
        entry["errors"] |= {name: {"failed": text} for name, text in failed.items()}
        return entry

    def functions(self, case, inputs, entry):
        """What is timed, by name; products alone are not checked."""
        reference = self.measure.reference_of(case, inputs)
        functions = self.products(case, inputs)
        for name, function in self.candidates(case, entry).items():
            try:
                found, functions[name] = self.checked(case, function, inputs, reference)
            except Exception as error:  # A failure is a result.
                found = {"failed": f"{type(error).__name__}: {error}"[:500]}
            entry["errors"][name] = found
        return functions

    def products(self, case, inputs):
        """The product alone by torch's libraries, which write one buffer."""
        torch = self.torch
        left, right = case.operands(torch, *inputs)
        m, n, _ = case.shape
        is_float8 = left.element_size() == 1
        dtype = torch.bfloat16 if is_float8 else left.dtype
        out = torch.empty(m, n, device="cuda", dtype=dtype)
        one = torch.ones((), device="cuda")

        def product(library):
            def run():
                torch.backends.cuda.preferred_blas_library(library)
                torch.backends.cuda.matmul.allow_tf32 = case.set == "tf32"
                return torch.matmul(left, right, out=out)

            return run

        def scaled():
            return torch._scaled_mm(
                left, right, scale_a=one, scale_b=one, out_dtype=dtype, out=out
            )

        if is_float8:
            return {"cublaslt": scaled}
        return {name: product(name) for name in ("cublas", "cublaslt")}

    def compiled(self, case):
        """torch.compile at its fastest."""
        self.torch._dynamo.reset()
        return self.torch.compile(
            lambda *inputs: case.torch(self.torch, *inputs),
            dynamic=False,
            mode="max-autotune-no-cudagraphs",
        )

    def candidates(self, case, entry):
        torch = self.torch
        functions = {}
        try:
            start = time.monotonic()
            program = fuse.compile(
                case.program, target="cuda", chip=self.arguments.chip, cache=False
            )
            functions["fuse"] = program
            entry["compile_ms"] = (time.monotonic() - start) * 1000
        except fuse.Error as error:
            entry["errors"]["fuse"] = {"failed": str(error)}
        else:
            entry["chip"] = program.chip
            entry["kernels"] = [kernel.schedule for kernel in program.kernels]
        if self.arguments.quack and case.set in PRODUCTS:
            functions["quack"] = self.quack(case)
        if case.set == "fused":

            def eager(*inputs):
                torch.backends.cuda.preferred_blas_library("cublas")
                return case.torch(torch, *inputs)

            functions["eager"] = eager
        if self.arguments.compile:
            functions["compile-max"] = self.compiled(case)
        return functions

    def quack(self, case):
        """QuACK's GEMM of a product's operands."""
        from quack.gemm_interface import gemm

        tuned = self.arguments.quack == "tuned"
        return lambda *inputs: gemm(*case.operands(self.torch, *inputs), tuned=tuned)

    def checked(self, case, function, inputs, reference):
        """Runs and checks a candidate; what was wrong, and it bound to its inputs."""
        outputs = self.measure.as_tuple(function(*inputs))
        # Statistics in f32 are of values that were rounded to 16 bits.
        rounded = [
            each.to(inputs[0].dtype) if each.dtype == self.torch.float32 else each
            for each in outputs
        ]
        slack = SLACKS.get(case.set, 1)
        largest, wrong = self.measure.check(rounded, reference, slack)
        return {"max": largest, "wrong": wrong}, lambda: function(*inputs)


def line(entry):
    """A case in a line: Fuse's rate, and its speed over the fastest product alone."""
    mine = entry["errors"].get("fuse", {})
    if "failed" in mine:
        return f"{entry['name']:50} failed: {mine['failed'].splitlines()[0]}"
    parts = [f"{entry['name']:50}"]
    for kind in ("cold", "warm"):
        times = {name: each["median"] for name, each in entry[kind].items()}
        alone = min(times[name] for name in ("cublas", "cublaslt") if name in times)
        parts.append(
            f"{kind} {times['fuse']:8.1f} us {entry['flops'] / times['fuse'] / 1e6:4.0f} TFLOP/s "
            f"{entry['bytes'] / times['fuse'] / 1e6:.2f} TB/s "
            f"{alone / times['fuse']:.3f} of cuBLAS"
        )
        parts += [
            f"{times[name] / times['fuse']:.2f} of {name}"
            for name in ("eager", "compile-max", "quack")
            if name in times
        ]
    if mine["wrong"]:
        parts.append(f"WRONG: {mine['wrong']} elements, by up to {mine['max']:.1e}")
    return "  ".join(parts) + f"  {len(entry['kernels'])} kernels"


def main():
    arguments = parse_arguments()
    cases = selected(all_cases(), arguments.only)
    if arguments.list:
        print("\n".join(case.name for case in cases))
        return 0
    if arguments.dry_run:
        return 1 if dry_run(cases, arguments.chip) else 0
    entries = Comparison(arguments).run()
    bad = [e["errors"].get("fuse", {"failed": ""}) for e in entries]
    return 1 if any("failed" in each or each["wrong"] for each in bad) else 0


if __name__ == "__main__":
    sys.exit(main())
