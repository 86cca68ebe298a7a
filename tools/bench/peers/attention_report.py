# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What results/attention.json.xz says, as lines of Markdown: the times of torch's ways over
Fuse's, above 1 where Fuse is faster."""

import statistics

from . import summary

PEERS = {"cudnn": "cuDNN", "flash": "torch's flash", "flex": "FlexAttention"}


def setting(entries):
    dense = [
        entry["us"]["cudnn"] / entry["us"]["fuse"]
        for entry in entries
        if "cudnn" in entry["us"] and not entry.get("key_bytes")
    ]
    return [
        f"{len(entries)} cases on one {summary.measured_on(entries)}, torch "
        f"{entries[0]['torch']}; random bf16, medians of seven interleaved rounds with a cold L2, "
        f"every output checked. In the median {statistics.median(dense):.2f} of cuDNN's speed, "
        f"{min(dense):.2f} at least."
    ]


def table(entries):
    rows = []
    for entry in entries:
        times = entry["us"]
        rows.append(
            [entry["name"]]
            + [f"{times[p] / times['fuse']:.2f}" if p in times else "" for p in PEERS]
        )
    return summary.table(("attention", *PEERS.values()), rows)
