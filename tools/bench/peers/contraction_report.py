# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What results/contractions.json.xz says, as tables.

A figure is the time of the fastest library's product alone over Fuse's, in the same rounds:
above 1 Fuse is faster. The libraries are cuBLAS, cuBLASLt and, of products with nothing
around them, QuACK and torch.compile where they ran. What is fused does more than the product that it is
compared with.
"""

import re
import statistics

from . import summary

# {set: (what it is called, the least figure that is asked for)}. For "fused" see BARS.
SETS = {
    "layers": ("layers, 1024 to 16,384 rows", 0.97),
    "few rows": ("layers, 64 to 512 rows", 0.90),
    "one row": ("one row, as in decoding", 1.0),
    "unknown rows": ("rows only known at the call", 0.90),
    "orders": ("x W, x^T W, x^T W^T", 0.97),
    "odd sizes": ("odd sizes", 0.90),
    "wide floats": ("f32 and f64", 0.75),
    "tf32": ("TF32", 0.90),
}
# Times over that of the product alone that are asked for, by how a name begins.
BARS = {
    "bias, gelu": 1.03,
    "residual": 1.03,
    "gate and up": 1.06,
    "row scale, gate and up": 1.06,
    "QKV": 1.05,
    "quantised": 1.06,
}


def is_measured(entry):
    """Whether Fuse ran it, and rightly."""
    mine = entry["errors"].get("fuse", {"failed": ""})
    return "failed" not in mine and not mine["wrong"]


def libraries(entry):
    """Those that a case is compared with."""
    others = ("quack", "compile-max") if entry["set"] != "fused" else ()
    right = [n for n in others if entry["errors"].get(n, {}).get("wrong") == 0]
    return ["cublas", "cublaslt", *right]


def ratio(entry, kind):
    """The product's time over Fuse's; `kind` is cold or warm."""
    times = entry[kind]
    alone = min(times[name]["median"] for name in libraries(entry) if name in times)
    return alone / times["fuse"]["median"]


def ahead(entry, kind):
    """The time of the fastest of torch's ways over Fuse's; None where none was timed."""
    others = [
        entry[kind][name]["median"]
        for name in ("eager", "compile-max")
        if name in entry[kind] and not entry["errors"][name].get("wrong", True)
    ]
    return min(others) / entry[kind]["fuse"]["median"] if others else None


def least(entry):
    """The smaller of the two figures."""
    return min(ratio(entry, "cold"), ratio(entry, "warm"))


def _shape(entry):
    return " x ".join(map(str, entry["shape"]))


def plain_table(entries):
    """A line a set of single products."""
    rows = []
    for name, (title, bar) in SETS.items():
        found = [e for e in entries if e["set"] == name and is_measured(e)]
        if not found:
            continue
        worst = min(found, key=least)
        medians = [
            f"{statistics.median(ratio(e, kind) for e in found):.2f}"
            for kind in ("cold", "warm")
        ]
        below = sum(least(e) < bar for e in found)
        rows.append(
            [title, len(found), *medians, f"{least(worst):.2f}: {_shape(worst)}"]
            + [f"{below} below {bar:.2f}"]
        )
    header = ("set", "cases", "cold L2", "back to back", "worst", "missed")
    return summary.table(header, rows)


def fused_table(entries):
    """A line a kernel with something around its product."""
    rows = []
    for entry in entries:
        if entry["set"] != "fused" or not is_measured(entry):
            continue
        title = entry["name"].rsplit(" ", 1)[0]
        times = [f"{1 / ratio(entry, kind):.2f}" for kind in ("cold", "warm")]
        bar = next(bar for name, bar in BARS.items() if title.startswith(name))
        faster = ahead(entry, "cold")
        rows.append(
            [title, _shape(entry), len(entry["kernels"]), *times, f"{bar:.2f}"]
            + [f"{faster:.2f}" if faster else ""]
        )
    header = ("program", "M x N x K", "kernels", "cold L2", "back to back")
    return summary.table((*header, "asked for", "ahead of torch"), rows)


def behind_table(entries, count=6):
    """The single products that are farthest behind what is asked for."""
    plain = [e for e in entries if e["set"] in SETS and is_measured(e)]
    below = [e for e in plain if least(e) < SETS[e["set"]][1]]
    below.sort(key=least)
    rows = [
        [e["name"].rsplit(" ", 1)[0], _shape(e), f"{ratio(e, 'cold'):.2f}"]
        + [f"{ratio(e, 'warm'):.2f}"]
        for e in below[:count]
    ]
    header = ("product", "M x N x K", "cold L2", "back to back")
    return summary.table(header, rows)


# What a case of 8 or 4 bits is called after its layer's name.
QUANTISED = re.compile(r"(int8|int4|f8) by (column|group)|scales (of tensors|by block)")


def quantised_table(entries):
    """A line a form of 8 or 4 bits, and a column a number of rows: medians of all layers.

    Of weights in 8 or 4 bits and 16-bit rows the time of cuBLAS's product of 16 bits over
    Fuse's; of 8-bit floats on both sides that of cuBLASLt's with scales of tensors.
    """
    found = {}
    for entry in entries:
        form = QUANTISED.search(entry["name"])
        if not form or not is_measured(entry):
            continue
        of_weights = entry["set"].startswith("weights")
        title = (
            f"weights in {form[0]}, rows in bf16" if of_weights else f"f8, {form[0]}"
        )
        at = found.setdefault(title, {}).setdefault(entry["shape"][0], [])
        at.append(ratio(entry, "cold"))
    counts = sorted({rows for each in found.values() for rows in each})
    rows = [
        [title] + [f"{statistics.median(at[n]):.2f}" if n in at else "" for n in counts]
        for title, at in found.items()
    ]
    return summary.table(("operands", *(f"{n} rows" for n in counts)), rows)
