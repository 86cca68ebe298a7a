# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What schedules a case of the grid has."""

import re

import fuse_compiler as fuse

# The names of a tensor's dynamic dims, where there is one.
DIMS = re.compile(r'fuse\.dims = \["(\w+)"\]')


def of_case(case, chip):
    """Those of a call of the case's size on `chip`, such as "sm_90"; a program that has no
    size names those of large calls."""
    names = set(DIMS.findall(case.case.program))
    sizes = None
    if len(names) == 1:
        sizes = {names.pop(): case.case.inputs[0].shape[0]}
    found = fuse.inspect(case.case.program, chip=chip, sizes=sizes)
    return [kernel.schedule for kernel in found.kernels]
