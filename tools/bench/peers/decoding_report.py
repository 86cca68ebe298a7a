# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What compare_few_rows.py has measured, as tables.

Each case has two figures:

    ratio   the fastest peer's time over Fuse's; above 1 Fuse is faster
    share   of the read bandwidth: the bytes of the weight over Fuse's time, over the same
            of the fastest kernel that only reads, of all cases of the run
"""

import statistics

from . import summary
from .contraction_cases import BF16_BYTES
from .contraction_report import is_measured

PEERS = ("cublas", "cublaslt", "compile-max", "quack")
# By rows, up to so many: the ratio and the share that are asked for.
BARS = ((1, 1.0, 0.90), (8, 1.0, 0.80), (16, 1.0, 0.0), (64, 0.95, 0.0))


def bars_of(rows):
    """The ratio and the share that are asked for of so many rows."""
    return next(bars for most, *bars in BARS if rows <= most)


def _medians(entry):
    """Microseconds by name, of right results only."""
    return {
        name: times["median"]
        for name, times in entry["graph"].items()
        if not entry["errors"].get(name, {}).get("wrong")
    }


def ratio(entry):
    times = _medians(entry)
    return min(times[name] for name in PEERS if name in times) / times["fuse"]


def weight_bytes(entry):
    _, n, k = entry["shape"]
    return n * k * BF16_BYTES


def bandwidth(entries):
    """Bytes a microsecond of the fastest read; 0 where none was timed."""
    rates = [
        weight_bytes(entry) / entry["graph"]["read"]["median"]
        for entry in entries
        if "read" in entry["graph"]
    ]
    return max(rates, default=0)


def share(entry, most):
    """Of a bandwidth in bytes a microsecond."""
    return weight_bytes(entry) / _medians(entry)["fuse"] / most


def line(entry):
    """A case in a line, as it is measured."""
    mine = entry["errors"].get("fuse", {"failed": "not compiled"})
    if "failed" in mine:
        return f"{entry['name']:40} failed: {mine['failed'].splitlines()[0]}"
    if mine["wrong"]:
        return f"{entry['name']:40} WRONG: {mine['wrong']} elements"
    times = "  ".join(f"{name} {us:.1f}" for name, us in _medians(entry).items())
    return (
        f"{entry['name']:40} {ratio(entry):.3f} of the best peer, "
        f"{share(entry, bandwidth([entry])):.3f} of a read  ({times} us)  "
        f"{len(entry['kernels'])} kernels"
    )


def table(entries):
    """A line a number of rows."""
    most, rows = bandwidth(entries), []
    found = [entry for entry in entries if is_measured(entry)]
    for count in sorted({entry["shape"][0] for entry in found}):
        its = [entry for entry in found if entry["shape"][0] == count]
        least, part = bars_of(count)
        worst = min(its, key=ratio)
        shares = [share(entry, most) for entry in its]
        missed = sum(
            ratio(entry) < least or its_share < part
            for entry, its_share in zip(its, shares, strict=True)
        )
        rows.append(
            [count, len(its), f"{statistics.median(map(ratio, its)):.2f}"]
            + [f"{ratio(worst):.2f}: {worst['name'].rsplit(' ', 2)[0]}"]
            + [f"{statistics.median(shares):.2f}", f"{min(shares):.2f}"]
            + [f"{least:.2f}" + (f", {part:.2f} of a read" if part else ""), missed]
        )
    header = ("rows", "cases", "ahead of the best peer", "worst", "of a read")
    return summary.table((*header, "least", "asked for", "missed"), rows)


def report(entries):
    """The table, and the bandwidth that shares are of."""
    rate = bandwidth(entries) / 1e6
    return "\n".join([*table(entries), "", f"the fastest read: {rate:.2f} TB/s"])
