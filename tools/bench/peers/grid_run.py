# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The grid on a GPU: one process, one case after another, results written every
few seconds."""

import contextlib
import datetime
import signal
import time

import fuse_compiler as fuse
import torch

from . import grid_report, measure, schedules
from .blame import TIMING, Blame
from .competitors import COSTLY, Competitors

# A case that takes longer has hung: the process is ended, and started anew.
CASE_SECONDS = 150
# What compiles for seconds takes part while so much time is left.
COSTLY_SECONDS = 15
# Results of so long are lost at most where the process ends, and measured again.
WRITE_SECONDS = 5
# Bytes of buffers that calls in a graph rotate over: more than an L2 cache.
ROTATION_BYTES = 256 << 20
# Calls that move so little use so many sets of buffers in turn.
PLACED_BYTES, PLACES = 256 << 20, 5


class ContextLost(Exception):
    """The GPU does not answer this process any more."""


class GridRun:
    def __init__(self, arguments, cases, folder, commit):
        self.cases, self.folder, self.commit = cases, folder, commit
        self.seconds, self.seed = arguments.seconds, arguments.seed
        self.deadline = time.monotonic() + arguments.budget
        self.costly_left = arguments.costly_seconds
        self.costly_everywhere = arguments.ahead > 0
        self.competitors = Competitors(arguments.peers)
        self.events = measure.Stopwatch()
        self.graphs = measure.GraphStopwatch()
        self.entries = grid_report.read_entries(folder / "grid.json")
        self.blame = Blame(folder)
        self.written = time.monotonic()
        self.gpu = torch.cuda.get_device_name()
        self.chip = "sm_{}{}".format(*torch.cuda.get_device_capability())
        self.run_facts = {
            "gpu": self.gpu,
            "fuse": fuse.version(),
            "torch": torch.__version__,
            "missing": self.competitors.missing,
            "seed": self.seed,
            "skipped": 0,
        }

    def provenance(self):
        date = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        return {"gpu": self.gpu, "date": date, "commit": self.commit}

    def run(self):
        """Measures what is not there yet; the number of cases with a wrong result."""
        left = grid_report.remaining(self.cases, self.entries)
        # A case without what should take part in all would be done all the same.
        least = COSTLY_SECONDS if self.costly_everywhere else 0
        for index, case in enumerate(left):
            if self._time_left() < least:
                self.run_facts["skipped"] = len(left) - index
                break
            self._guarded(case)
        self.write()
        return sum(not entry["correct"] for entry in self.entries)

    def _guarded(self, case):
        # The signal ends the process, since nothing else ends a hung compiler.
        signal.alarm(CASE_SECONDS)
        times, checks, kernels = {}, {}, []
        try:
            self._measure(case, times, checks, kernels)
        except ContextLost:
            raise
        except Exception as error:  # Also what is no competitor's fault.
            checks.setdefault("fuse", {"failed": _text(error)})
        signal.alarm(0)
        self._add(case, times, checks, kernels)
        self.blame.clear()
        torch.cuda.empty_cache()

    def _add(self, case, times, checks, kernels):
        entry = grid_report.entry_of(case, times, checks, kernels, self.provenance())
        self.entries = grid_report.merged(self.entries, [entry])
        print(grid_report.row(entry), flush=True)
        if time.monotonic() - self.written >= WRITE_SECONDS:
            self.write()

    def write(self):
        self.written = time.monotonic()
        grid_report.write(self.folder, self.entries, self.run_facts)

    def _measure(self, case, times, checks, kernels):
        suspects = self.blame.suspects(case)
        if TIMING in suspects:
            checks["fuse"] = {"failed": "the process ended while it was timed"}
            return
        costly = self._is_costly(case)
        torch._dynamo.reset()
        binders = {}
        try:
            program = fuse.compile(case.case.program, target="cuda")
            binders["fuse"] = lambda *inputs: lambda: program(*inputs)
            kernels += schedules.of_case(case, self.chip)
        except fuse.Error as error:
            checks["fuse"] = {"failed": str(error)}
        binders |= self.competitors.of(case.family, case.case, costly, case.jit)
        sets = self._input_sets(case)
        reference = measure.reference_of(case.case, sets[0])
        calls = {}
        for name, binder in binders.items():
            if name in suspects:
                checks[name] = {"failed": "the process ended in it"}
                continue
            self.blame.note(case, name)
            calls[name] = self._bound(name, binder, sets, reference, checks)
        del reference
        torch.cuda.empty_cache()
        calls = {name: bound for name, bound in calls.items() if bound}
        self.blame.note(case, TIMING)
        self._time(case, calls, len(sets), times, checks)

    def _is_costly(self, case):
        """Whether what compiles for seconds takes part."""
        wanted = case.costly or self.costly_everywhere
        return wanted and min(self.costly_left, self._time_left()) > COSTLY_SECONDS

    def _input_sets(self, case):
        """The inputs; for a graph as many sets as make it read from all over the cache,
        for other short calls some that lie elsewhere."""
        count = PLACES if case.case.bytes <= PLACED_BYTES else 1
        if case.timing == "graph":
            most = ROTATION_BYTES // max(case.case.bytes, 1)
            count = max(2, min(self.graphs.launches, most))
        first = measure.make_inputs(case.case, self.seed)
        return [first] + [[each.clone() for each in first] for _ in range(count - 1)]

    def _bound(self, name, binder, sets, reference, checks):
        """The competitor's calls, one a set of inputs, the first of them checked."""
        start = time.monotonic()
        try:
            bound = [binder(*inputs) for inputs in sets]
            outputs = measure.as_tuple(bound[0]())
            torch.cuda.synchronize()
            first = time.monotonic() - start
            largest, wrong = measure.check(outputs, reference)
            checks[name] = {
                "max_error": largest,
                "wrong": wrong,
                "first_call_s": round(first, 3),
            }
        except Exception as error:  # A competitor that fails is a result.
            checks[name] = {"failed": _text(error)}
            _expect_context(error)
            return None
        finally:
            if name in COSTLY:
                self.costly_left -= time.monotonic() - start
        return bound

    def _time(self, case, calls, num_sets, times, checks):
        copies = [measure.copy_of(case.case.bytes) for _ in range(num_sets)]
        functions = {**calls, "copy": copies}
        if case.reads:
            functions["read"] = [
                measure.read_of(case.case.bytes) for _ in range(num_sets)
            ]
        if case.timing == "graph":
            found, errors = self.graphs.run(functions, self.seconds)
            for name, error in errors.items():
                checks[name] = {"failed": error}
        else:
            found = self.events.run(functions, self.seconds)
        times.update(found)

    def _time_left(self):
        return self.deadline - time.monotonic()


def _expect_context(error):
    """Raises ContextLost if the GPU does not answer after `error`."""
    # A launch that was refused leaves its error to the next one.
    with contextlib.suppress(RuntimeError):
        torch.zeros(1, device="cuda")
    try:
        torch.cuda.synchronize()
    except RuntimeError as lost:
        raise ContextLost(_text(error)) from lost


def _text(error):
    return f"{type(error).__name__}: {error}"[:500]
