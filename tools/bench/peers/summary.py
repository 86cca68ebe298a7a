# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the grid and the comparison with torch.compile say together, a case at a time and a
family at a time.

Each case has two figures:

    share   Fuse's speed over that of a device copy of equal bytes in the same rounds;
            1 is as fast as the copy
    ratio   the fastest peer's time over Fuse's; above 1 Fuse is faster. A peer counts if
            its result was right. torch.compile was measured in runs of its own, so its
            ratio is to Fuse's time in that run.
"""

import statistics
from dataclasses import dataclass

from .grid_report import key_of

# Calls from here on are bound by memory alone.
LARGE_BYTES = 400 << 20
# As fast as, and behind: parts of the peer's time.
EQUAL, BEHIND = 0.995, 1 / 1.03

NAMES = {
    "softmax": "softmax",
    "rms_norm": "RMSNorm",
    "add+rms_norm": "addition, then RMSNorm",
    "layer_norm": "LayerNorm",
    "logsumexp": "log-sum-exp",
    "cross_entropy": "cross-entropy",
    "mean_cross_entropy": "mean cross-entropy",
    "rms_norm_backward": "gradients of RMSNorm",
    "sum": "sum of a tensor",
    "column_sum": "sums of columns",
    "gelu": "GELU",
    "swiglu": "SwiGLU",
    "bias+gelu+residual": "bias, GELU, residual",
    "quantize_f8": "rows quantised to f8",
    "rope_interleaved": "RoPE, interleaved",
    "rope_qk": "RoPE of Q and K",
    "rope_computed": "RoPE, angles computed",
}
PEERS = {
    "eager": "torch",
    "compile": "torch.compile",
    "compile-max": "torch.compile, max-autotune",
    "triton": "Triton",
    "liger": "Liger",
    "quack": "QuACK",
    "flashinfer": "FlashInfer",
}


def gpus(entries, key="gpu"):
    """The names of those that entries were measured on."""
    return ", ".join(sorted({entry[key] for entry in entries}))


def days(entries):
    """The days of entries, as a text."""
    found = sorted({entry["date"][:10] for entry in entries})
    return found[0] if len(found) == 1 else f"{found[0]} to {found[-1]}"


def measured_on(entries):
    """GPUs and days."""
    return f"{gpus(entries)}, {days(entries)}"


@dataclass(frozen=True)
class Case:
    family: str
    set: str
    dtype: str
    shape: tuple
    bytes: int
    share: float
    # None where no peer's result was right.
    ratio: float | None
    peer: str | None

    @property
    def is_large(self):
        return self.bytes >= LARGE_BYTES

    @property
    def text(self):
        shape = "x".join(map(str, self.shape))
        return f"{NAMES[self.family]}, {self.dtype}, {shape}"


def _ratio(entry):
    """(peer / Fuse, the peer) of an entry, or nothing."""
    if not entry or not entry.get("best_peer_us") or "fuse_us" not in entry:
        return []
    return [(entry["best_peer_us"] / entry["fuse_us"], entry["best_peer"])]


def compare(grid, compiled):
    """The cases of the grid, each beside the fastest peer of both files."""
    others = {key_of(entry): entry for entry in compiled}
    found = []
    for entry in grid:
        ratios = _ratio(entry) + _ratio(others.get(key_of(entry)))
        ratio, peer = min(ratios, default=(None, None))
        case = Case(
            entry["family"],
            entry["set"],
            entry["dtype"],
            tuple(entry["shape"]),
            entry["bytes"],
            entry["copy_us"] / entry["fuse_us"],
            ratio,
            peer,
        )
        found.append(case)
    return found


def by_family(cases):
    """{family: its cases}, in the order of NAMES."""
    groups = {name: [case for case in cases if case.family == name] for name in NAMES}
    return {name: group for name, group in groups.items() if group}


def ratios(cases):
    return [case.ratio for case in cases if case.ratio is not None]


def table(header, rows):
    """Lines of a Markdown table; all columns but the first are numbers."""
    rule = ["---", *["---:"] * (len(header) - 1)]
    return ["| " + " | ".join(map(str, row)) + " |" for row in (header, rule, *rows)]


def _median_and_least(values, form):
    if not values:
        return ["", ""]
    return [form.format(statistics.median(values)), form.format(min(values))]


FAMILY_HEADER = (
    "family",
    "cases",
    "share, large",
    "worst",
    "share, other",
    "worst",
    "peer / Fuse",
    "worst",
)


def family_row(name, cases):
    large = [case.share for case in cases if case.is_large]
    others = [case.share for case in cases if not case.is_large]
    return [
        name,
        len(cases),
        *_median_and_least(large, "{:.0%}"),
        *_median_and_least(others, "{:.0%}"),
        *_median_and_least(ratios(cases), "{:.2f}"),
    ]


def family_table(cases):
    rows = [family_row(NAMES[name], group) for name, group in by_family(cases).items()]
    return table(FAMILY_HEADER, [*rows, family_row("**all**", cases)])


@dataclass(frozen=True)
class Totals:
    compared: int
    # As fast as the best peer, or faster; and more than 3% slower.
    ahead: int
    behind: int
    median: float
    worst: float
    large_share: float


def totals(cases):
    found = ratios(cases)
    return Totals(
        compared=len(found),
        ahead=sum(ratio >= EQUAL for ratio in found),
        behind=sum(ratio < BEHIND for ratio in found),
        median=statistics.median(found),
        worst=min(found),
        large_share=statistics.median(case.share for case in cases if case.is_large),
    )


def farthest_behind(cases, count):
    """Those that the fastest peer is ahead of by most."""
    known = [case for case in cases if case.ratio is not None]
    return sorted(known, key=lambda case: case.ratio)[:count]


def least_shares(cases):
    """The slowest large case of each family beside the copy, the slowest first."""
    large = [case for case in cases if case.is_large]
    slowest = [
        min(group, key=lambda case: case.share) for group in by_family(large).values()
    ]
    return sorted(slowest, key=lambda case: case.share)
