# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fills the caches of what peers tune, by several processes at a time.

Most of tuning is compiling, which the processor does. So models are tuned side by side, and measured
later, each alone, by processes that find the choices in their caches. Inductor's own measurements
wait for each other: a kernel that runs beside another's would be chosen by accident.
"""

import fcntl
import functools
import os
import threading
import time
from pathlib import Path

# Those whose products are tuned.
TUNED = ("max", "max-graphs")


def alone(function, path):
    """The function, one call at a time among processes that know the file; calls nest."""
    mutex, depth = threading.RLock(), 0

    @functools.wraps(function)
    def locked(*arguments, **options):
        nonlocal depth
        with mutex, open(path, "w") as file:
            if depth == 0:
                fcntl.flock(file, fcntl.LOCK_EX)
            depth += 1
            try:
                return function(*arguments, **options)
            finally:
                depth -= 1

    return locked


def measure_alone(path):
    """Makes Inductor's measurements on a GPU wait for those of other processes."""
    from torch._inductor.runtime import benchmarking

    kind = type(benchmarking.benchmarker)
    kind.benchmark_gpu = alone(kind.benchmark_gpu, path)


def environment(folder, workers):
    """Of a process that tunes or finds what was tuned: caches that both share.

    workers  processes that compile for it
    """
    return {
        "TORCHINDUCTOR_CACHE_DIR": f"{folder}/inductor",
        "TRITON_CACHE_DIR": f"{folder}/triton",
        "TORCHINDUCTOR_COMPILE_THREADS": str(workers),
    }


def workers_of(jobs):
    """Processes that compile for each of so many jobs on this machine."""
    return max((os.cpu_count() or 1) // max(jobs, 1), 2)


class Turns:
    """At most `jobs` of the processes run at a time, until the seconds are over.

    start   starts the process of an item: an object with poll(), as subprocess.Popen has it, and
            kill()
    """

    def __init__(self, start, jobs, seconds, clock=time.monotonic, pause=time.sleep):
        self._start, self._jobs, self._pause = start, jobs, pause
        self._clock, self._end = clock, clock() + seconds

    def run(self, items):
        """By item whether its process ended well in time."""
        waiting, running, done = list(items), {}, {}
        while (waiting or running) and self._clock() < self._end:
            while waiting and len(running) < self._jobs:
                item = waiting.pop(0)
                running[item] = self._start(item)
            for item in [i for i, p in running.items() if p.poll() is not None]:
                done[item] = running.pop(item).poll() == 0
            self._pause(0.5)
        for item, process in running.items():
            process.kill()
            done[item] = False
        return {**done, **{item: False for item in waiting}}


def lock_file(folder, gpu):
    return Path(folder) / f"gpu{gpu}.lock"
