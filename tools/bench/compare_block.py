#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A LLaMA-3 8B block as one program against torch: eager, and torch.compile in its modes.

Each output is compared with the block in f64; times are medians of interleaved rounds with a
cold L2. Beside them stand what each takes of memory for a while, how long it compiles, and a
timeline: each launch of the program with its bytes, its operations, and the least time that
the machine needs for these. About 150 s on a GPU for `--only prefill --budget 150`.

    compare_block.py --out block.json
    compare_block.py --only decode --modes compile-graph,compile-max
    compare_block.py --join a.json b.json --out results/block.json.xz
    compare_block.py --dry-run             # no GPU: the kernels of every program
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
from bench.peers import block_cases, block_report, packed  # noqa: E402

# The error of Fuse's output may be so many times that of eager code.
MOST_OF_EAGERS_ERROR = 1.5


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default="block.json", help="file for the results")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument(
        "--modes", default=",".join(block_report.MODES), help="of torch.compile"
    )
    parser.add_argument(
        "--budget", type=float, default=150, help="seconds after which nothing is begun"
    )
    parser.add_argument("--seconds", type=float, default=0.6, help="of timing a case")
    parser.add_argument("--join", nargs="+", help="files of results, the last counts")
    parser.add_argument("--dry-run", action="store_true", help="only compile")
    parser.add_argument("--chip", default="sm_90a", help="of the dry run")
    return parser.parse_args()


def dry_run(cases, chip):
    """Prints the kernels of every program; the number of those that do not compile."""
    failures = 0
    for case in cases:
        start = time.monotonic()
        try:
            kernels = fuse.inspect(case.program, chip=chip).kernels
        except fuse.Error as error:
            failures += 1
            print(f"{case.name}: does not compile: {error}", flush=True)
            continue
        print(
            f"{case.name}: {len(kernels)} kernels in {time.monotonic() - start:.2f} s"
        )
        for kernel in kernels:
            schedule = kernel.schedule.split("<")[0]
            print(f"  {kernel.name:20} {schedule:18} {', '.join(kernel.ops)}")
    return failures


def bytes_moved(kernel):
    """None where only the call knows them."""
    if kernel is None or isinstance(kernel.bytes_read, str):
        return None
    return kernel.bytes_read + kernel.bytes_written


class Comparison:
    """The run on a GPU."""

    def __init__(self, arguments):
        import torch
        from bench.peers import block_torch, measure

        self.torch, self.measure, self.block_torch = torch, measure, block_torch
        self.arguments = arguments
        self.deadline = time.monotonic() + arguments.budget
        self.stopwatch = measure.Stopwatch()
        self.modes = [mode for mode in arguments.modes.split(",") if mode]

    def machine(self):
        """What the GPU reads and multiplies in a second, by a read and by cuBLAS."""
        torch = self.torch
        size, read = 8192, 1 << 30
        a, b = (torch.randn(size, size, device="cuda").bfloat16() for _ in range(2))
        functions = {
            "product": lambda: a @ b,
            "read": self.measure.read_of(read),
        }
        times = self.stopwatch.run(functions, seconds=0.1)
        return {
            "flops": 2 * size**3 / times["product"]["median"] * 1e6,
            "bytes": read / times["read"]["median"] * 1e6,
        }

    def run(self):
        machine, entries = self.machine(), []
        for case in block_cases.CASES:
            if self.arguments.only not in case.name:
                continue
            if time.monotonic() > self.deadline:
                print(f"{case.name}: no time left", flush=True)
                continue
            entries.append(self.run_case(case) | {"machine": machine})
            Path(self.arguments.out).write_text(json.dumps(entries, indent=1))
            print("\n".join(lines(entries[-1])), flush=True)
            self.torch._dynamo.reset()
            self.torch.cuda.empty_cache()
        return entries

    def run_case(self, case):
        torch = self.torch
        entry = {
            "name": case.name,
            # Of the timeline.
            "overlaps": False,
            "element": case.element,
            "flops": case.flops,
            "least_bytes": case.least_bytes,
            "bars": dict(case.bars),
            "errors": {},
            "failed": {},
            "compile_s": {},
            "temporary_bytes": {},
            "gpu": torch.cuda.get_device_name(),
            "torch": torch.__version__,
            "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "commit": commit(),
        }
        with torch.no_grad():
            block = self.block_torch.Block(case)
            shape = (case.batch, case.tokens, case.config.hidden_size)
            x = torch.randn(shape, device="cuda").to(block.dtype)
            wanted = self.reference(case, x)
            functions = self.fuse(case, block, x, wanted, entry)
            alone = self.block_torch.faster_attention(case, self.stopwatch)
            entry["attention_alone_us"] = alone
            self.block_torch.use_backends([min(alone, key=alone.get)] if alone else [])
            functions |= self.peers(block, x, wanted, entry)
            entry["times"] = self.stopwatch.run(functions, self.arguments.seconds)
            self.block_torch.use_backends([])
        return entry

    def reference(self, case, x):
        """y, keys and values in f64, and the last two in the program's order of axes."""
        block = self.block_torch.Block(case).double()
        y = block(x.double())
        return y, block.keys.transpose(1, 2), block.values.transpose(1, 2)

    def errors(self, got, wanted):
        """Of each result, the root of the mean square of what is wrong over that of what is
        right."""
        return [
            float((g.double() - w).square().mean().sqrt() / w.square().mean().sqrt())
            for g, w in zip(got, wanted, strict=True)
        ]

    def fuse(self, case, block, x, wanted, entry):
        """The program as it is called, and in a CUDA graph."""
        torch = self.torch
        start = time.monotonic()
        program = fuse.compile(case.program, target="cuda", cache=False)
        entry["compile_s"]["fuse"] = time.monotonic() - start
        first = torch.tensor(case.first, device="cuda", dtype=torch.int32)
        caches = [
            cache.transpose(1, 2).contiguous() for cache in (block.keys, block.values)
        ]
        tables = block.cos_table, block.sin_table
        inputs = [x, first, block.slots.int(), *tables, *caches, *block.weights()]
        y = torch.empty_like(x)

        def call():
            program(*inputs, out=[*caches, y])
            return y

        program.prepare(*inputs)
        torch.cuda.synchronize()
        before = torch.cuda.mem_get_info()[0]
        call()
        torch.cuda.synchronize()
        entry["temporary_bytes"]["fuse"] = before - torch.cuda.mem_get_info()[0]
        entry["errors"]["fuse"] = self.errors((y, *caches), wanted)
        entry["timeline"] = self.timeline(case, inputs, [*caches, y])
        functions = {"fuse": call}
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph):
                call()
        except Exception as error:  # A failure is a result.
            entry["failed"]["fuse-graph"] = f"{type(error).__name__}: {error}"[:500]
        else:
            functions["fuse-graph"] = graph.replay
        return functions

    def timeline(self, case, inputs, out):
        """Each launch, in order: its median time over some calls with a cold L2. No kernel is
        launched while another runs, so that none has the time in which it waits."""
        program = fuse.compile(
            case.program, target="cuda", cache=False, launch_overlap=False
        )
        program(*inputs, out=out)
        torch, calls = self.torch, 7
        flush = torch.empty(self.measure.FLUSH_BYTES, dtype=torch.int8, device="cuda")
        activities = [torch.profiler.ProfilerActivity.CUDA]
        names, times = [], {}
        with torch.profiler.profile(activities=activities) as profile:
            for _ in range(calls):
                flush.zero_()
                program(*inputs, out=out)
            torch.cuda.synchronize()
        for event in sorted(profile.events(), key=lambda e: e.time_range.start):
            if program.name in event.name:
                if event.name not in times:
                    names.append(event.name)
                times.setdefault(event.name, []).append(event.time_range.elapsed_us())
        flops = block_cases.flops_by_kernel(program.print("schedule"), case)
        kernels = {kernel.name: kernel for kernel in program.kernels}
        return [
            {
                "name": name,
                "us": sorted(times[name])[len(times[name]) // 2],
                "launches": len(times[name]) / calls,
                "ops": kernels[name].ops if name in kernels else [],
                "schedule": kernels[name].schedule if name in kernels else "",
                "bytes": bytes_moved(kernels.get(name)),
                "flops": flops.get(name, 0),
            }
            for name in names
        ]

    def peers(self, block, x, wanted, entry):
        torch, functions = self.torch, {}
        for name in ("eager", *self.modes):
            if name != "eager" and time.monotonic() > self.deadline:
                entry["failed"][name] = "no time left"
                continue
            mode = self.block_torch.MODES.get(name)
            function = torch.compile(block, mode=mode, dynamic=False) if mode else block
            try:
                start = time.monotonic()
                function(x)
                torch.cuda.synchronize()
                entry["compile_s"][name] = time.monotonic() - start
                entry["temporary_bytes"][name] = self.temporary_bytes(function, x)
                caches = block.keys.transpose(1, 2), block.values.transpose(1, 2)
                entry["errors"][name] = self.errors((function(x), *caches), wanted)
            except Exception as error:  # A failure is a result.
                entry["failed"][name] = f"{type(error).__name__}: {error}"[:500]
                continue
            functions[name] = lambda function=function: function(x)
        return functions

    def temporary_bytes(self, function, x):
        """The most that a call has of memory at a time, beside its result."""
        torch = self.torch
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        function(x)
        torch.cuda.synchronize()
        held = x.numel() * x.element_size()
        return torch.cuda.max_memory_allocated() - before - held


def is_right(entry):
    mine, eager = entry["errors"]["fuse"], entry["errors"].get("eager")
    return eager is not None and all(
        a <= MOST_OF_EAGERS_ERROR * max(b, 1e-6)
        for a, b in zip(mine, eager, strict=True)
    )


def lines(entry):
    """What a run prints of a case."""
    times, mine = block_report.medians(entry), block_report.my_time(entry)
    yield f"{entry['name']}: {'right' if is_right(entry) else 'WRONG'}"
    for name, time_us in times.items():
        yield (
            f"  {name:14} {time_us:9.1f} us  {time_us / mine:.3f}  "
            f"error {entry['errors'].get(name, [0])[0]:.1e}  "
            f"temporary {entry['temporary_bytes'].get(name, 0) / 1e6:.0f} MB  "
            f"compiled in {entry['compile_s'].get(name, 0):.1f} s"
        )
    for name, why in entry["failed"].items():
        yield f"  {name:14} {why.splitlines()[0]}"
    for launch in entry["timeline"]:
        least = block_report.least_us(launch, entry["machine"])
        yield (
            f"  {launch['us']:9.1f} us {least / launch['us']:5.2f} of the floor  "
            f"{launch['name']} {launch['schedule'].split('<')[0]}"
        )


def joined(files):
    """The entries of all files in the order of the cases, of each case those of the last."""
    found = {}
    for file in files:
        found |= {entry["name"]: entry for entry in packed.read_json(Path(file))}
    return [found[case.name] for case in block_cases.CASES if case.name in found]


def main():
    arguments = parse_arguments()
    if arguments.join:
        text = json.dumps(joined(arguments.join), indent=1)
        packed.write_text(Path(arguments.out), text)
        return 0
    if arguments.dry_run:
        cases = [c for c in block_cases.CASES if arguments.only in c.name]
        return 1 if dry_run(cases, arguments.chip) else 0
    entries = Comparison(arguments).run()
    return 0 if entries and all(map(is_right, entries)) else 1


if __name__ == "__main__":
    sys.exit(main())
