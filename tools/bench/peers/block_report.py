# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What results/block.json.xz says, as lines of Markdown: the times of torch's ways over Fuse's,
above 1 where Fuse is faster, and how near each launch is to what the machine needs for it."""

from . import summary

PEERS = {
    "eager": "eager",
    "compile": "torch.compile",
    "compile-graph": "reduce-overhead",
    "compile-max": "max-autotune",
}
MINE = ("fuse", "fuse-graph")
# Of torch.compile; see block_torch.MODES.
MODES = tuple(PEERS)[1:]


def medians(entry):
    return {name: each["median"] for name, each in entry["times"].items()}


def my_time(entry):
    """By calls or in a CUDA graph, whichever is faster."""
    times = medians(entry)
    return min(times[name] for name in MINE if name in times)


def best_compiled(entry):
    """The time of the fastest mode of torch.compile; None if none was measured."""
    times = medians(entry)
    return min((times[name] for name in MODES if name in times), default=None)


def least_us(launch, machine):
    """What the machine needs for the launch's bytes and operations at least."""
    return 1e6 * max(
        (launch["bytes"] or 0) / machine["bytes"], launch["flops"] / machine["flops"]
    )


def setting(entries):
    return [
        f"{len(entries)} cases on one {summary.measured_on(entries)}, torch "
        f"{entries[0]['torch']}; medians of interleaved rounds with a cold L2, every output "
        "compared with the block in f64."
    ]


def summary_line(entries):
    """How Fuse's time is to that of the fastest mode of torch.compile."""
    found = [
        f"{my_time(entry) / best_compiled(entry):.2f} ({entry['name']})"
        for entry in entries
        if best_compiled(entry)
    ]
    return [
        "Its time over that of torch.compile's fastest mode: "
        f"{', '.join(found)} ([results/](../results/README.md#a-llama-3-8b-block))."
    ]


def table(entries):
    rows = []
    for entry in entries:
        mine, times, memory = my_time(entry), medians(entry), entry["temporary_bytes"]
        best = best_compiled(entry)
        saved = 1 - memory["fuse"] / memory["eager"] if memory.get("eager") else None
        rows.append(
            [
                entry["name"],
                str(round(sum(launch["launches"] for launch in entry["timeline"]))),
                *(f"{times[n] / mine:.2f}" if n in times else "" for n in PEERS),
                f"{mine / best:.2f}" if best else "",
                " ".join(f"{bar:.2f}" for bar in entry["bars"].values()),
                "" if saved is None else f"{saved:.0%}",
                f"{entry['compile_s']['fuse']:.1f} s",
            ]
        )
    return summary.table(
        (
            "block",
            "launches",
            *PEERS.values(),
            "Fuse's time of the best torch.compile",
            "asked for",
            "less temporary memory than eager",
            "compiling",
        ),
        rows,
    )


def timeline(entries):
    """Each launch of each block that was measured without others beside it."""
    rows = []
    for entry in entries:
        if entry.get("overlaps", True):
            continue
        total = sum(launch["us"] for launch in entry["timeline"])
        for launch in entry["timeline"]:
            rows.append(
                [
                    entry["name"],
                    launch["schedule"].split("<")[0].removeprefix("#fuse.")
                    or "combine",
                    ", ".join(dict.fromkeys(launch["ops"]))[:60],
                    f"{launch['us'] / total:.0%}",
                    "" if launch["bytes"] is None else f"{launch['bytes'] / 1e6:.1f}",
                    f"{launch['flops'] / 1e9:.1f}",
                    f"{least_us(launch, entry['machine']) / launch['us']:.0%}",
                ]
            )
    head = (
        "block",
        "kernel",
        "ops",
        "share of the time",
        "MB",
        "GFLOP",
        "of the floor",
    )
    return summary.table(head, rows)
