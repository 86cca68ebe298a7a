# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bugs that other fusion compilers have had; test/Regressions/README.md lists them all."""

import os

import fuse_compiler as fuse
import numpy as np
import pytest

ml_dtypes = pytest.importorskip("ml_dtypes")
BF16 = ml_dtypes.bfloat16
BEYOND = 2**31


def program(arguments, results, *lines, **options):
    """A compiled function of these argument and result types."""
    names = ", ".join(f"%a{i}: {type}" for i, type in enumerate(arguments))
    body = "\n  ".join(lines)
    return fuse.compile(
        f"func.func @f({names}) -> ({', '.join(results)}) {{\n  {body}\n}}\n",
        target="cpu",
        **options,
    )


def random(*shape):
    return np.random.default_rng(1).standard_normal(shape).astype(np.float32)


def needs_memory(gigabytes):
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return pytest.mark.skipif(
        free < gigabytes * 2**30, reason=f"needs {gigabytes} GB of free memory"
    )


@needs_memory(8)
def test_elements_past_two_to_the_31():
    """32-bit offsets wrapped: triton#832, pytorch#186057, ROCm/triton#944."""
    tensor = "tensor<?xi1>"
    invert = program(
        [tensor], [tensor], f"%y = fuse.not %a0 : {tensor}", f"return %y : {tensor}"
    )
    # Zeros that nobody has touched take no memory.
    x = np.zeros(BEYOND + 77, bool)
    x[[BEYOND - 1, BEYOND, -1]] = True
    y = invert(x)
    assert (~y[[BEYOND - 1, BEYOND, -1]]).all()
    assert np.count_nonzero(y) == len(x) - 3


@needs_memory(8)
def test_rows_past_two_to_the_31():
    """A row's last element was not seen: triton#832."""
    tensor = "tensor<2x?xi1>"
    found = program(
        [tensor],
        ["tensor<2xi1>"],
        f"%y = fuse.reduce any %a0 dims = [1] : {tensor} -> tensor<2xi1>",
        "return %y : tensor<2xi1>",
    )
    x = np.zeros((2, BEYOND // 2 + 5), bool)
    assert found(x).tolist() == [False, False]
    x[1, -1] = True
    assert found(x).tolist() == [False, True]


@needs_memory(4)
def test_a_constant_offset_past_29_bits():
    """The sum of a fused constant offset wrapped: pytorch#186057."""
    tensor, part = "tensor<1100000064xi1>", "tensor<64xi1>"
    slice = program(
        [tensor],
        [part],
        f"%y = fuse.slice %a0 offsets = [1100000000] sizes = [64] : {tensor} -> {part}",
        f"%z = fuse.not %y : {part}",
        f"return %z : {part}",
    )
    x = np.zeros(1_100_000_064, bool)
    x[-32:] = True
    np.testing.assert_array_equal(slice(x), ~x[-64:])


def test_an_explicit_cast_rounds():
    """Fusion elided the pair of casts: pytorch#179572."""
    wide, narrow = "tensor<?xf32>", "tensor<?xbf16>"
    there_and_back = program(
        [wide],
        [wide],
        f"%n = fuse.cast %a0 : {wide} -> {narrow}",
        f"%y = fuse.cast %n : {narrow} -> {wide}",
        f"return %y : {wide}",
    )
    x = random(1000)
    np.testing.assert_array_equal(there_and_back(x), x.astype(BF16).astype(np.float32))
    assert (there_and_back(x) != x).any()


def test_strict_rounds_before_a_comparison():
    """A product was compared before it was rounded: pytorch#195214."""
    tensor = "tensor<?xbf16>"
    equal = program(
        [tensor, tensor],
        ["tensor<?xi1>"],
        f"%p = fuse.mul %a0, %a0 : {tensor}",
        f"%y = fuse.compare eq %p, %a1 : {tensor}, {tensor} -> tensor<?xi1>",
        "return %y : tensor<?xi1>",
        strict=True,
    )
    x = random(1000).astype(BF16)
    assert equal(x, x * x).all()


def test_strict_equals_an_unfused_run():
    """A fused chain differed from its ops one by one: pytorch#158699."""
    tensor = "tensor<?xbf16>"
    ops = ["mul %{0}, %a1", "add %{0}, %a0", "tanh %{0}", "sub %{0}, %a1", "exp %{0}"]
    lines, last = [], "a0"
    for number, op in enumerate(ops):
        lines.append(f"%v{number} = fuse.{op.format(last)} : {tensor}")
        last = f"v{number}"
    fused = program(
        [tensor, tensor], [tensor], *lines, f"return %{last} : {tensor}", strict=True
    )
    assert len(fused.kernels) == 1
    x, w = random(2, 1000).astype(BF16)
    value = x
    for op in ops:
        one = program(
            [tensor, tensor, tensor],
            [tensor],
            # The op's own operand is an argument here.
            f"%y = fuse.{op.format('a2')} : {tensor}",
            f"return %y : {tensor}",
            strict=True,
        )
        value = one(x, w, value)
    np.testing.assert_array_equal(fused(x, w), value)


@pytest.mark.parametrize("offset", range(1, 16))
def test_views_at_any_offset(offset):
    """A vector access met a misaligned view: tvm#8540, tilelang#2526."""
    tensor = "tensor<?xf32>"
    double = program(
        [tensor],
        [tensor],
        f"%y = fuse.add %a0, %a0 : {tensor}",
        f"return %y : {tensor}",
    )
    x, y = random(1100)[offset:], np.full(1100, np.nan, np.float32)
    view = y[offset:]
    double(x, out=view)
    np.testing.assert_array_equal(view, x + x)
    assert np.isnan(y[:offset]).all()
