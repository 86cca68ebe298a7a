# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the comparison of a LLaMA block says of its programs and its results."""

import compare_block
import fuse_compiler as fuse
import pytest
from peers import block_cases


@pytest.mark.parametrize("case", block_cases.CASES, ids=lambda case: case.name)
def test_program_multiplies_as_much_as_the_case_says(case):
    scheduled = fuse.inspect(case.program, chip="sm_90a")
    assert scheduled.outputs[-1].shape == (case.batch, case.tokens, case.hidden)


def test_flops_of_contractions():
    line = (
        '%6 = fuse.contract "amk,nk->amn" %a, %b : tensor<2x3x5xbf16>, tensor<7x5xbf16> '
        "-> tensor<2x3x7xbf16>"
    )
    assert block_cases.contraction_flops(line) == 2 * 2 * 3 * 5 * 7
