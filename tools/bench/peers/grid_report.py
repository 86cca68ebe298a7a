# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the grid measured, as JSON entries and as a table. Nothing here needs torch.

An entry of grid.json:

    {"family": "softmax", "set": "stream", "shape": [32768, 4096], "dtype": "bf16",
     "timing": "events", "bytes": 536870912, "correct": true,
     "fuse_us": 129.1, "fuse_q1_us": 128.8, "fuse_q3_us": 129.9,
     "copy_us": 129.3, "copy_q1_us": 129.0, "copy_q3_us": 129.6,
     "best_peer": "triton", "best_peer_us": 131.0,
     "best_peer_q1_us": 130.7, "best_peer_q3_us": 131.2,
     "schedule": "#fuse.rows<threads = 128, ...>",
     "competitors": {"eager": {"us": 210.4, "q1_us": .., "q3_us": .., "rounds": 40,
                               "max_error": 1e-4, "wrong": 0, "first_call_s": 0.01},
                     "quack": {"failed": "..."}},
     "gpu": "NVIDIA H200", "date": "..", "commit": ".."}

Times are medians in microseconds, with the quartiles; `bytes` is what the operation must
move, each byte once; `copy` is a device copy of as many bytes, `read`, of families that read
far more than they write, a kernel that only reads as many. `best_peer` is the fastest
whose result is right; it is null if there is none. Several kernels' schedules are joined
by "; ". An entry whose Fuse program failed has "failed" and no times of it.
"""

import json
import statistics

from . import bars, counters, packed

# A case is behind if it takes so much longer than the best peer.
BEHIND = 1.03

QUARTILES = (("us", "median"), ("q1_us", "q1"), ("q3_us", "q3"))


def key_of(entry):
    return (entry["family"], entry["set"], entry["dtype"], tuple(entry["shape"]))


def _named(summary, prefix=""):
    return {f"{prefix}{suffix}": round(summary[key], 3) for suffix, key in QUARTILES}


def _competitor(times, checked):
    if "failed" in checked or times is None:
        return {"failed": checked.get("failed", "not timed")}
    return {**_named(times), "rounds": times["rounds"], **checked}


def entry_of(case, times, checks, kernels, provenance):
    """An entry of grid.json.

    times    {name: {"median", "q1", "q3", "rounds"}} with "fuse" and "copy"
    checks   {name: {"max_error", "wrong", "first_call_s"} or {"failed"}} without "copy"
    kernels  the schedules of Fuse's kernels
    """
    entry = {
        "family": case.family,
        "set": case.set,
        "shape": list(case.shape),
        "dtype": case.dtype,
        "timing": case.timing,
        "bytes": case.case.bytes,
        "schedule": "; ".join(kernels),
    }
    mine = checks["fuse"]
    if "failed" in mine:
        entry |= {"correct": False, "failed": mine["failed"]}
    else:
        entry |= {"correct": mine["wrong"] == 0, "max_error": mine["max_error"]}
    for name in ("fuse", "copy", "read"):
        if name in times:
            entry |= _named(times[name], f"{name}_")
    others = {
        name: _competitor(times.get(name), checked)
        for name, checked in checks.items()
        if name != "fuse"
    }
    entry |= _best(others)
    return entry | {"competitors": others} | provenance


def _best(others):
    right = [name for name, each in others.items() if each.get("wrong") == 0]
    if not right:
        return {"best_peer": None, "best_peer_us": None}
    best = min(right, key=lambda name: others[name]["us"])
    measured = {f"best_peer_{suffix}": others[best][suffix] for suffix, _ in QUARTILES}
    return {"best_peer": best} | measured


def remaining(cases, entries):
    """The cases that have no entry."""
    done = {key_of(entry) for entry in entries}
    return [case for case in cases if case.key not in done]


def _with_old_profile(entry, old):
    """`entry` with the counters of `old`, if it has none of its own and the same
    schedule; they name the commit that they are of."""
    profile = (old or {}).get("profile")
    if not profile or "profile" in entry or old["schedule"] != entry.get("schedule"):
        return entry
    return entry | {"profile": {"commit": old.get("commit")} | profile}


def merged(old, new):
    """`old` with the entries of `new` in place of, or after, those of the same case."""
    entries = {key_of(entry): entry for entry in old}
    for entry in new:
        key = key_of(entry)
        entries[key] = _with_old_profile(entry, entries.get(key))
    return list(entries.values())


HEADER = (
    "| family | shape | type | fuse us (quartiles) | % of copy | best peer | peer us "
    "| peer / fuse |",
    "| --- | --- | --- | --- | --- | --- | --- | --- |",
)


def row(entry):
    shape = "x".join(map(str, entry["shape"]))
    start = f"| {entry['family']} | {shape} | {entry['dtype']} "
    if "fuse_us" not in entry:
        reason = entry.get("failed", "not timed").splitlines()[0]
        return f"{start}| failed: {reason} | | | | |"
    own = "{fuse_us:.2f} ({fuse_q1_us:.2f} to {fuse_q3_us:.2f})".format(**entry)
    if not entry["correct"]:
        own += f", WRONG by up to {entry['max_error']:.1e}"
    copied = bars.percent_of(entry) if "copy_us" in entry else 0
    peer = entry["best_peer"]
    if peer is None:
        return f"{start}| {own} | {copied:.1f} | | | |"
    peer_us = entry["best_peer_us"]
    ratio = peer_us / entry["fuse_us"]
    return f"{start}| {own} | {copied:.1f} | {peer} | {peer_us:.2f} | {ratio:.2f} |"


TITLES = {
    "stream": "512 MiB moved",
    "hidden": "512 MiB moved, lengths of models between powers of two",
    "short": "512 MiB moved, lengths of vision models",
    "read": "1 GiB read",
    "square": "4096 x 4096",
    "layer": "A few thousand tokens, and the logits of 64",
    "middle": "48 and 96 MiB moved",
    "decode": "A few rows, in a CUDA graph of many calls",
    "chain": "512 MiB moved, by chains that no example has",
}


def _won(entries):
    compared = [e for e in entries if e.get("best_peer") and "fuse_us" in e]
    won = sum(entry["best_peer_us"] >= entry["fuse_us"] for entry in compared)
    return won, len(compared)


def _summary(family, name, entries):
    """A family in a set of shapes, as a line: the % of copy that its cases reach, how
    many are behind the best peer, and how much faster than that the median one is."""
    percents = sorted(map(bars.percent_of, entries))
    ratios = [
        e["best_peer_us"] / e["fuse_us"] for e in entries if e.get("best_peer_us")
    ]
    behind = sum(ratio < 1 / BEHIND for ratio in ratios)
    least, median, most = percents[0], statistics.median(percents), percents[-1]
    cells = [family, name, len(entries), f"{least:.0f}", f"{median:.0f}", f"{most:.0f}"]
    cells += [f"{behind} of {len(ratios)}"]
    cells += [f"{statistics.median(ratios):.2f}" if ratios else ""]
    return "| " + " | ".join(map(str, cells)) + " |"


def families(entries):
    """A table of the families in each set of shapes."""
    lines = [
        "| family | set | cases | least | median | most | behind | peer / fuse |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    groups = {}
    for entry in entries:
        if "fuse_us" in entry:
            groups.setdefault((entry["family"], entry["set"]), []).append(entry)
    for name in TITLES:
        lines += [
            _summary(family, name, group)
            for (family, of), group in groups.items()
            if of == name
        ]
    return lines


def missed_bars(entries):
    """A table of the cases that reach less than they should (bars.py), with what a
    kernel that only reads takes where the case reads, and what the counters said
    (counters.py) where there are some."""
    header = ["family", "set", "shape", "type", "reached", "bar", "% of a read"]
    header += counters.CELLS
    lines = ["| " + " | ".join(header) + " |", "| --- " * len(header) + "|"]
    for entry, bar, reached, unit in bars.under(entries):
        cells = [entry["family"], entry["set"], "x".join(map(str, entry["shape"]))]
        digits = 1 if unit == "%" else 0
        cells += [entry["dtype"], f"{reached:.{digits}f} {unit}", f"{bar} {unit}"]
        read = entry.get("read_us")
        cells += [f"{100 * read / entry['fuse_us']:.1f}" if read else ""]
        profile = entry.get("profile")
        cells += counters.describe(profile) if profile else [""] * len(counters.CELLS)
        if profile and profile.get("commit", entry.get("commit")) != entry.get(
            "commit"
        ):
            cells[-1] += f" (of {profile['commit']})"
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def markdown(entries, run):
    """The table of all entries, a section for each set of shapes, and of those under
    their bar."""
    won, compared = _won(entries)
    lines = [
        f"{run['gpu']}, commits {', '.join(sorted({e['commit'] for e in entries}))}. "
        "Medians of interleaved rounds in one process, results checked against f64; the L2 "
        'cache flushed before each, but in CUDA graphs. "peer / fuse" above 1 means that '
        f"Fuse is faster, which it is in {won} of {compared} cases with a peer.",
    ]
    lines += ["", *families(entries)]
    missed = missed_bars(entries)
    lines += ["", "## Under their bar", "", f"{len(missed) - 2} cases.", "", *missed]
    for name, title in TITLES.items():
        chosen = [entry for entry in entries if entry["set"] == name]
        if chosen:
            lines += ["", f"## {title}", "", *HEADER, *map(row, chosen)]
    if run.get("missing"):
        lines += ["", "Not here:", ""]
        lines += [f"- {name}: {reason}" for name, reason in run["missing"].items()]
    if run.get("skipped"):
        lines += ["", f"{run['skipped']} cases were not measured for lack of time."]
    return "\n".join(lines) + "\n"


def read_entries(path):
    """The entries of a grid.json, or grid.json.xz; none if there is no file."""
    return packed.read_json(path) if path.exists() else []


def write(folder, entries, run):
    """grid.json with a line an entry, grid-run.json and grid.md."""
    lines = ",\n".join(map(json.dumps, entries))
    (folder / "grid.json").write_text(f"[\n{lines}\n]\n")
    (folder / "grid-run.json").write_text(json.dumps(run, indent=1))
    (folder / "grid.md").write_text(markdown(entries, run))
