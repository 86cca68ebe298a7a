# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the backend did with each graph: its regions, what stayed eager, and why."""

import threading
from collections import Counter
from dataclasses import dataclass, field

from fuse_compiler._library import Error


@dataclass
class RegionReport:
    """One region.

    operators  of its nodes, in their order
    kernels    the ops of each kernel; () if it was not compiled
    program    the program's text
    failure    why it runs eagerly all the same, or None; a call may find that, too
    """

    name: str
    operators: tuple
    kernels: tuple
    program: str = field(repr=False)
    failure: str | None = None
    _pending: object = field(default=None, repr=False, compare=False)

    def settle(self):
        """Waits until its program is compiled or refused."""
        pending, self._pending = self._pending, None
        if pending is None:
            return
        try:
            program = pending.result()
        except Error as error:
            self.failure = str(error)
            return
        self.kernels = tuple(kernel.ops for kernel in program.kernels)

    def fail(self, message):
        """Remembers that it runs eagerly, and why."""
        self.failure = message


@dataclass(frozen=True)
class GraphReport:
    """One graph: "inference", "forward" or "backward".

    regions  a RegionReport for each
    eager    by operator and reason, how many nodes are left to torch
    replay   with CUDA graphs "replayed", or why not; else ""
    """

    kind: str
    regions: tuple
    eager: dict
    replay: str = ""

    @property
    def coverage(self):
        """The part of the graph's operators, views left out, that regions run."""
        inside = sum(len(r.operators) for r in self.regions if r.failure is None)
        outside = sum(self.eager.values())
        outside += sum(len(r.operators) for r in self.regions if r.failure is not None)
        return inside / (inside + outside) if inside + outside else 0.0

    def __str__(self):
        kernels = sum(len(r.kernels) for r in self.regions)
        lines = [
            f"{self.kind}: {len(self.regions)} regions with {kernels} kernels, "
            f"{self.coverage:.0%} of the operators"
        ]
        for region in self.regions:
            lines.append(f"  {region.name}: {len(region.operators)} operators")
            lines += [f"    {', '.join(kernel)}" for kernel in region.kernels]
            if region.failure:
                lines.append(f"    eager: {region.failure}")
        for (operator, reason), count in sorted(self.eager.items()):
            lines.append(f"  eager: {count} x {operator}: {reason}")
        if self.replay:
            lines.append(f"  CUDA graphs: {self.replay}")
        return "\n".join(lines)


_lock = threading.Lock()
_graphs = []


def add_graph(kind, regions, reasons, replay=""):
    """Remembers a graph; `reasons` are (operator, reason) of what stayed eager."""
    with _lock:
        _graphs.append(
            GraphReport(kind, tuple(regions), dict(Counter(reasons)), replay)
        )


def report():
    """A GraphReport for each graph that was compiled since reset_report()."""
    with _lock:
        graphs = tuple(_graphs)
    for graph in graphs:
        for region in graph.regions:
            region.settle()
    return graphs


def reset_report():
    """Forgets all graphs."""
    with _lock:
        _graphs.clear()
