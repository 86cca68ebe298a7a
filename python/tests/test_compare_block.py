# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the comparison of a LLaMA block says of its programs and its results."""

import json

import fuse_compiler as fuse
import pytest
from bench import compare_block
from bench.peers import block_cases, block_report, packed

ENTRY = {
    "name": "decode 1",
    "overlaps": False,
    "bars": {"compile": 0.8},
    "times": {
        "fuse": {"median": 12.0},
        "fuse-graph": {"median": 10.0},
        "eager": {"median": 40.0},
        "compile": {"median": 30.0},
        "compile-max": {"median": 20.0},
    },
    "temporary_bytes": {"fuse": 25, "eager": 100},
    "compile_s": {"fuse": 0.9},
    "errors": {"fuse": [1.4e-3], "eager": [1e-3]},
    "machine": {"bytes": 2e12, "flops": 4e14},
    "timeline": [
        {
            "name": "layers_0",
            "us": 10.0,
            "launches": 1.0,
            "ops": ["cast", "mul", "cast"],
            "schedule": "#fuse.rows<threads = 128, hold = cache>",
            "bytes": 10e6,
            "flops": 1e9,
        }
    ],
}


@pytest.mark.parametrize("case", block_cases.CASES, ids=lambda case: case.name)
def test_kernels_multiply_as_much_as_the_block_has_products(case):
    program = fuse.inspect(case.program, chip="sm_90a")
    assert program.outputs[-1].shape == (case.batch, case.tokens, case.hidden)
    # What is multiplied by one row is a reduction.
    if case.batch * case.tokens > 1:
        assert any("#fuse.mma" in kernel.schedule for kernel in program.kernels)


def test_operations_of_a_contraction():
    line = (
        '%6 = fuse.contract "amk,nk->amn" %a, %b {fuse.row_scale = [1.0, 2.0]} : '
        "tensor<2x3x5xbf16>, tensor<7x5xbf16> -> tensor<2x3x7xbf16>"
    )
    assert block_cases.contraction_flops(line) == 2 * 2 * 3 * 5 * 7


def test_table_has_ratios_to_the_faster_of_calls_and_graph():
    (row,) = block_report.table([ENTRY])[2:]
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells == [
        "decode 1",
        "1",
        "4.00",
        "3.00",
        "",
        "2.00",
        "0.50",
        "0.80",
        "75%",
        "0.9 s",
    ]


def test_timeline_has_the_share_of_the_floor():
    (row,) = block_report.timeline([ENTRY])[2:]
    assert row.endswith("| rows | cast, mul | 100% | 10.0 | 1.0 | 50% |")


def test_launches_that_wait_for_others_have_no_share():
    assert len(block_report.timeline([ENTRY | {"overlaps": True}])) == 2


def test_the_last_file_counts(tmp_path):
    files = [tmp_path / name for name in ("a.json", "b.json.xz")]
    prefill = ENTRY | {"name": "prefill 2 x 2048"}
    packed.write_text(files[0], json.dumps([ENTRY | {"bars": {}}]))
    packed.write_text(files[1], json.dumps([ENTRY, prefill]))
    assert compare_block.joined(files) == [prefill, ENTRY]


def test_error_is_bound_by_that_of_eager_code():
    assert compare_block.is_right(ENTRY)
    wrong = ENTRY | {"errors": {"fuse": [1.6e-3], "eager": [1e-3]}}
    assert not compare_block.is_right(wrong)
    assert not compare_block.is_right(
        ENTRY | {"errors": {"fuse": [float("nan")], "eager": [1e-3]}}
    )
