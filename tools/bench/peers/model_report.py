# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a comparison of models found, as text."""

import math

from .summary import table as text_table

# By name, as the page has them.
_OTHERS = {
    "eager": "eager",
    "fuse-graphs": "Fuse, CUDA graphs",
    "compile": "torch.compile",
    "max": "max-autotune",
    "max-graphs": "max-autotune, CUDA graphs",
}


def speedups(entry):
    """By peer, its time over Fuse's."""
    peers = entry["peers"]
    mine = peers.get("fuse", {}).get("seconds")
    if not mine:
        return {}
    return {
        name: peers[name]["seconds"] / mine
        for name in _OTHERS
        if peers.get(name, {}).get("seconds")
    }


def joined(entries):
    """The first entry of each model and mode, and its speedups over all peers.

    Two runs may have measured a model, each beside other peers. A ratio is of one run's times:
    that of the first which has the peer.
    """
    found = {}
    for entry in entries:
        key = entry["model"], entry["mode"]
        first, ratios = found.setdefault(key, (entry, {}))
        found[key] = first, {**speedups(entry), **ratios}
    return list(found.values())


def summary(entries):
    """The geometric mean of the speedups over each peer, and in how many cases."""
    result = {}
    for name in _OTHERS:
        ratios = [found[name] for _, found in joined(entries) if name in found]
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            result[name] = mean, len(ratios)
    return result


def problems(entry):
    """What is not as it should be with Fuse: a list of sentences."""
    mine = entry["peers"].get("fuse", {})
    if "error" in mine:
        return [f"it does not run: {mine['error']}"]
    found = []
    if "right" in mine and not mine["right"]:
        found.append(
            f"{mine['worst_of']} is {mine['worst']:.1f} times as far from f64 as eager"
        )
    breaks = entry["peers"].get("compile", {}).get("graph_breaks")
    if breaks is not None and mine.get("graph_breaks", 0) > breaks:
        found.append(f"{mine['graph_breaks']} graph breaks where Inductor has {breaks}")
    found += [
        f"a region runs eagerly: {f}"
        for f in mine.get("regions", {}).get("failures", ())
    ]
    return found


def table(entries):
    """A line a model: what others take of Fuse's time, and its own host time."""
    rows = []
    # Those that nobody was measured beside have no column.
    others = [o for o in _OTHERS if any(o in speedups(e) for e in entries)]
    for entry, ratios in joined(entries):
        mine = entry["peers"].get("fuse", {})
        name = entry["model"] + (" (kept aside)" if entry["aside"] else "")
        rows.append(
            [name, entry["mode"]]
            + [f"{ratios[other]:.2f}" if other in ratios else "" for other in others]
            + [f"{min(mine['regions']['coverage'], default=0):.0%}" if mine else ""]
            + ["right" if not problems(entry) else "; ".join(problems(entry))]
        )
    names = [_OTHERS[other] for other in others]
    header = ("model", "mode", *names, "of the operators", "results")
    return text_table(header, rows)


def lines(entry):
    """A model in one mode."""
    yield f"{entry['model']}, {entry['mode']}, {entry['dtype']}, {entry['device']}"
    for name, found in entry["peers"].items():
        if "error" in found or "skipped" in found:
            yield f"  {name:12} {found.get('error') or found['skipped']}"
            continue
        parts = [f"  {name:12}"]
        if "seconds" in found:
            parts.append(
                f"{found['seconds'] * 1e3:9.3f} ms, host {found['host_seconds'] * 1e3:8.3f} ms"
            )
        if "first_seconds" in found:
            parts.append(f"first {found['first_seconds']:6.1f} s,")
        if "worst" in found:
            parts.append(
                f"{found['graph_breaks']} breaks, distance "
                f"{found['worst']:.2f} at most, {found['median']:.2f} in the median, of eager's"
            )
        yield " ".join(parts)
    regions = entry["peers"].get("fuse", {}).get("regions")
    if regions:
        yield (
            f"  {regions['regions']} regions of {regions['programs']} programs, "
            f"{regions['kernels']} kernels; {regions['coverage']} of the operators"
        )
        for reason, count in regions["eager"].items():
            yield f"    eager: {count} x {reason}"
    ratios = ", ".join(f"{r:.2f} of {n}" for n, r in speedups(entry).items())
    if ratios:
        yield f"  time over Fuse's: {ratios}"
    for problem in problems(entry):
        yield f"  WRONG: {problem}"
