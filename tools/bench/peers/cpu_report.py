# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What results/cpu-contractions.json.xz says, as lines of Markdown.

The file is {"setting": {...}, "cases": [...]}; an entry has its "case" (set,
order of the operands, type, rows, columns, summed elements, what follows), "cores"
("one" or "all"), and "ratio", NumPy's time over Fuse's.
"""

import statistics


def shape_of(case):
    _, order, dtype, rows, columns, summed, epilogue = case
    words = [f"{rows} x {columns} x {summed}", order, dtype, epilogue]
    return " ".join(filter(None, words))


def setting(results):
    found, cases = results["setting"], results["cases"]
    compiled = statistics.median(entry["compile"] for entry in cases) * 1e3
    return [
        f"{len(cases)} measurements on {found['machine']}, {found['cores']} cores, "
        f"{found['date']}, NumPy {found['numpy']}; a program takes {compiled:.0f} ms to "
        "compile, in the median."
    ]


def table(results):
    """A line for each set: its medians, and its worst case."""
    cores = [name for name in ("one", "all") if _of(results["cases"], name)]
    names = " | ".join(
        f"{name} core" if name == "one" else f"{name} cores" for name in cores
    )
    yield f"| set | cases | {names} | worst |"
    yield "| --- | ---: |" + " ---: |" * (len(cores) + 1)
    sets = {}
    for entry in results["cases"]:
        sets.setdefault(entry["case"][0], []).append(entry)
    for name, entries in sets.items():
        parts = [_of(entries, number) for number in cores]
        medians = " | ".join(
            f"{statistics.median(entry['ratio'] for entry in part):.2f}" if part else ""
            for part in parts
        )
        worst = min(entries, key=lambda entry: entry["ratio"])
        yield (
            f"| {name} | {max(map(len, parts))} | {medians} | "
            f"{worst['ratio']:.2f}: {shape_of(worst['case'])} |"
        )


def _of(entries, cores):
    return [entry for entry in entries if entry["cores"] == cores]
