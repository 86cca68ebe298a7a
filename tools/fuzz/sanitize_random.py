"""compute-sanitizer over the kernels of random programs.

Every program runs on the GPU under memcheck, racecheck, initcheck and synccheck,
a batch of programs in each process. The exit status is 1 if a tool reports an
error or a program does not run.

    python3 tools/fuzz/sanitize_random.py --count 300 --tool fuse-crosscheck
    python3 tools/fuzz/sanitize_random.py --count 200 --tensor-cores
"""

import argparse
import concurrent.futures
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from random_programs.generator import generate

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
# It does not see what copies by tensor map write, and calls that uninitialized.
BLIND = "initcheck"
# Nor does this one see arrivals at the barriers of another block of a cluster, and calls
# races what they order: so it does of a kernel that nvcc compiles.
UNORDERED = "racecheck"
IN_CLUSTER = re.compile(r"#fuse\.mma<isa = wgmma[^>]*split_k = \d+")
BATCH = 10
# Of what a run reports.
MOST_LINES = 60
# What a tool says at its end; racecheck counts hazards.
CLEAN = re.compile(r"ERROR SUMMARY: 0 errors|RACECHECK SUMMARY: 0 hazards")


# Schedules of kernels on tensor cores, and seeds that are looked through at a time.
TENSOR_CORES, SEEDS = re.compile(r"#fuse\.(mma|streamed)<"), 256


def schedules(path):
    """The program with the schedules that its kernels have on Hopper."""
    command = ["fuse", "inspect", path, "--chip=sm_90a", "--emit=schedule"]
    command.append("--entry=program")
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def uses_tensor_cores(path):
    return bool(TENSOR_CORES.search(schedules(path)))


def adds_in_cluster(path):
    """Whether blocks of a cluster read each other's sums of a contraction."""
    return bool(IN_CLUSTER.search(schedules(path)))


def programs(folder, first):
    for seed in itertools.count(first):
        path = pathlib.Path(folder, f"seed-{seed}.mlir")
        path.write_text(generate(seed).text())
        yield str(path)


def programs_on_tensor_cores(folder, first):
    contractions = (
        path
        for path in programs(folder, first)
        if re.search(
            r"fuse\.(contract|matmul|attention)", pathlib.Path(path).read_text()
        )
    )
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        while True:
            paths = list(itertools.islice(contractions, SEEDS))
            used = pool.map(uses_tensor_cores, paths)
            yield from itertools.compress(paths, used)


def write_programs(folder, options):
    make = programs_on_tensor_cores if options.tensor_cores else programs
    paths = list(itertools.islice(make(folder, options.seed), options.count))
    return [paths[i : i + BATCH] for i in range(0, options.count, BATCH)]


def seen_by(tool, paths):
    """Those whose synchronization the tool knows."""
    if tool != UNORDERED:
        return paths
    return [path for path in paths if not adds_in_cluster(path)]


def sanitize(options, tool, paths):
    """None, or what was found."""
    command = [options.sanitizer, f"--tool={tool}", "--error-exitcode=9"]
    command += [options.tool, "--check=gpu", *paths]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=240, check=False
        )
    except subprocess.TimeoutExpired:
        return "took more than 240 s"
    if done.returncode == 0 and CLEAN.search(done.stdout + done.stderr):
        return None
    lines = (done.stdout + done.stderr).splitlines()
    report = [line for line in lines if not line.startswith("right ")]
    return "\n".join([f"exit code {done.returncode}:", *report[:MOST_LINES]])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--count", type=int, default=300, help="programs")
    parser.add_argument("--seed", type=int, default=500_000, help="of the first")
    parser.add_argument(
        "--tensor-cores", action="store_true", help="only programs that use them"
    )
    parser.add_argument("--tool", default="fuse-crosscheck")
    parser.add_argument("--tools", nargs="+", choices=TOOLS, default=TOOLS)
    parser.add_argument("--jobs", type=int, default=6)
    options = parser.parse_args()
    options.sanitizer = (
        shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    )
    with tempfile.TemporaryDirectory() as folder:
        batches = write_programs(folder, options)
        tools = [t for t in options.tools if not options.tensor_cores or t != BLIND]
        runs = [(tool, batch) for tool in tools for batch in batches]
        runs = [(tool, seen_by(tool, batch)) for tool, batch in runs]
        failed = 0
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            problems = pool.map(lambda run: sanitize(options, *run), runs)
            for (tool, batch), problem in zip(runs, problems, strict=True):
                if problem:
                    failed += 1
                    names = " ".join(pathlib.Path(p).name for p in batch)
                    print(f"FAILED {tool}: {names}\n{problem}", flush=True)
    print(
        f"{options.count} programs under each of {', '.join(tools)}: "
        f"{failed} of {len(runs)} runs failed"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
