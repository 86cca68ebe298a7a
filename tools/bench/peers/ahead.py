# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the programs of many cases on all cores, before anything is timed.

What compiles for seconds, as torch.compile does, would take part in few cases of a run;
what compiles for a tenth of one, as Triton's kernels and Fuse's, takes a quarter of a long
run's time. Compiled ahead, the kernels are in caches on disk, where the process that
measures finds them. It still measures Inductor's configurations itself, alone on the GPU:
here the first is taken for the best, and nothing of that is kept. Nothing here needs torch
but compile_part().
"""

import functools
import signal
import subprocess
import time

from .competitors import PLAIN, Competitors

# A part that is this much late has hung.
GRACE_SECONDS = 30


def part_of(cases, part):
    """Of "2/8" every eighth case, from the third on."""
    index, count = map(int, part.split("/"))
    return cases[index::count]


def take_first(autotuner):
    """Makes a class of Inductor's autotuners take the first configuration unmeasured."""

    def first(self, *_, **__):
        self.launchers = self.launchers[:1]

    autotuner.autotune_to_one_config = first


def competitors_of(case, competitors, everywhere):
    """The binders of what compiles for a case: those of COSTLY in each if `everywhere`."""
    costly = everywhere or case.costly
    found = competitors.of(case.family, case.case, costly, case.jit)
    return {name: bind for name, bind in found.items() if name not in PLAIN}


def compile_part(cases, peers, seconds, seed, everywhere):
    """Compiles for these cases; how many of them were not reached in time."""
    import fuse_compiler as fuse
    import torch
    from torch._inductor.runtime.triton_heuristics import CachingAutotuner

    from . import measure

    take_first(CachingAutotuner)
    signal.alarm(int(seconds) + GRACE_SECONDS)
    end = time.monotonic() + seconds
    competitors = Competitors(peers)
    for index, case in enumerate(cases):
        if time.monotonic() > end:
            return len(cases) - index
        inputs = measure.make_inputs(case.case, seed)
        binders = competitors_of(case, competitors, everywhere)
        binders["fuse"] = lambda *given, text=case.case.program: functools.partial(
            fuse.compile(text, target="cuda"), *given
        )
        for name, bind in binders.items():
            torch._dynamo.reset()
            try:
                bind(*inputs)()
            except Exception as error:  # That of the measuring process counts.
                print(f"{case.key} {name}: {type(error).__name__}", flush=True)
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
    return 0


def run_parts(words, count, start=subprocess.Popen):
    """Runs the command `words` once for each of `count` parts, all at once; how many of
    them failed."""
    parts = [start([*words, f"--part={index}/{count}"]) for index in range(count)]
    return sum(part.wait() != 0 for part in parts)
