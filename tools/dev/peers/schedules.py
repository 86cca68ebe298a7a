# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What schedules a case of the grid has."""

import re

import fuse

# The names of a tensor's dynamic dims, where there is one.
DIMS = re.compile(r'fuse\.dims = \["(\w+)"\]')


def of_case(case, chip, program=None):
    """Those of a call of the case's size, which may have others than `program` says: it
    names those of large calls. Without `program` the case's is compiled for `chip`, such
    as "sm_90"; else for the chip that it runs on."""
    names = set(DIMS.findall(case.case.program))
    how = {} if chip is None else {"chip": chip}
    if len(names) == 1:
        how["sizes"] = {names.pop(): case.case.inputs[0].shape[0]}
    if program is None or "sizes" in how:
        program = fuse.inspect(case.case.program, **how)
    return [kernel.schedule for kernel in program.kernels]
