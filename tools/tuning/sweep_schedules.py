#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures schedules that nothing proposes, beside the one that was chosen, on a GPU.

    sweep_schedules.py --plan plan.json --out sweep --budget 200
    sweep_schedules.py --plan plan.json --compile sm_90

The plan is a list of {"family", "dtype", "shape", "schedules"}: cases of
compare_grid.py's families or of peers/chains.py, or {"family" (a name), "dtype", "shape", "program", "inputs":
[["bf16", 1024, 4096], ...]}, whose result is as large as the first input; and texts such as "#fuse.rows<threads = 256, ...>" for
their first kernel; with "chip" another than sm_90 forms them; with "graph" calls are timed in CUDA graphs. Rounds are interleaved, the L2 is flushed before each call, results
are compared with those of the schedule that was chosen. Prints a table, fastest first,
and writes sweep.json. With --compile nothing runs: it prints registers and spills of
each, by ptxas.
"""

import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools")]

from bench.peers import chains, grid  # noqa: E402
from bench.peers.cases import Case, Input  # noqa: E402
from tuning.schedule_text import PATTERN  # noqa: E402

SCHEDULE = re.compile(rf"schedule = ({PATTERN})")
CHOSEN = "chosen"


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--plan", type=Path, required=True)
    add("--out", type=Path, default=Path("sweep"), help="folder for the results")
    add("--budget", type=float, default=200, help="seconds for everything")
    add("--compile", metavar="CHIP", help="compile only")
    add("--fuse", default="fuse", help="the driver")
    add("--fuse-opt", default="fuse-opt", help="the tool that runs passes")
    return parser.parse_args()


def case_of(entry):
    if "program" in entry:
        inputs = tuple(Input(tuple(shape), dtype) for dtype, *shape in entry["inputs"])
        # No peers, hence no function of torch; rows in, rows out.
        return Case("", entry["program"], inputs, inputs[0].bytes, None)
    known = (*grid.FAMILIES, *chains.FAMILIES)
    family = next(each for each in known if each.name == entry["family"])
    return family.make(entry["dtype"], *entry["shape"])


def formed(arguments, case, chip):
    """The program's kernels without schedules, as text, and the first one's schedule.
    What a schedule makes of an op, such as one walk of a softmax's two, is still to come."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(case.program)
        file.flush()
        inspect = [arguments.fuse, "inspect", file.name, "--target=cuda"]
        inspect += [f"--chip={chip}", "--emit=schedule"]
        form = [arguments.fuse_opt, file.name, f"--fuse-form=chip={chip}"]
        schedules = subprocess.check_output(inspect, text=True)
        text = subprocess.check_output(form, text=True)
    return text, SCHEDULE.search(schedules).group(1)


def with_schedule(text, schedule):
    """The program whose first kernel has that schedule."""
    head, body = text[text.index("fuse.kernel ") :].split(" {\n", 1)
    scheduled = f"{head} schedule = {schedule} {{\n{body}"
    return text[: text.index("fuse.kernel ")] + scheduled


def variants(arguments, entry, case, chip):
    """{schedule: program}; the first is the one that was chosen."""
    text, chosen = formed(arguments, case, chip)
    programs = {f"{CHOSEN} {chosen}": with_schedule(text, chosen)}
    for schedule in entry["schedules"]:
        programs[schedule] = with_schedule(text, schedule)
    return programs


def assemble(tool, program, chip):
    """Registers and spilled bytes by ptxas, or what was wrong."""
    with tempfile.TemporaryDirectory() as folder:
        source, ptx = Path(folder, "k.mlir"), Path(folder, "k.ptx")
        source.write_text(program)
        made = subprocess.run(
            [tool, "inspect", source, f"--chip={chip}", "--emit=ptx", "--no-cache"],
            capture_output=True,
            text=True,
        )
        if made.returncode:
            return made.stderr.strip().split("\n")[0][:200]
        ptx.write_text(made.stdout)
        out = subprocess.run(
            ["ptxas", f"-arch={chip}", "-v", ptx, "-o", os.devnull],
            capture_output=True,
            text=True,
        ).stderr
    registers = re.findall(r"Used (\d+) registers", out)
    spills = re.findall(r"(\d+) bytes spill stores", out)
    return f"{'/'.join(registers)} registers, {'/'.join(spills)} bytes spilled"


def compile_only(arguments, plan):
    for entry in plan:
        print(entry["family"], entry["dtype"], entry["shape"])
        for name, program in variants(
            arguments, entry, case_of(entry), arguments.compile
        ).items():
            print(" ", assemble(arguments.fuse, program, arguments.compile), name)


def measure(arguments, entry, end):
    """The summaries of one case by schedule, fastest first."""
    import fuse_compiler as fuse
    import torch
    from bench.peers import measure as measuring

    case = case_of(entry)
    inputs = measuring.make_inputs(case, seed=0)
    programs = variants(arguments, entry, case, entry.get("chip", "sm_90"))

    def build(item):
        try:
            return item[0], fuse.compile(item[1], target="cuda")
        except fuse.Error as error:
            return item[0], error

    with concurrent.futures.ThreadPoolExecutor() as pool:
        built = dict(pool.map(build, programs.items()))
    calls, results, expected = {}, [], None
    for name, program in built.items():
        if isinstance(program, fuse.Error):
            results.append({"schedule": name, "error": str(program)[:300]})
            continue
        outputs = measuring.as_tuple(program(*inputs))
        expected = expected or [each.double() for each in outputs]
        _, wrong = measuring.check(outputs, expected)
        if wrong:
            results.append({"schedule": name, "error": f"{wrong} elements differ"})
            continue
        calls[name] = lambda program=program: program(*inputs)
    calls["copy"] = measuring.copy_of(case.bytes)
    torch.cuda.synchronize()
    seconds = max(0.5, min(entry.get("seconds", 8), end - time.monotonic()))
    if entry.get("graph"):
        lists = {name: [call] for name, call in calls.items()}
        times, _ = measuring.GraphStopwatch().run(lists, seconds)
    else:
        times = measuring.Stopwatch().run(calls, seconds)
    copy = times.pop("copy")["median"]
    for name, summary in times.items():
        percent = 100 * copy / summary["median"]
        results.append({"schedule": name, "copy_percent": percent, **summary})
    return sorted(results, key=lambda each: each.get("median", float("inf")))


def main():
    arguments = parse_arguments()
    plan = json.loads(arguments.plan.read_text())
    if arguments.compile:
        compile_only(arguments, plan)
        return 0
    arguments.out.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + arguments.budget
    done = []
    for entry in plan:
        if time.monotonic() > end:
            print(f"{len(plan) - len(done)} cases left out: no time")
            break
        results = measure(arguments, entry, end)
        done.append({**entry, "results": results})
        (arguments.out / "sweep.json").write_text(json.dumps(done, indent=1))
        print(entry["family"], entry["dtype"], entry["shape"])
        for each in results[: entry.get("show", 8)]:
            if "error" not in each:
                times = f"{each['median']:8.1f} us {each['copy_percent']:5.1f}%"
                print(" ", times, each["schedule"], flush=True)
        for each in results:
            if "error" in each or each["schedule"].startswith(CHOSEN):
                print("  also:", json.dumps(each)[:300], flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
