#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fuse against torch eager, torch.compile, Triton and a device copy, in one process.

Every case runs on random inputs, is checked against f64, and is timed by CUDA events
in interleaved rounds with the L2 cache flushed between. Results are written after
each case, so that a run that is cut short leaves what it has.

    compare_peers.py --out peers --budget 500
    compare_peers.py --only softmax --peers eager,compile,triton
    compare_peers.py --set programs   # programs of test/Programs, for docs/fusion.md
    compare_peers.py --dry-run        # no GPU: compile all programs for a chip
"""

import argparse
import datetime
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools")]

import fuse_compiler as fuse  # noqa: E402
from bench.peers import cases as peer_cases  # noqa: E402
from bench.peers import program_cases  # noqa: E402

SETS = {"peers": peer_cases.all_cases, "programs": program_cases.all_cases}
PEERS = ("eager", "compile", "compile-max", "triton")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default="peers", help="folder for the results")
    parser.add_argument(
        "--budget", type=float, default=540, help="seconds for everything"
    )
    parser.add_argument(
        "--set", default="peers", choices=SETS, help="which cases, see peers/"
    )
    parser.add_argument(
        "--only", default="", help="cases whose name contains one of a,b,c"
    )
    parser.add_argument(
        "--peers", default=",".join(PEERS), help="of " + ", ".join(PEERS)
    )
    parser.add_argument(
        "--seconds", type=float, default=0.4, help="of timing for a case"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--dry-run", action="store_true", help="only compile, for --chip"
    )
    parser.add_argument("--chip", default="sm_90", help="of the dry run")
    arguments = parser.parse_args()
    arguments.peers = [peer for peer in arguments.peers.split(",") if peer]
    unknown = set(arguments.peers) - set(PEERS)
    if unknown:
        parser.error(
            f"expected peers of {', '.join(PEERS)}, but got {', '.join(unknown)}"
        )
    return arguments


def selected(arguments):
    patterns = [pattern for pattern in arguments.only.split(",") if pattern]
    return [
        case
        for case in SETS[arguments.set]()
        if not patterns or any(pattern in case.name for pattern in patterns)
    ]


def commit():
    """The commit of the tree, or what FUSE_COMMIT says where there is no git."""
    if "FUSE_COMMIT" in os.environ:
        return os.environ["FUSE_COMMIT"]
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result.stdout.strip() or "unknown"


def describe_kernels(program):
    return [
        {"name": kernel.name, "schedule": kernel.schedule, **kernel.stats}
        for kernel in program.kernels
    ]


def dry_run(arguments):
    """Compiles every program; the number of those that do not become one good kernel."""
    failures = 0
    for case in selected(arguments):
        programs = [case.program] + ([case.in_place] if case.in_place else [])
        for text in programs:
            problem = dry_run_problem(text, arguments.chip)
            failures += problem is not None
            print(f"{case.name:45} {problem or 'ok'}", flush=True)
    return failures


def dry_run_problem(text, chip):
    try:
        result = fuse.inspect(text, chip=chip)
    except fuse.Error as error:
        return f"does not compile: {error}"
    if len(result.kernels) != 1:
        return f"{len(result.kernels)} kernels"
    resources = result.kernels[0].stats.get("ptxas")
    if resources is None:
        return "not assembled: no ptxas here"
    if resources["spill_bytes"]:
        return f"spills {resources['spill_bytes']} bytes"
    return None


class Comparison:
    """The run on a GPU."""

    def __init__(self, arguments):
        import torch
        import triton
        from bench.peers import measure

        self.torch, self.measure, self.arguments = torch, measure, arguments
        self.deadline = time.monotonic() + arguments.budget
        self.folder = Path(arguments.out)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.stopwatch = measure.Stopwatch()
        self.report = {
            "gpu": torch.cuda.get_device_name(),
            "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "commit": commit(),
            "fuse": fuse.version(),
            "torch": torch.__version__,
            "triton": triton.__version__,
            "seed": arguments.seed,
            "unit": "microseconds",
            "cases": [],
            "skipped": [],
        }

    def run(self):
        for case in selected(self.arguments):
            left = self.deadline - time.monotonic()
            if left <= 0:
                self.report["skipped"].append(case.name)
                continue
            result = self.run_case(case)
            self.report["cases"].append(result)
            print(row(result), flush=True)
            self.write()
            self.torch.cuda.empty_cache()
        is_all = self.arguments.set == "peers" and not self.arguments.only
        if is_all and time.monotonic() < self.deadline:
            self.report["host_us"] = self.host_times()
        self.write()
        return self.report

    def run_case(self, case):
        result = {"name": case.name, "bytes": case.bytes, "errors": {}, "times": {}}
        if case.kind:
            result["kind"] = case.kind
        inputs = self.measure.make_inputs(case, self.arguments.seed)
        candidates = self.candidates(case, result)
        reference = self.measure.reference_of(case, inputs)
        functions = {}
        for name, function in candidates.items():
            try:
                functions[name] = self.checked(
                    name, function, inputs, reference, result
                )
            except Exception as error:  # A peer that fails is a result, not the end.
                result["errors"][name] = {
                    "failed": f"{type(error).__name__}: {error}"[:500]
                }
        del reference
        self.torch.cuda.empty_cache()
        functions["copy"] = self.measure.copy_of(case.bytes)
        result["times"] = self.stopwatch.run(functions, self.arguments.seconds)
        return result

    def checked(self, name, function, inputs, reference, result):
        """Runs and checks a candidate; returns it bound to inputs it may write to."""
        mine = [inputs[0].clone(), *inputs[1:]] if "in place" in name else inputs
        start = time.monotonic()
        outputs = self.measure.as_tuple(function(*mine))
        self.torch.cuda.synchronize()
        first = time.monotonic() - start
        largest, wrong = self.measure.check(outputs, reference)
        result["errors"][name] = {"max": largest, "wrong": wrong, "first_call_s": first}
        return lambda: function(*mine)

    def candidates(self, case, result):
        """Functions on the case's inputs, by name."""
        torch, peers = self.torch, self.arguments.peers
        functions = {}
        for name, text in (("fuse", case.program), ("fuse in place", case.in_place)):
            if text is None:
                continue
            try:
                start = time.monotonic()
                functions[name] = fuse.compile(text, target="cuda", cache=False)
                result.setdefault("compile_ms", (time.monotonic() - start) * 1000)
                result.setdefault("kernels", describe_kernels(functions[name]))
            except fuse.Error as error:
                result["errors"][name] = {"failed": str(error)}

        in_torch = case.torch

        def eager(*inputs):
            return in_torch(torch, *inputs)

        torch._dynamo.reset()
        if "eager" in peers:
            functions["eager"] = eager
        # Compiling costs seconds: not when time is short.
        if "compile" in peers and self.deadline - time.monotonic() > 15:
            functions["compile"] = torch.compile(eager, dynamic=False)
        if "compile-max" in peers and self.deadline - time.monotonic() > 30:
            mode = "max-autotune-no-cudagraphs"
            functions["compile-max"] = torch.compile(eager, dynamic=False, mode=mode)
        if "triton" in peers and case.triton:
            from bench.peers.competitors import triton_function

            name = "triton in place" if "in_place" in case.triton else "triton"
            functions[name] = triton_function(case.triton)
        return functions

    def host_times(self):
        """Host time of one call on a tiny tensor."""
        torch = self.torch
        case = peer_cases.gelu("f32", 8, 1024)
        inputs = self.measure.make_inputs(case, 0)
        out = torch.empty_like(inputs[0])
        program = fuse.compile(case.program, target="cuda")
        compiled = torch.compile(lambda x: case.torch(torch, x), dynamic=False)
        from bench.peers import triton_kernels

        return {
            "fuse": self.measure.host_microseconds(lambda: program(*inputs)),
            "fuse with out": self.measure.host_microseconds(
                lambda: program(*inputs, out=out)
            ),
            "eager": self.measure.host_microseconds(lambda: case.torch(torch, *inputs)),
            "compile": self.measure.host_microseconds(lambda: compiled(*inputs)),
            "triton": self.measure.host_microseconds(
                lambda: triton_kernels.gelu(*inputs)
            ),
        }

    def write(self):
        (self.folder / "peers.json").write_text(json.dumps(self.report, indent=1))
        (self.folder / "peers.md").write_text(markdown(self.report))


HEADER = (
    "| work | fuse us (IQR) | % of copy | best peer | peer us | peer / fuse | others |",
    "| --- | --- | --- | --- | --- | --- | --- |",
)


def best(times, wanted):
    """The name of the fastest function that `wanted` takes; None if there is none."""
    names = [name for name in times if wanted(name)]
    return min(names, key=lambda name: times[name]["median"]) if names else None


def row(result):
    """A case as a line of the table. A wrong result is no win: it says so."""
    times, errors = result["times"], result["errors"]
    mine = best(times, lambda name: name.startswith("fuse"))
    peer = best(times, lambda name: not name.startswith("fuse") and name != "copy")
    if mine is None:
        return f"| {result['name']} | failed: {errors['fuse']['failed'].splitlines()[0]} | | | | | |"
    spent = times[mine]
    own = f"{spent['median']:.1f} ({spent['q1']:.1f} to {spent['q3']:.1f})"
    if mine != "fuse":
        own = f"{mine[5:]} {own}"
    if errors[mine]["wrong"]:
        own += f", WRONG: {errors[mine]['wrong']} elements, by up to {errors[mine]['max']:.2e}"
    copied = 100 * times["copy"]["median"] / spent["median"]
    others = [
        f"{name} {times[name]['median']:.1f}"
        + (
            f" (off by {errors[name]['max']:.1e})"
            if errors.get(name, {}).get("wrong")
            else ""
        )
        for name in times
        if name not in (mine, peer)
    ]
    others += [f"{name} failed" for name in errors if "failed" in errors[name]]
    if peer is None:
        return (
            f"| {result['name']} | {own} | {copied:.1f} | | | | {', '.join(others)} |"
        )
    label = peer
    if errors[peer]["wrong"]:
        label += f" (off by {errors[peer]['max']:.1e})"
    peer_time = times[peer]["median"]
    return (
        f"| {result['name']} | {own} | {copied:.1f} | {label} | {peer_time:.1f} "
        f"| {peer_time / spent['median']:.2f} | {', '.join(others)} |"
    )


def markdown(report):
    lines = [
        f"{report['gpu']}, {report['date']}, commit {report['commit']}, torch {report['torch']}, "
        f"triton {report['triton']}. Medians of interleaved rounds, L2 flushed between; "
        '"% of copy" is against a device copy of as many bytes in the same rounds; '
        '"peer / fuse" above 1 means that Fuse is faster.',
        "",
        *HEADER,
        *map(row, report["cases"]),
    ]
    if report["skipped"]:
        lines += ["", f"Not run for lack of time: {', '.join(report['skipped'])}."]
    if "host_us" in report:
        times = ", ".join(
            f"{name} {spent:.1f}" for name, spent in report["host_us"].items()
        )
        lines += ["", f"Host time of one call, in us: {times}."]
    return "\n".join(lines) + "\n"


def main():
    arguments = parse_arguments()
    if arguments.dry_run:
        return 1 if dry_run(arguments) else 0
    report = Comparison(arguments).run()
    wrong = [
        case["name"]
        for case in report["cases"]
        if any(
            "failed" in e or e["wrong"]
            for n, e in case["errors"].items()
            if "fuse" in n
        )
    ]
    if wrong:
        print(f"wrong or failed: {', '.join(wrong)}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
