"""Random programs as far as the kernels of GPUs and CPUs, without machine code.

fuse-opt forms, schedules and lowers each program for a random machine, and for
random facts of a call: whether tensors are aligned, whether rows are multiples of
16 bytes, how large it is, which of the schedules runs. Since nothing is assembled
or run, this sees many times as many programs a second as fuzz.py. A program that
is refused is kept, with the command that refuses it. The exit status is 1 if there
was one.

    python3 tools/fuzz/lower_random.py --count 5000
"""

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

from random_programs import arguments
from random_programs.generator import generate

BATCH = 20
# What even a batch takes only if a pass does not end.
MOST_SECONDS = 600
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


def refused_by(command, seeds):
    """The error of each program that the command refuses, by its seed."""
    lines, starts = [], []
    for seed in seeds:
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
                timeout=MOST_SECONDS,
            )
        except subprocess.TimeoutExpired:
            done = None
    if done and done.returncode == 0:
        return {}
    errors = {}
    for line, error in ERROR.findall(done.stderr if done else ""):
        seed = max(seed for start, seed in starts if start <= int(line))
        errors.setdefault(seed, error)
    if errors:
        return errors
    if len(seeds) == 1:
        why = f"status {done.returncode}: {done.stderr}" if done else "it does not end"
        return {seeds[0]: why}
    # Which of them ends the tool is seen from each alone.
    return {s: e for seed in seeds for s, e in refused_by(command, [seed]).items()}


def lower_batch(options, seeds):
    """The command, and the error of each seed; None if the time is up."""
    if time.monotonic() > options.deadline:
        return None
    command = [options.tool, "-split-input-file", "-o", os.devnull]
    command += random_pipeline(random.Random(seeds[0]))
    return command, refused_by(command, seeds)


def report(options, seed, error, command):
    path = pathlib.Path(options.keep, f"seed-{seed}.mlir")
    path.write_text(generate(seed).text())
    print(f"seed {seed}: {error}\n  {shlex.join([*command, str(path)])}", flush=True)


def main():
    parser = arguments.parser(__doc__.split("\n\n")[0], "fuse-opt", count=5000)
    options = parser.parse_args()
    options.deadline = time.monotonic() + options.seconds
    arguments.find_tool(options)
    pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
    seeds = range(options.seed, options.seed + options.count)
    print(f"seeds {seeds.start} to {seeds.stop - 1}", flush=True)
    batches = [seeds[i : i + BATCH] for i in range(0, len(seeds), BATCH)]
    lowered = refused = 0
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        results = pool.map(lower_batch, [options] * len(batches), batches)
        for batch, result in zip(batches, results):
            if result is None:
                continue
            command, errors = result
            lowered += len(batch) - len(errors)
            refused += len(errors)
            for seed, error in errors.items():
                report(options, seed, error, command)
    print(f"{lowered} lowered, {refused} refused")
    if lowered + refused < len(seeds):
        print(f"{len(seeds) - lowered - refused} not tried: the time was up")
    return 1 if refused or not lowered else 0


if __name__ == "__main__":
    sys.exit(main())
