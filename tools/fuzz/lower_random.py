"""Random programs as far as the kernels of GPUs and CPUs, without machine code.

fuse-opt forms, schedules and lowers each program for a random machine, and for
random facts of a call: whether tensors are aligned, whether rows are multiples of
16 bytes, how large it is, which of the schedules runs. Since nothing is assembled
or run, this sees many times as many programs a second as fuzz.py. A program that
is refused is kept, with the command that refuses it. The exit status is 1 if there
was one.

    python3 tools/fuzz/lower_random.py --count 5000
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile
import time

from random_programs.generator import generate

BATCH = 20
BATCH_SECONDS = 600
MACHINES = ("sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_120", "cpu")
SIZES = ("large", "small", "brief", "few")
SPLIT = "// -----"
ERROR = re.compile(r"^[^:\n]*:(\d+):\d+: error: (.*)", re.MULTILINE)


def random_pipeline(rng):
    """The options of fuse-opt for a machine and a call."""
    boolean = ("false", "true")
    common = (
        f"chip={rng.choice(MACHINES)} strict={rng.choice(boolean)}"
        f" size={rng.choice(SIZES)} index-bits={rng.choice((32, 64))}"
    )
    facts = f"aligned={rng.choice(boolean)} divisible={rng.choice(boolean)}"
    candidate = rng.choice((0, 0, 1, 2))
    return [
        f"-fuse-form={common} aligned=false divisible=false",
        f"-fuse-schedule={common} {facts} candidate={candidate}",
        f"-fuse-lower={common} {facts}",
    ]


def lower_batch(options, first):
    """What is refused of the programs from a seed on: seeds, errors and commands.
    None if the time is up."""
    if time.monotonic() > options.deadline:
        return None
    rng = random.Random(first)
    command = [options.tool, "-split-input-file", "-o", os.devnull]
    command += random_pipeline(rng)
    lines, starts = [], []
    for seed in range(first, first + BATCH):
        starts.append((len(lines) + 1, seed))
        lines += [*generate(seed).text().split("\n"), SPLIT]
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write("\n".join(lines[:-1]))
        file.flush()
        try:
            done = subprocess.run(
                [*command, file.name],
                capture_output=True,
                text=True,
                check=False,
                timeout=BATCH_SECONDS,
            )
        except subprocess.TimeoutExpired:
            return [(first, f"one of {BATCH} takes too long", command)]
    if done.returncode == 0:
        return []
    refused = [
        (max(seed for start, seed in starts if start <= int(line)), error, command)
        for line, error in ERROR.findall(done.stderr)
    ]
    return refused or [(first, f"one of {BATCH} crashes: {done.stderr}", command)]


def report(options, seed, error, command):
    path = pathlib.Path(options.keep, f"seed-{seed}.mlir")
    path.write_text(generate(seed).text())
    print(f"seed {seed}: {error}\n  {shlex.join([*command, str(path)])}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument(
        "--seed", type=int, help="of the first program; fresh without it"
    )
    parser.add_argument("--tool", default="build/bin/fuse-opt")
    parser.add_argument(
        "--keep", default=tempfile.gettempdir(), help="folder of refused programs"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=float("inf"))
    options = parser.parse_args()
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(10**9)
    options.deadline = time.monotonic() + options.seconds
    firsts = range(options.seed, options.seed + options.count, BATCH)
    print(f"seeds {firsts[0]} to {firsts[-1] + BATCH - 1}", flush=True)
    lowered = refused = 0
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        batches = pool.map(lower_batch, [options] * len(firsts), firsts)
        for found in batches:
            if found is None:
                continue
            lowered += BATCH
            refused += len(found)
            for seed, error, command in found:
                report(options, seed, error, command)
    print(f"{lowered} lowered, {refused} refused")
    sys.exit(refused > 0)


if __name__ == "__main__":
    main()
