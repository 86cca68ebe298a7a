#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs all examples on a GPU in many variants, each against the f64 oracle.

    gpu_examples.py verify --fuse bin/fuse          # every example x dtype x columns x rows
    gpu_examples.py sanitize --fuse bin/fuse        # a few, under compute-sanitizer

Prints a line for each run that fails, with the end of its output, and a table of
how many ran. The variants of an example are made by the same substitution as in
test/Examples.
"""

import argparse
import collections
import concurrent.futures
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "Examples" / "Inputs"))

from variants import DTYPES, substitute  # noqa: E402

# The dynamic dimension of each example, and the static size that can vary.
EXAMPLES = {
    "add_rms_norm": ("rows", 4096),
    "bias_gelu_residual": ("rows", 4096),
    "gelu": ("rows", 4096),
    "gelu_by_hand": ("rows", 4096),
    "layer_norm": ("rows", 4096),
    "rms_norm": ("rows", 4096),
    "qk_norm": ("tokens", None),
    "qk_norm_rope": ("tokens", None),
    "rope_interleaved": ("tokens", None),
    "rope_interleaved_in_place": ("tokens", None),
    "rope_neox_computed": ("tokens", None),
    "rope_qk_gqa": ("tokens", None),
    "rope_llama3_scaled_qkv": ("tokens", None),
    "softmax": ("rows", 4096),
    "swiglu": ("rows", 14336),
}
COLUMNS = (1, 33, 1024, 4096, 4097, 32768)
ROWS = (0, 1, 33, 257)
# Rows that no multiprocessor holds, of any alignment: as many as are few calls'
# and, in f32, as are many calls'.
LONG_COLUMNS = (50257, 131072, 262144)
LONG_ROWS = (1, 5, 300)
# Programs that no example has, with sizes that need several blocks.
PROGRAMS = {
    "cross_entropy": ("T=300",),
    "cross_entropy_loss": ("T=300",),
    "norm_all": ("A=3001", "B=1001"),
    "quantize_tensor": ("T=1000",),
    "rms_norm_backward": ("T=300",),
    "softmax_backward": ("T=300",),
    "swiglu_f8": ("T=300",),
    "two_softmaxes": ("A=300", "B=33"),
}
# What compute-sanitizer says at the end when it has found nothing.
# A run that takes longer hangs.
RUN_SECONDS = 60
CLEAN = re.compile(r"ERROR SUMMARY: 0 errors|RACECHECK SUMMARY: 0 hazards")
BLOCKS = (
    "llama3_block",
    "llama3_block_gqa",
    "llama3_block_f16",
    "llama3_block_gqa_f16",
)


@dataclass(frozen=True)
class Run:
    example: str
    label: str
    command: tuple


class Runner:
    """Writes variants to a folder and makes the commands that run them."""

    def __init__(self, fuse, folder):
        self.fuse, self.folder = fuse, Path(folder)

    def variant(self, example, dtype, columns):
        path = self.folder / f"{example}_{dtype}_{columns}.mlir"
        text = (ROOT / "examples" / f"{example}.mlir").read_text()
        path.write_text(substitute(text, dtype, EXAMPLES[example][1], columns))
        return path

    def run(self, path, example, label, dims, prefix=()):
        command = (
            *prefix,
            self.fuse,
            "run",
            str(path),
            "--target=cuda",
            *(f"--dim={dim}" for dim in dims),
            "--verify",
            "--repeat=1",
        )
        return Run(example, label, command)

    def runs(self, columns_of, rows, dtypes, prefix=(), tag=""):
        """The runs of every example in every variant.

        `columns_of` gives the columns to try from an example's own, and [0] for one
        without columns if it is to run.
        """
        for example, (dim, columns) in EXAMPLES.items():
            for dtype in dtypes:
                for width in columns_of(columns):
                    path = self.variant(example, dtype, width)
                    for size in rows:
                        label = f"{tag}{example} {dtype} {size}x{width}"
                        yield self.run(path, example, label, [f"{dim}={size}"], prefix)

    def blocks(self):
        for block in BLOCKS:
            for tokens in (1, 128):
                path = ROOT / "examples" / f"{block}.mlir"
                yield self.run(path, block, f"{block} {tokens}", [f"tokens={tokens}"])

    def programs(self, prefix=(), tag=""):
        for program, dims in PROGRAMS.items():
            path = ROOT / "test" / "Programs" / "Inputs" / f"{program}.mlir"
            yield self.run(path, program, f"{tag}{program}", dims, prefix)


def verify_runs(runner):
    def columns_of(own):
        return sorted({*COLUMNS, own}) if own else [0]

    def long_columns_of(own):
        return LONG_COLUMNS if own else []

    # What there are few of first, should the time not do for all.
    yield from runner.programs()
    yield from runner.blocks()
    yield from runner.runs(columns_of, ROWS, DTYPES)
    # The oracle takes long for these.
    yield from runner.runs(long_columns_of, LONG_ROWS, DTYPES)


def sanitize_runs(runner):
    checker = (
        shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    )

    # Unaligned rows take the masked paths; own columns the vectors.
    def columns_of(own):
        return (own, 4097) if own else [0]

    def long_columns_of(own):
        return LONG_COLUMNS[-1:] if own else []

    for tool in ("memcheck", "racecheck"):
        prefix = (checker, f"--tool={tool}", "--error-exitcode=9")
        tag = f"{tool} "
        yield from runner.runs(columns_of, (3,), ("bf16",), prefix, tag)
        yield from runner.runs(long_columns_of, (2,), ("f32",), prefix, tag)
        yield from runner.programs(prefix, tag)


def execute(run, left):
    """None, "skipped", or what went wrong; `left` are the seconds for everything."""
    limit = min(left, RUN_SECONDS)
    try:
        result = subprocess.run(
            run.command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=limit,
            check=False,
        )
    except OSError as error:
        return f"could not start: {error}"
    except subprocess.TimeoutExpired:
        return "skipped" if limit < RUN_SECONDS else f"took more than {limit} s"
    clean = "--error-exitcode=9" not in run.command or CLEAN.search(result.stdout)
    if result.returncode != 0 or not clean:
        return f"exit code {result.returncode}:\n" + result.stdout[-1500:]
    return None


def execute_all(runs, jobs, seconds):
    """Runs what fits in `seconds`; the number of failures."""
    deadline = time.monotonic() + seconds
    passed, failed, skipped = (collections.Counter() for _ in range(3))

    def work(run):
        left = deadline - time.monotonic()
        return execute(run, left) if left > 0 else "skipped"

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for run, problem in zip(runs, pool.map(work, runs), strict=True):
            if problem == "skipped":
                skipped[run.example] += 1
            elif problem is None:
                passed[run.example] += 1
            else:
                failed[run.example] += 1
                print(
                    f"FAILED {run.label}: {' '.join(run.command)}\n{problem}",
                    flush=True,
                )
    print(f"\n{'example':28}{'passed':>8}{'failed':>8}{'no time':>8}")
    for example in dict.fromkeys(run.example for run in runs):
        counts = (passed[example], failed[example], skipped[example])
        print(f"{example:28}" + "".join(f"{count:8}" for count in counts))
    return failed.total() + skipped.total()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("verify", "sanitize"))
    parser.add_argument("--fuse", default="fuse", help="the driver")
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=150)
    parser.add_argument("--only", default="", help="runs whose label contains this")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(arguments.fuse, folder)
        make = verify_runs if arguments.what == "verify" else sanitize_runs
        runs = [run for run in make(runner) if arguments.only in run.label]
        print(f"{arguments.what}: {len(runs)} runs", flush=True)
        return 1 if execute_all(runs, arguments.jobs, arguments.seconds) else 0


if __name__ == "__main__":
    sys.exit(main())
