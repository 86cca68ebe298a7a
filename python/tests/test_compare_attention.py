# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What attention is compared with torch's is one kernel on GPUs."""

import pytest
from bench import compare_attention
from bench.peers import attention_cases, attention_report


@pytest.mark.parametrize("chip", ["sm_90a", "sm_80", "sm_89"])
def test_every_case_is_one_kernel(chip):
    cases = attention_cases.all_cases()
    if chip == "sm_89":  # has no room for keys of 576 features in shared memory
        cases = [case for case in cases if not case.width]
    assert compare_attention.dry_run(cases, chip) == 0


def test_table_leaves_blank_what_was_not_measured():
    entries = [{"name": "bias", "us": {"fuse": 50.0, "flex": 100.0}}]
    assert attention_report.table(entries)[-1] == "| bias |  |  | 2.00 |"
