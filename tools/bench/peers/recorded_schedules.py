# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Schedules in recorded results, as they are written today.

Some are of when a schedule of rows or columns had the fields of what are its parts now:

    #fuse.rows<threads = 64, vector = 8, rows_per_block = 1, hold = loop, stages = 3>
    #fuse.rows<threads = 64, vector = 8, rows_per_block = 1, hold = loop<stages = 3>>
"""

import re

_SCHEDULE = re.compile(r"#fuse\.(rows|columns)<([^<>]*)>")
_FIELD = re.compile(r"(\w+) = (\w+)")
# A schedule's own fields before and behind its parts, and those of each way to hold,
# in the order in which they are printed.
_BEFORE = {
    "rows": ("threads", "vector", "rows_per_block"),
    "columns": ("threads", "vector", "splits"),
}
_BEHIND = {"rows": ("persistent", "least_blocks"), "columns": ("fold", "evict_first")}
_HOLDS = {
    "registers": ("preload", "rows_per_thread"),
    "cache": (),
    "shared": ("unroll", "in_registers", "preload", "copy_groups", "stages"),
    "loop": ("unroll", "stages"),
}
# What is not printed.
_USUAL = {
    "unroll": "4",
    "copy_groups": "4",
    "in_registers": "0",
    "persistent": "0",
    "least_blocks": "0",
    "preload": "false",
    "evict_first": "false",
}


def as_today(text):
    """The text with today's schedules in place of those of then."""
    return _SCHEDULE.sub(_as_today, text)


def _as_today(match):
    kind, fields = match[1], dict(_FIELD.findall(match[2]))

    def written(names):
        known = [(name, fields[name]) for name in names if name in fields]
        return [f"{n} = {v}" for n, v in known if v != _USUAL.get(n, "1")]

    # Fields that meant nothing beside the others are gone.
    hold = fields.get("hold", "loop")
    inner = ", ".join(written(_HOLDS[hold]))
    parts = [f"hold = {hold}<{inner}>" if inner else f"hold = {hold}"]
    if kind == "columns" and parts == ["hold = loop"]:
        parts = []
    cluster = "grid" if fields.get("whole_grid") == "true" else "cluster"
    for name, share in (
        ("blocks_per_row", cluster),
        ("blocks_per_column", "cluster"),
        ("parts", "parts"),
    ):
        if fields.get(name, "1") != "1":
            parts.append(f"share = {share}<{fields[name]}>")
    before = [f"{name} = {fields[name]}" for name in _BEFORE[kind] if name in fields]
    return f"#fuse.{kind}<{', '.join([*before, *parts, *written(_BEHIND[kind])])}>"
