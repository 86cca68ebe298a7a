# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The comparison with other compilers, as far as it needs no GPU."""

import fuse_compiler as fuse
import pytest
from bench import compare_peers
from bench.peers import cases


@pytest.mark.parametrize("case", cases.all_cases(), ids=lambda case: case.name)
def test_programs_become_one_kernel(case):
    for text in filter(None, (case.program, case.in_place)):
        result = fuse.inspect(text, chip="sm_90")
        assert len(result.kernels) == 1
        assert len(result.inputs) == len(case.inputs)
        for tensor, given in zip(result.inputs, case.inputs, strict=True):
            assert tensor.dtype == given.dtype
            for dim, size in zip(tensor.shape, given.shape, strict=True):
                assert dim == size or isinstance(dim, str)


def test_bytes():
    # x and r in, h and y out; and the weight.
    case = cases.add_rms_norm("bf16", 4096, 4096)
    assert case.bytes == 4 * 2 * 4096 * 4096 + 2 * 4096


def test_names_are_unique():
    names = [case.name for case in cases.all_cases()]
    assert len(set(names)) == len(names)


def result(times, errors):
    summaries = {
        name: {"median": time, "q1": time - 1, "q3": time + 1}
        for name, time in times.items()
    }
    return {"name": "gelu", "times": summaries, "errors": errors}


RIGHT = {"max": 0.0, "wrong": 0}
OFF = {"max": 0.5, "wrong": 3}


def test_row():
    errors = {"fuse": RIGHT, "compile": RIGHT, "eager": OFF}
    times = {"fuse": 100.0, "compile": 110.0, "eager": 300.0, "copy": 99.0}
    assert compare_peers.row(result(times, errors)) == (
        "| gelu | 100.0 (99.0 to 101.0) | 99.0 | compile | 110.0 | 1.10 "
        "| eager 300.0 (off by 5.0e-01), copy 99.0 |"
    )


def test_row_of_a_wrong_result():
    line = compare_peers.row(result({"fuse": 50.0, "copy": 99.0}, {"fuse": OFF}))
    assert "WRONG: 3 elements, by up to 5.00e-01" in line


def test_row_of_a_failure():
    errors = {"fuse": {"failed": "no kernel\nmore"}, "eager": RIGHT}
    line = compare_peers.row(result({"eager": 50.0, "copy": 99.0}, errors))
    assert line == "| gelu | failed: no kernel | | | | | |"


def test_dry_run_says_what_is_wrong():
    assert compare_peers.dry_run_problem("func.func @f(", "sm_90").startswith(
        "does not compile: <text>:1:"
    )
    two_kernels = """
    func.func @f(%x: tensor<?x64xf32>, %w: tensor<64x64xf32>, %v: tensor<64x64xf32>)
        -> tensor<?x64xf32> {
      %y = fuse.matmul %x, %w : tensor<?x64xf32>, tensor<64x64xf32> -> tensor<?x64xf32>
      %z = fuse.matmul %y, %v : tensor<?x64xf32>, tensor<64x64xf32> -> tensor<?x64xf32>
      return %z : tensor<?x64xf32>
    }"""
    assert compare_peers.dry_run_problem(two_kernels, "sm_90") == "2 kernels"
