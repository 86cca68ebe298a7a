# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that are prepared side by side and then measured one after another.

Most of a model's time goes into tracing and compiling, which the processor does. So the processes
of a batch do that at once, and compare their results; then each measures while the others wait.
"""

import time

# A compiler may be at work when the time is over.
GRACE = 20


def run_batches(start, items, size, seconds, measuring, left, clock=time.monotonic):
    """Yields the entry of each item, which is written also where its time ended.

    start      makes the process of an item: an object with begin(seconds), is_waiting(), which
               says whether it is prepared or has ended, and finish(seconds) to its entry
    size       so many processes are prepared at once
    seconds    to prepare one
    measuring  seconds to measure one
    left       a function to the seconds that are left of all
    """
    batches = [items[i : i + size] for i in range(0, len(items), size)]
    following = [start(item) for item in batches[0]] if batches else []
    for number, batch in enumerate(batches):
        processes = following
        if left() < GRACE:
            for process in processes:
                process.close()
            return
        # Imports take ten seconds and no GPU; they are over before this batch is measured.
        after = batches[number + 1] if number + 1 < len(batches) else []
        following = [start(item) for item in after]
        prepare(processes, min(seconds, left()), clock)
        for process in processes:
            yield process.finish(max(min(measuring, left()), 0))
            process.close()


def prepare(processes, seconds, clock=time.monotonic, pause=time.sleep):
    """Until all wait to be measured, or have ended, or their seconds and GRACE are over."""
    for process in processes:
        process.begin(seconds)
    end = clock() + seconds + GRACE
    while clock() < end and not all(p.is_waiting() for p in processes):
        pause(0.2)
