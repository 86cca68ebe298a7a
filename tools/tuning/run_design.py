#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times a designed sweep (design_sweep.py) on a GPU.

    run_design.py --plan plan.json.xz --out measured.jsonl --seconds 500

Threads compile ahead while one times. All calls of a case are put on the stream behind a
kernel that waits, so that nothing the host does lies between two events; the schedules
of a case take turns in a new order each round, each with a flushed L2. Those near the
fastest are timed again. Calls of few bytes are timed in CUDA graphs. At the case's
smallest size results are compared with those of the rules' choice. A line of JSON a
case is written as soon as it is done, and nothing starts that would end too late. A
case that breaks the device, or takes far too long, is named and left behind: the run
goes on with the next one in a new process.
"""

import argparse
import collections
import concurrent.futures
import itertools
import json
import os
import random
import statistics
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools")]

from bench.peers import cases, packed  # noqa: E402
from tuning import design_cases  # noqa: E402

FLUSH_BYTES = 256 << 20
POOL_BYTES = 800 << 20
ROUNDS, MORE_ROUNDS = 5, 6
# What is timed again: within so much of the fastest.
NEAR = 1.08
# Calls in a graph, and sets of inputs that they take turns with.
GRAPH_CALLS, GRAPH_SETS = 24, 3
# Without a result for so long, a run leaves the case behind.
STUCK_SECONDS = 25
# Relative and to the root mean square, by the bytes of an element.
BOUNDS = {1: (0.13, 0.02), 2: (2**-6, 2**-8), 4: (2e-4, 2e-5)}


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--plan", type=Path, required=True)
    add("--out", type=Path, required=True)
    add("--seconds", type=float, default=500)
    add("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    add("--together", type=int, default=32, help="cases compiled before they are timed")
    add("--compile-only", metavar="CHIP", help="neither time nor need a GPU")
    add("--start", type=int, default=0, help="the first case; results are appended")
    add("--until", type=float, default=0, help=argparse.SUPPRESS)
    return parser.parse_args()


def with_schedule(text, schedule):
    """The program whose kernel has that schedule."""
    start = text.index("fuse.kernel ")
    head, body = text[start:].split(" {\n", 1)
    return f"{text[:start]}{head} schedule = {schedule} {{\n{body}"


class Bench:
    """Tensors, and times of calls."""

    def __init__(self, device="cuda"):
        import torch

        self.torch, self.device = torch, device
        self.flush = torch.empty(FLUSH_BYTES, dtype=torch.int8, device=device)
        self.random = random.Random(0)
        self.pools, self.events, self.graphs_made = {}, [], 0
        # What the host takes for a call, at most.
        self.host_seconds = 45e-6
        clock = torch.cuda.get_device_properties(0)
        self.cycles_per_second = getattr(clock, "clock_rate", 1_980_000) * 1000

    def _pool(self, dtype, uniform):
        torch = self.torch
        key = (dtype, uniform)
        if key not in self.pools:
            kind = getattr(torch, cases.TORCH_NAMES[dtype])
            count = POOL_BYTES // cases.BYTES[dtype]
            make = torch.rand if uniform else torch.randn
            self.pools[key] = make(count, device=self.device, dtype=torch.float32).to(
                kind
            )
        return self.pools[key]

    def inputs(self, case, turn=0):
        """Views of random numbers; other ones each turn, as far as there are."""
        torch, used, made = self.torch, turn * (96 << 20), []
        for each in case.inputs:
            if each.kind == "below":
                made.append(torch.randint(each.below, each.shape, device=self.device))
                continue
            pool = self._pool(each.dtype, each.kind == "uniform")
            size = cases.BYTES[each.dtype]
            if used + each.bytes > POOL_BYTES:
                used = 0
            count = each.bytes // size
            made.append(pool[used // size : used // size + count].view(each.shape))
            used += -(-each.bytes // 4096) * 4096
        return made

    def _pair(self, number):
        torch = self.torch
        while len(self.events) <= number:
            pair = tuple(torch.cuda.Event(enable_timing=True) for _ in range(2))
            self.events.append(pair)
        return self.events[number]

    def _once(self, calls, rounds, flushes):
        """{name: [us]}; all is on the stream before the first one runs, or None."""
        torch, names = self.torch, list(calls)
        wait = 0.002 + self.host_seconds * rounds * len(names)
        torch.cuda._sleep(int(wait * self.cycles_per_second))
        begin, used = time.perf_counter(), []
        for _ in range(rounds):
            self.random.shuffle(names)
            for name in names:
                start, end = self._pair(len(used))
                if flushes:
                    self.flush.zero_()
                start.record()
                calls[name]()
                end.record()
                used.append(name)
        spent = time.perf_counter() - begin
        # The host may be slow; the next wait allows for that.
        mine = 1.3 * spent / len(used)
        self.host_seconds = max(45e-6, mine, 0.9 * self.host_seconds)
        is_ahead = spent < wait
        torch.cuda.synchronize()
        times = collections.defaultdict(list)
        for number, name in enumerate(used):
            start, end = self.events[number]
            times[name].append(start.elapsed_time(end) * 1000)
        return times, is_ahead

    def times(self, calls, flushes=True, part=1):
        """Medians in us, and how many rounds the host was too slow in."""
        late = 0
        times, is_ahead = self._once(calls, ROUNDS, flushes)
        late += not is_ahead
        least = min(map(statistics.median, times.values()))
        near = {
            name: call
            for name, call in calls.items()
            if statistics.median(times[name]) <= NEAR * least
        }
        if len(near) > 1:
            more, is_ahead = self._once(near, MORE_ROUNDS, flushes)
            late += not is_ahead
            for name, each in more.items():
                times[name] += each
        return {n: statistics.median(t) / part for n, t in times.items()}, late

    def graph_times(self, programs, sets):
        torch, graphs, kept = self.torch, {}, []
        stream, pool = torch.cuda.Stream(), torch.cuda.graph_pool_handle()
        for number, program in programs.items():
            stream.wait_stream(torch.cuda.current_stream())
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(
                graph,
                pool=pool,
                stream=stream,
                capture_error_mode="thread_local",
            ):
                turns = itertools.islice(itertools.cycle(sets), GRAPH_CALLS)
                kept.append([program(*inputs) for inputs in turns])
            graphs[number] = graph.replay
        torch.cuda.synchronize()
        times = self.times(graphs, flushes=False, part=GRAPH_CALLS)
        # Graphs have memory of their own, which goes back with them.
        graphs.clear()
        kept.clear()
        self.graphs_made += 1
        if self.graphs_made % 40 == 0:
            torch.cuda.empty_cache()
        return times

    def refusal(self, program, inputs):
        """What the runtime says where it does not launch the program."""
        try:
            program(*inputs)
        except RuntimeError:  # Of torch: the device is broken.
            raise
        except Exception as error:
            return str(error)[:300]
        return None

    def wrong(self, programs, inputs):
        """The numbers of the programs whose results are not those of the first."""
        torch, counts, expected = self.torch, {}, None
        for number, program in programs.items():
            outputs = program(*inputs)
            outputs = outputs if isinstance(outputs, tuple) else (outputs,)
            sizes = [each.element_size() for each in outputs]
            outputs = [each.float() for each in outputs]
            if expected is None:
                expected = outputs
                continue
            counts[number] = sum(
                self._differing(got, want, size)
                for got, want, size in zip(outputs, expected, sizes)
            )
        if not counts:
            return []
        totals = torch.stack(list(counts.values())).tolist()
        return [number for number, total in zip(counts, totals) if total]

    def _differing(self, got, want, size):
        relative, to_mean = BOUNDS[size]
        bound = relative * want.abs() + to_mean * want.square().mean().sqrt()
        return (~((got - want).abs() <= bound)).sum()


def resources(program):
    stats = [each.stats.get("ptxas") or {} for each in program.kernels]
    return [
        max((each.get("registers", 0) for each in stats), default=0),
        sum(each.get("spill_bytes", 0) for each in stats),
    ]


def measure(bench, entry, results):
    """What is written of a case."""
    programs = {i: each for i, each in enumerate(results) if not isinstance(each, str)}
    found = compiled(entry, results)
    case = design_cases.DesignedCase(
        entry["family"], entry["dtype"], entry["columns"], entry["held_out"]
    )
    found["us"] = []
    for turn, (rows, how) in enumerate(entry["sizes"]):
        made = case.make(rows)
        inputs = bench.inputs(made)
        for number, program in list(programs.items()):
            if refused := bench.refusal(program, inputs):
                found["errors"][number] = refused
                del programs[number]
        if turn == 0:
            found["wrong"] = bench.wrong(programs, inputs)
            for number in found["wrong"]:
                del programs[number]
        if not programs:
            raise RuntimeError(f"nothing runs: {list(found['errors'].values())[:1]}")
        if how == "graph":
            sets = [inputs, *(bench.inputs(made, i) for i in range(1, GRAPH_SETS))]
            times, late = bench.graph_times(programs, sets)
        else:
            calls = {
                number: lambda program=program: program(*inputs)
                for number, program in programs.items()
            }
            times, late = bench.times(calls)
        found["us"].append([[number, round(us, 3)] for number, us in times.items()])
        found["late"] = found.get("late", 0) + late
    return found


def compile_with(arguments):
    import fuse_compiler as fuse

    def compile_one(text):
        try:
            if arguments.compile_only:
                return fuse.inspect(text, chip=arguments.compile_only)
            return fuse.compile(text, target="cuda", cache=False)
        except fuse.Error as error:
            return str(error)[:300]

    return compile_one


class Run:
    """A pass over the plan, and what came of it."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.plan = packed.read_json(arguments.plan)
        self.number = arguments.start
        self.changed = time.monotonic()
        self.kernels = self.errors = self.wrong = self.late = 0
        self.slowest = 1.0
        mode = "a" if arguments.start else "w"
        self.file = arguments.out.open(mode)

    def write(self, found):
        self.file.write(json.dumps(found) + "\n")
        self.file.flush()
        self.changed = time.monotonic()

    def go_on_without(self, why):
        """Leaves this case behind, and the process with it."""
        entry = self.plan[self.number]
        case = [entry[key] for key in ("family", "dtype", "columns")]
        print(f"left behind: case {self.number}, {case}: {why}", flush=True)
        self.write({"failed": case, "why": why})
        options = self.arguments
        command = [sys.executable, __file__]
        for name in ("plan", "out", "jobs", "together", "until"):
            command += [f"--{name}", str(getattr(options, name))]
        os.execv(sys.executable, [*command, "--start", str(self.number + 1)])

    def watch(self):
        """In a thread of its own: nothing takes so long but what will never end."""
        while True:
            time.sleep(1)
            if time.monotonic() - self.changed > STUCK_SECONDS:
                self.go_on_without("nothing came of it in time")

    def report(self):
        left = self.arguments.until - time.time()
        print(
            f"{self.number} of {len(self.plan)} cases, {self.kernels} kernels, "
            f"{left:.0f} s left; {self.errors} errors, {self.wrong} wrong, "
            f"{self.late} late",
            flush=True,
        )

    def compile_all(self, pool, compile_one, entries):
        """A list of programs or errors for each case. Nothing is timed meanwhile: to load
        a program takes the lock that launches need, and waits for what runs."""
        futures = [
            [
                pool.submit(compile_one, with_schedule(entry["text"], schedule))
                for schedule in entry["schedules"]
            ]
            for entry in entries
        ]
        results = []
        for each in futures:
            results.append([future.result() for future in each])
            self.changed = time.monotonic()
        return results

    def measure_all(self):
        options = self.arguments
        compile_one = compile_with(options)
        pool = concurrent.futures.ThreadPoolExecutor(options.jobs)
        bench = None if options.compile_only else Bench()
        threading.Thread(target=self.watch, daemon=True).start()
        while self.number < len(self.plan):
            entries = self.plan[self.number : self.number + options.together]
            results = self.compile_all(pool, compile_one, entries)
            for entry in entries:
                if time.time() + 2 * self.slowest > options.until:
                    return self.report()
                self.measure_one(bench, entry, results.pop(0))
            self.report()
        return None

    def measure_one(self, bench, entry, results):
        start = time.monotonic()
        try:
            found = (
                measure(bench, entry, results) if bench else compiled(entry, results)
            )
        except RuntimeError as error:  # Of torch, when the device is broken.
            self.go_on_without(f"{type(error).__name__}: {error}"[:300])
        self.write(found)
        self.slowest = max(self.slowest, time.monotonic() - start)
        self.number += 1
        self.kernels += len(found["registers"])
        self.errors += len(found["errors"])
        self.wrong += len(found.get("wrong", ()))
        self.late += found.get("late", 0)


def compiled(entry, results):
    found = {key: value for key, value in entry.items() if key != "text"}
    found["errors"] = {i: e for i, e in enumerate(results) if isinstance(e, str)}
    found["registers"] = {
        i: resources(e) for i, e in enumerate(results) if not isinstance(e, str)
    }
    return found


def main():
    arguments = parse_arguments()
    arguments.until = arguments.until or time.time() + arguments.seconds
    Run(arguments).measure_all()
    sys.stdout.flush()
    # Threads may still be in the compiler.
    os._exit(0)


if __name__ == "__main__":
    main()
