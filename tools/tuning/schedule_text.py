# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Schedules as text, such as #fuse.rows<threads = 256, vector = 8>."""

import re

_FIELD = re.compile(r"(\w+) = (\w+)")


def fields_of(schedule):
    """{name: text} of the fields that are written out."""
    return dict(_FIELD.findall(schedule))


def number_in(schedule, name, absent=1):
    return int(fields_of(schedule).get(name, absent))
