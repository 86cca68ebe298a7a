# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes into parts of a tensor under torch.compile(function, backend="fuse")."""

import fuse_compiler.torch as fuse_torch
import pytest
import torch

pytestmark = pytest.mark.usefixtures("fresh")

WIDE, NARROW = (2, 4, 6, 16), (2, 1, 6, 8)


def joined(a, b):
    """As transformers joins the parts of a key."""
    y = a.new_empty(2, 4, 6, 24)
    y[..., :16] = a
    y[..., 16:] = b
    return y * 2


def from_the_end(a, b):
    y = torch.zeros(2, 4, 6, 24)
    y[..., -8:] = b
    y[..., :16] = a
    return y * 2


def overlapping(a, b):
    y = a.clone()
    y[..., 2:4] = b[..., :2]
    y[..., 3:8] = b[..., :5]
    y[..., 0:2] = 7
    y[..., 8:] = 1
    return y + 1


def covered_later(a, b):
    y = a * 2
    y[..., :8] = b
    y[..., :] = a
    y[..., 8:] = b
    return y + 1


def read_between(a, b):
    y = torch.zeros(2, 4, 6, 24)
    y[..., :16] = a
    z = y + 1
    y[..., 16:] = b
    return y * z


def of_another_type(a, b):
    y = torch.zeros(2, 4, 6, 24, dtype=torch.bfloat16)
    y[..., :16] = a
    y[..., 16:] = b.half()
    return y * 2


def with_steps(a, b):
    y = a * 1
    y[..., ::2] = b
    y[:, 1] = 3
    return y * 2


ALL = [
    joined,
    from_the_end,
    overlapping,
    covered_later,
    read_between,
    of_another_type,
    with_steps,
]


@pytest.mark.parametrize("is_training", [False, True])
@pytest.mark.parametrize("function", ALL, ids=lambda f: f.__name__)
def test_elements_and_gradients_are_eagers(function, is_training):
    inputs = [torch.randn(shape) for shape in (WIDE, NARROW)]
    results = []
    for run in (torch.compile(function, backend="fuse"), function):
        a, b = (x.clone().requires_grad_(is_training) for x in inputs)
        result = run(a, b)
        results.append([result])
        if is_training:
            results[-1] += torch.autograd.grad(result.float().square().sum(), (a, b))
    for mine, eager in zip(*results):
        assert mine.stride() == eager.stride()
        torch.testing.assert_close(mine, eager)


@pytest.mark.parametrize("function", [joined, from_the_end])
def test_parts_that_are_all_are_one_concatenation(function):
    torch.compile(function, backend="fuse")(torch.randn(WIDE), torch.randn(NARROW))
    (graph,) = fuse_torch.report()
    (region,) = graph.regions
    assert graph.coverage == 1 and len(region.kernels) == 1
    assert "fuse.concat" in region.program and "fuse.constant dense<0" not in (
        region.program
    )
