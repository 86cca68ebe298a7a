# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two pictures of all cases: shares of a copy by row length, and ratios to the best
peer by family. Only drawing needs matplotlib; whether a picture is of today's figures
does not.
"""

import statistics

from bench.peers import pictures, summary

RED, BLUE, GREY = "#d55e00", "#0072b2", "#777777"
SHARES, RATIOS = "share-of-a-copy.svg", "best-peer.svg"


def share_ranges(cases):
    """{"16 bits" or "32 bits": [(row length, least, median and most % of a copy)]} of
    calls of 512 MiB and more."""
    found = {"16 bits": {}, "32 bits": {}}
    for case in cases:
        if case.is_large:
            width = "32 bits" if case.dtype == "f32" else "16 bits"
            found[width].setdefault(case.shape[-1], []).append(100 * case.share)
    return {
        width: [
            (length, *(round(of(shares), 1) for of in (min, statistics.median, max)))
            for length, shares in sorted(lengths.items())
        ]
        for width, lengths in found.items()
    }


def ratio_ranges(cases):
    """[(family, least, lower quartile, median, upper quartile, most)]."""
    found = []
    for name, group in summary.by_family(cases).items():
        known = summary.ratios(group)
        if len(known) > 1:
            quartiles = statistics.quantiles(known, n=4, method="inclusive")
            five = (min(known), *quartiles, max(known))
            found.append((summary.NAMES[name], *(round(ratio, 3) for ratio in five)))
    return found


def figures(cases):
    """{file: what it shows}."""
    return {SHARES: share_ranges(cases), RATIOS: ratio_ranges(cases)}


def stale(cases, folder):
    """The pictures in `folder` that are not of these cases, or not there."""
    return [
        folder / name
        for name, data in figures(cases).items()
        if not pictures.shows(folder / name, data)
    ]


def draw(cases, folder):
    pictures.begin()
    draws = {SHARES: _shares, RATIOS: _ratios}
    for name, data in figures(cases).items():
        figure = draws[name](data)
        figure.tight_layout(rect=(0, 0, 1, 0.95 if name == SHARES else 1))
        pictures.save(figure, folder / name, data)


def _shares(ranges):
    from matplotlib import pyplot

    figure, axis = pyplot.subplots(figsize=(8, 3.6))
    axis.axhline(100, color="black", linestyle="--", linewidth=1, label="a copy")
    for colour, aside, width in ((RED, 0.97, "16 bits"), (BLUE, 1.03, "32 bits")):
        lengths, least, median, most = zip(*ranges[width])
        positions = [length * aside for length in lengths]
        axis.vlines(positions, least, most, color=colour, linewidth=1.5, alpha=0.6)
        label = f"elements of {width}: median, worst and best family"
        axis.plot(positions, median, "o", color=colour, markersize=4, label=label)
    axis.set_xscale("log", base=2)
    axis.set_xlabel("elements of a row")
    axis.set_ylabel("% of a copy's speed")
    axis.grid(alpha=0.3)
    figure.legend(loc="upper center", ncols=3, fontsize="small", frameon=False)
    return figure


def _ratios(ranges):
    from matplotlib import pyplot
    from matplotlib.ticker import FixedLocator, NullFormatter, StrMethodFormatter

    figure, axis = pyplot.subplots(figsize=(8, 4.6))
    for row, (_, least, lower, median, upper, most) in enumerate(reversed(ranges)):
        axis.hlines(row, least, most, color=GREY, linewidth=1)
        axis.hlines(row, lower, upper, color=BLUE, linewidth=6)
        axis.plot([median], [row], "o", color=RED, markersize=5)
    axis.axvline(1, color="black", linestyle="--", linewidth=1)
    axis.set_yticks(range(len(ranges)), [each[0] for each in reversed(ranges)])
    axis.set_xscale("log", base=2)
    axis.xaxis.set_major_locator(FixedLocator([0.9, 1, 1.25, 1.5, 2, 3, 4, 6]))
    axis.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axis.xaxis.set_minor_formatter(NullFormatter())
    axis.set_xlabel(
        "time of the fastest peer / time of Fuse (right of 1: Fuse is faster)"
    )
    axis.grid(axis="x", alpha=0.3)
    return figure
