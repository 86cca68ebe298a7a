# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What results/attention.json.xz says, as lines of Markdown: the times of torch's ways over
Fuse's, above 1 where Fuse is faster."""

import statistics

PEERS = {"cudnn": "cuDNN", "flash": "torch's flash", "flex": "FlexAttention"}


def setting(entries, days):
    gpus = ", ".join(sorted({entry["gpu"] for entry in entries}))
    dense = [
        entry["us"]["cudnn"] / entry["us"]["fuse"]
        for entry in entries
        if "cudnn" in entry["us"] and not entry.get("key_bytes")
    ]
    return [
        f"{len(entries)} cases on one {gpus}, {days}, torch {entries[0]['torch']}; random bf16, "
        "medians of seven interleaved rounds with a cold L2, every output checked. In the "
        f"median {statistics.median(dense):.2f} of cuDNN's speed, {min(dense):.2f} at least."
    ]


def table(entries):
    lines = [
        "| attention | " + " | ".join(PEERS.values()) + " |",
        "| --- |" + " ---: |" * len(PEERS),
    ]
    for entry in entries:
        mine = entry["us"]["fuse"]
        cells = [
            f"{entry['us'][peer] / mine:.2f}" if peer in entry["us"] else ""
            for peer in PEERS
        ]
        lines.append("| " + " | ".join([entry["name"], *cells]) + " |")
    return lines
