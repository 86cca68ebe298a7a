# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How near choices came to the fastest schedule in a designed sweep, for docs/tuning.md."""

import collections

from tuning import schedule_samples
from tuning.replay_sweeps import NEAR

KINDS = {"pointwise": "pointwise", "transpose": "transposes"}
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


def _line(name, calls, *numbers):
    """Each of the numbers is written as often as there are those that chose."""
    near, mean, worst = (
        ", ".join(form.format(one) for one in each)
        for form, each in zip(("{:.0%}", "{:.1%}", "{:.0%}"), zip(*numbers))
    )
    return f"| {name} | {calls} | {near} | {mean} | {worst} |"


def table(entries, fit):
    """`fit` is the report of fit_schedules.py on columns that no tree has seen."""
    found = losses(entries)
    lines = [
        "| by the size of calls; of columns rules, then trees | calls | within 3% of the fastest | mean loss | worst |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for size in SIZES:
        both = fit[f"size {size.partition(' ')[0]}"]
        numbers = [
            [both[key][each] for each in ("near", "mean", "worst")]
            for key in ("rules", "model")
        ]
        calls = both["model"]["calls"]
        lines.append(_line(f"columns, {size}", calls, *numbers))
    for kind, name in KINDS.items():
        for level, size in enumerate(SIZES):
            each = found.get((kind, level))
            if not each:
                continue
            near = sum(loss <= NEAR for loss in each) / len(each)
            numbers = (near, sum(each) / len(each), max(each))
            lines.append(_line(f"{name}, {size}", len(each), numbers))
    return lines
