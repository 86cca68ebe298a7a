# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How near rules came to the fastest schedule in a designed sweep, for docs/tuning.md."""

import collections

from tuning import schedule_samples
from tuning.replay_sweeps import NEAR

KINDS = {"columns": "columns", "pointwise": "pointwise", "transpose": "transposes"}
SIZES = ("large", "small", "brief", "few bytes")


def losses(entries):
    """{(kind, size of calls): [loss]}; what was chosen may not have been timed."""
    found = collections.defaultdict(list)
    for entry in entries:
        kind = entry["schedules"][0].partition("<")[0].removeprefix("#fuse.")
        for size, times in enumerate(entry["us"]):
            times = dict(map(tuple, times))
            level = schedule_samples.bucket_of(schedule_samples.moved_by(entry, size))
            chosen = entry["chosen"][level]
            if chosen in times:
                loss = times[chosen] / min(times.values()) - 1
                found[kind, level].append(loss)
    return found


def table(entries):
    found = losses(entries)
    lines = [
        "| rules, by the size of calls | calls | within 3% of the fastest | mean loss | worst |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for kind, name in KINDS.items():
        for level, size in enumerate(SIZES):
            each = found.get((kind, level))
            if not each:
                continue
            near = sum(loss <= NEAR for loss in each) / len(each)
            lines.append(
                f"| {name}, {size} | {len(each)} | {near:.0%} | "
                f"{sum(each) / len(each):.1%} | {max(each):.0%} |"
            )
    return lines
