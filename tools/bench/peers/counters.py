# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Nsight Compute's counters say of a case of the grid. Nothing here needs a GPU.

A profile, an entry's "profile" in grid.json, sums up the launches of a case:

    {"us": 140.1, "read": 1.0, "written": 0.9, "dram": 88.0, "l2": 84.0, "l1": 61.0,
     "issue": 56.0, "occupancy": 96.0, "waves": 15.5, "instructions": 14.1,
     "waits": {"long_scoreboard": 61.0, "barrier": 20.0}}

    us              of the launches, the cache empty and clean before each
    read, written   bytes from and to DRAM over all that the operation must move; writes
                    that are still in the L2 at the end are not among them
    dram, l2, l1    % of what each can sustain, of the longest launch, as all that follows
    issue           % of the cycles in which a scheduler issues an instruction
    occupancy       % of the warps that a multiprocessor can have
    waves           blocks over those that the GPU holds at once; null if unknown
    instructions    that threads execute, all launches together, for an element of the
                    first input
    waits           % of the time of warps, of what takes 5% and more
"""

import csv
import math

STALL = ("smsp__average_warps_issue_stalled_", "_per_issue_active.ratio")
# Names in a profile of ncu's metrics.
PERCENTS = {
    "dram": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "l2": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "l1": "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "issue": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "occupancy": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "waves": "launch__waves_per_multiprocessor",
}
TIME = "gpu__time_duration.sum"
READ = "dram__bytes_read.sum"
WRITTEN = "dram__bytes_write.sum"
EXECUTED = "smsp__inst_executed.sum"
METRICS = (TIME, READ, WRITTEN, EXECUTED, *PERCENTS.values())
# Waits that take a smaller part are not named.
LEAST_WAIT = 5
# What engineers say of the hardware's reasons.
REASONS = {
    "long_scoreboard": "loads",
    "short_scoreboard": "shared memory, exponentials",
    "barrier": "barrier",
    "membar": "fence",
    "wait": "fixed latency",
    "not_selected": "other warps",
    "selected": "issuing",
    "math_pipe_throttle": "arithmetic pipe",
    "lg_throttle": "queue of loads",
    "mio_throttle": "queue of shared memory",
    "drain": "stores at the end",
    "no_instruction": "instruction cache",
    "dispatch_stall": "dispatch",
    "branch_resolving": "branches",
    "sleeping": "sleep",
}


def options():
    """Those of ncu that `read_launches` wants. Clocks stay as they are: others may use
    the machine."""
    return [
        *("--csv", "--page", "raw", "--print-units", "base"),
        *("--clock-control", "none", "--profile-from-start", "off"),
        *("--section", "WarpStateStats", "--metrics", ",".join(METRICS)),
    ]


def read_launches(text):
    """A dict of ncu's metrics for each launch, in their order."""
    lines = [line for line in text.splitlines() if not line.startswith("==")]
    launches = []
    for row in csv.DictReader(lines):
        # The line after the header has the units.
        if row.get("Kernel Name"):
            launches.append({name: _number(value) for name, value in row.items()})
    return launches


def _number(text):
    try:
        return float(text.replace(",", ""))
    except (AttributeError, ValueError):
        return math.nan


def _waits(launch):
    """% of the time of warps by reason, the largest first."""
    prefix, suffix = STALL
    cycles = {
        name[len(prefix) : -len(suffix)]: value
        for name, value in launch.items()
        if name.startswith(prefix) and name.endswith(suffix) and value > 0
    }
    total = sum(cycles.values())
    percents = {name: round(100 * each / total, 1) for name, each in cycles.items()}
    ordered = sorted(percents.items(), key=lambda item: -item[1])
    return {name: percent for name, percent in ordered if percent >= LEAST_WAIT}


def profile_of(launches, num_bytes, num_elements):
    """The profile of the launches of one call."""
    longest = max(launches, key=lambda each: each[TIME])

    def total(metric):
        return sum(each[metric] for each in launches)

    profile = {"us": round(total(TIME) * 1e-3, 2)}
    profile["read"] = round(total(READ) / num_bytes, 3)
    profile["written"] = round(total(WRITTEN) / num_bytes, 3)
    for name, metric in PERCENTS.items():
        # The tool has no waves of blocks that its model of occupancy does not fit.
        known = math.isfinite(longest[metric])
        profile[name] = round(longest[metric], 1) if known else None
    profile["instructions"] = round(total(EXECUTED) * 32 / num_elements, 1)
    return profile | {"waits": _waits(longest)}


def describe(profile):
    """A profile as a table's cells: bytes, units, instructions and waits."""
    moved = f"{profile['read']:.2f} + {profile['written']:.2f}"
    units = " / ".join(_cell(profile[name]) for name in ("dram", "l2", "l1", "issue"))
    waits = ", ".join(
        f"{REASONS.get(name, name)} {percent:.0f}"
        for name, percent in list(profile["waits"].items())[:3]
    )
    counts = (_cell(profile[name], 1) for name in ("waves", "instructions"))
    return [moved, units, *counts, waits]


def _cell(number, digits=0):
    return "" if number is None else f"{number:.{digits}f}"


CELLS = ("read + written", "DRAM / L2 / L1 / issue %", "waves", "instr.", "waits %")
