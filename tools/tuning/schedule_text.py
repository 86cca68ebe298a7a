# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Schedules as text, such as #fuse.rows<threads = 256, hold = loop<unroll = 2>>."""

import itertools
import re

# One in other text; its parts may have parameters.
PATTERN = r"#fuse\.\w+<(?:[^<>]|<[^<>]*>)*>"
_FIELD = re.compile(r"(\w+) = (\w+)(?:<(\d+)>)?")
# Where tensor cores add up products: rows of a thread, its fewest and most bytes in units
# of 16, how many of them leave room for more threads of a multiprocessor, these numbers of
# threads and those of a block, and how many more threads than needed.
ROWS, FEWEST_HELD, MOST_HELD, FEW_HELD, RESIDENT = (2, 4, 8), 4, 32, 8, (512, 768)
FEWEST_THREADS, MOST_THREADS, MOST_IDLE = 128, 1024, 1.2


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


def several_rows_of(schedule, length):
    """Schedules with which tensor cores add up products, of rows of that length."""
    if not schedule.startswith("#fuse.rows"):
        return
    widest = number_in(schedule, "vector")
    widths = (16, *range(32, MOST_THREADS + 1, 32))
    for vector, width in itertools.product((widest, widest // 2), widths):
        held = -(-length // (vector * width))
        fewer = width - 32 if width > 32 else 0
        if (
            held * vector * width > MOST_IDLE * length
            or held * fewer * vector >= length
        ):
            continue
        groups = max(1, FEWEST_THREADS // width)
        threads = groups * width
        for rows, resident in itertools.product(ROWS, RESIDENT):
            chunks = held * rows * vector // widest
            if chunks < FEWEST_HELD or chunks > MOST_HELD:
                continue
            if chunks <= FEW_HELD or resident == RESIDENT[0]:
                yield (
                    f"#fuse.rows<threads = {threads}, vector = {vector}, "
                    f"rows_per_block = {groups * rows}, hold = registers<"
                    f"rows_per_thread = {rows}>, "
                    f"least_blocks = {max(1, resident // threads)}>"
                )
