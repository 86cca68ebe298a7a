# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Schedules as text, such as #fuse.rows<threads = 256, hold = loop<unroll = 2>>."""

import re

# One in other text; its parts may have parameters.
PATTERN = r"#fuse\.\w+<(?:[^<>]|<[^<>]*>)*>"
_FIELD = re.compile(r"(\w+) = (\w+)(?:<(\d+)>)?")


def fields_of(schedule):
    """{name: text} of the fields that are written out, its own and those of its parts;
    a part that is a number of blocks, such as cluster<4>, has that at its own name, too."""
    found = {}
    for name, text, number in _FIELD.findall(schedule):
        found[name] = text
        if number:
            found[text] = number
    return found


def number_in(schedule, name, absent=1):
    return int(fields_of(schedule).get(name, absent))
