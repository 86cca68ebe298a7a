# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The grid as pictures: rates over row lengths, and a roofline. Needs matplotlib.

Rates are the bytes that an operation must move, over its time: what reads a row twice
shows as a lower rate.
"""

import math

from . import pictures

# Colours that the colour-blind can tell apart (Okabe and Ito), one a competitor.
COLOURS = {
    "fuse": "#d55e00",
    "copy": "#000000",
    "eager": "#999999",
    "compile": "#0072b2",
    "compile-max": "#56b4e9",
    "triton": "#009e73",
    "liger": "#cc79a7",
    "quack": "#e69f00",
    "flashinfer": "#f0e442",
}
# Operations for each element of the first input, counted by hand: an exponential, a
# division or a root is one. For the roofline only.
OPERATIONS = {
    "softmax": 5,
    "rms_norm": 4,
    "add+rms_norm": 5,
    "layer_norm": 8,
    "logsumexp": 4,
    "cross_entropy": 5,
    "sum": 1,
    "column_sum": 1,
    "gelu": 10,
    "swiglu": 5,
    "bias+gelu+residual": 12,
    "quantize_f8": 4,
    "rope_interleaved": 3,
    "rope_qk": 3,
    "rope_computed": 3,
}


def gigabytes_per_second(entry, microseconds):
    return entry["bytes"] / microseconds * 1e-3


def series(entries):
    """{competitor: [(row length, GB/s), ...]} of entries of one family."""
    found = {}
    for entry in sorted(entries, key=lambda entry: entry["shape"][-1]):
        times = {name: entry.get(f"{name}_us") for name in ("copy", "fuse")}
        times |= {name: each.get("us") for name, each in entry["competitors"].items()}
        for name, microseconds in times.items():
            if microseconds:
                point = entry["shape"][-1], gigabytes_per_second(entry, microseconds)
                found.setdefault(name, []).append(point)
    return found


def roofline_points(entries):
    """(operations a byte, operations a second, family) for what Fuse has measured."""
    points = []
    for entry in entries:
        if "fuse_us" in entry and entry["family"] in OPERATIONS:
            operations = OPERATIONS[entry["family"]] * math.prod(entry["shape"])
            seconds = entry["fuse_us"] * 1e-6
            points.append(
                (operations / entry["bytes"], operations / seconds, entry["family"])
            )
    return points


def figures(entries):
    """{file: what it shows} of entries of the set `stream`."""
    stream = [entry for entry in entries if entry["set"] == "stream"]
    found = {}
    for dtype in sorted({entry["dtype"] for entry in stream}):
        chosen = [entry for entry in stream if entry["dtype"] == dtype]
        found[f"bandwidth-{dtype}.svg"] = {
            family: series([each for each in chosen if each["family"] == family])
            for family in _families(chosen)
        }
    if stream:
        copies = [
            gigabytes_per_second(entry, entry["copy_us"])
            for entry in stream
            if "copy_us" in entry
        ]
        points = roofline_points(stream)
        found["roofline.svg"] = {"points": points, "copy": max(copies, default=0)}
    return found


def stale(entries, folder):
    """The pictures in `folder` that are not of these entries, or not there."""
    return [
        folder / name
        for name, data in figures(entries).items()
        if not pictures.shows(folder / name, data)
    ]


def draw(entries, folder):
    """Writes bandwidth-TYPE.svg and roofline.svg into `folder`; gives their paths."""
    pictures.begin()
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in figures(entries).items():
        dtype = name.removesuffix(".svg").rpartition("-")[2]
        is_roofline = name == "roofline.svg"
        figure = _roofline(data) if is_roofline else _bandwidth(data, dtype)
        pictures.save(figure, folder / name, data)
    return [folder / name for name in figures(entries)]


def _families(entries):
    return list(dict.fromkeys(entry["family"] for entry in entries))


def _bandwidth(families, dtype):
    """A panel a family."""
    from matplotlib import pyplot

    across = min(3, len(families))
    down = -(-len(families) // across)
    figure, axes = pyplot.subplots(
        down, across, figsize=(5 * across, 3.2 * down), squeeze=False
    )
    for axis in axes.flat[len(families) :]:
        axis.set_visible(False)
    handles = {}
    for axis, (family, lines) in zip(axes.flat, families.items()):
        for name, points in lines.items():
            style = "--" if name == "copy" else "-"
            (line,) = axis.plot(
                *zip(*points),
                style,
                color=COLOURS.get(name, "#777777"),
                linewidth=2 if name == "fuse" else 1,
                marker=None if name == "copy" else ".",
            )
            handles.setdefault(name, line)
        axis.set_xscale("log", base=2)
        axis.set_ylim(bottom=0)
        axis.set_title(f"{family}, {dtype}")
        axis.set_xlabel("elements of a row")
        axis.set_ylabel("GB/s")
        axis.grid(alpha=0.3)
    figure.legend(handles.values(), handles, loc="lower center", ncols=len(handles))
    figure.tight_layout(rect=(0, 0.25 / down * 0.4, 1, 1))
    return figure


def _roofline(data):
    from matplotlib import pyplot

    figure, axis = pyplot.subplots(figsize=(8, 5))
    points, copy = data["points"], data["copy"]
    for number, family in enumerate(dict.fromkeys(point[2] for point in points)):
        own = [point[:2] for point in points if point[2] == family]
        marker = "osD^v<>"[number % 7]
        axis.plot(*zip(*own), marker, markersize=4, label=family)
    if points and copy:
        intensities = sorted(point[0] for point in points)
        ends = intensities[0] / 1.5, intensities[-1] * 1.5
        rate = copy * 1e9
        label = f"copy, {copy:.0f} GB/s"
        axis.plot(ends, [rate * end for end in ends], "--", color="black", label=label)
    axis.set_xscale("log", base=2)
    axis.set_yscale("log", base=2)
    axis.set_xlabel("operations a byte that must be moved")
    axis.set_ylabel("operations a second")
    axis.grid(alpha=0.3)
    axis.legend(fontsize="small")
    figure.tight_layout()
    return figure
