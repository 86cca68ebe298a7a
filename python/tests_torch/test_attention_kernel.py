# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention in training runs the kernel that eager runs."""

import contextlib

import fuse_compiler.torch as fuse_torch
import pytest
import torch
from fuse_compiler.torch import _attention_kernel
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

pytestmark = pytest.mark.usefixtures("fresh")

SHAPE = (2, 4, 32, 16)


def attended(q, k, v):
    return F.scaled_dot_product_attention(q * 2, k, v, is_causal=True, scale=0.3) * 2


def under_autocast(q, k, v):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return F.scaled_dot_product_attention(q * 2, k, v)


def by_products(q, k, v):
    with sdpa_kernel(SDPBackend.MATH):
        return F.scaled_dot_product_attention(q * 2, k, v)


def with_gradients(function, inputs):
    inputs = [x.detach().requires_grad_() for x in inputs]
    result = function(*inputs)
    return result, *torch.autograd.grad(result.float().square().sum(), inputs)


def check(function, shapes=(SHAPE,) * 3, around=contextlib.nullcontext):
    """Compares with eager; the operators of attention in the forward graph."""
    inputs = [torch.randn(shape) for shape in shapes]
    with around():
        ours = with_gradients(torch.compile(function, backend="fuse"), inputs)
        eagers = with_gradients(function, inputs)
    for mine, eager in zip(ours, eagers):
        assert mine.dtype == eager.dtype and mine.stride() == eager.stride()
        torch.testing.assert_close(mine, eager)
    forward, _ = fuse_torch.report()
    return {name for name, _ in forward.eager if "attention" in name or "bmm" in name}


NAME = "aten._scaled_dot_product_flash_attention_for_cpu.default"


def test_the_kernel_is_called_by_its_name(monkeypatch):
    named = []
    name_kernel = _attention_kernel.name_kernel

    def spy(node, given):
        name_kernel(node, given)
        named.append(str(node.target))

    monkeypatch.setattr("fuse_compiler.torch._attention.name_kernel", spy)
    assert check(attended) == {NAME} and named == [NAME]


def test_it_is_what_torch_chooses_for_tensors(monkeypatch):
    asked = []

    def choice(q, k, v, **options):
        asked.append((q.requires_grad, type(q), options))
        return int(SDPBackend.MATH)

    monkeypatch.setattr(torch, "_fused_sdp_choice", choice)
    fake = torch.empty(SHAPE)
    found = _attention_kernel._eager_choice([fake] * 3, True, 0.3)
    assert found == SDPBackend.MATH
    assert asked == [(True, torch.Tensor, {"is_causal": True, "scale": 0.3})]


@pytest.mark.parametrize("function", [under_autocast, by_products])
def test_what_a_context_decides_stays(function):
    assert check(function) == (
        {NAME} if function is under_autocast else {"aten.bmm.default"}
    )


def test_autocast_around_the_call_decides():
    def around():
        return torch.autocast("cpu", dtype=torch.bfloat16)

    assert check(attended, around=around) == {NAME}


@pytest.mark.parametrize(
    "shapes", [((2, 4, 9, 12),) * 3, ((2, 4, 9, 16), (2, 4, 13, 16), (2, 4, 13, 16))]
)
def test_other_sizes_equal_eager(shapes):
    def plain(q, k, v):
        return F.scaled_dot_product_attention(q, k, v) * 2

    check(plain, shapes)


def test_another_batch_is_no_other_kernel():
    compiled = torch.compile(attended, backend="fuse", dynamic=True)
    for batch in (2, 3):
        inputs = [torch.randn(batch, *SHAPE[1:]) for _ in range(3)]
        for mine, eager in zip(
            with_gradients(compiled, inputs), with_gradients(attended, inputs)
        ):
            torch.testing.assert_close(mine, eager)
