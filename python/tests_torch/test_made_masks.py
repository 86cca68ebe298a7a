# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is made from sizes alone: constants that are found, masks that are made again."""

import fuse_compiler as fuse
import fuse_compiler.torch as fuse_torch
import pytest
import torch
from fuse_compiler.torch import _attention
from fuse_compiler.torch._fold import fold_constants
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn import functional as F

pytestmark = pytest.mark.usefixtures("fresh")


def traced(function, *inputs):
    return make_fx(function, tracing_mode="fake")(*inputs)


def targets(graph_module):
    return [str(n.target) for n in graph_module.graph.nodes if n.op == "call_function"]


def document_mask(x):
    """Which tokens are of one document, as transformers finds it; all are."""
    positions = torch.arange(x.shape[0], device=x.device)[None]
    starts = torch.cat([positions[:, :1] - 1, positions], -1).diff() != 1
    documents = starts.cumsum(-1)[0]
    return documents[:, None] == documents[None, :]


def test_a_mask_of_equal_elements_is_a_constant():
    def function(x):
        positions = torch.arange(x.shape[0], device=x.device)
        mask = (positions[None, :] <= positions[:, None]) & document_mask(x)
        return torch.where(mask, x, 0.0)

    x = torch.randn(8, 8)
    graph = traced(function, x)
    fold_constants(graph, {})
    graph.recompile()
    found = " ".join(targets(graph))
    assert "cumsum" not in found and "and" not in found and "eq" not in found
    assert "aten.le" in found
    torch.testing.assert_close(graph(x), function(x))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x + torch.arange(4, device=x.device),
        lambda x: x + torch.ones(4, device=x.device).cumsum(0),
        lambda x: x * (torch.full((4, 4), 3.0, device=x.device) + 1),
        lambda x: x + torch.full((4, 1), 2, device=x.device).expand(4, 4)[0],
        lambda x: x + torch.rand(4, 4, device=x.device) * 0,
        lambda x: torch.logical_and(x > 0, torch.ones(4, 4, device=x.device).bool()),
        lambda x: (x > 0) & torch.ones(3, 1, 4, dtype=torch.bool, device=x.device),
        lambda x: torch.zeros(4, 4, device=x.device).view(16)[x.abs().long()],
        lambda x: torch.where(torch.zeros(4, 4, device=x.device) > 1, x, -x),
    ],
)
def test_folding_changes_no_result(function):
    x = torch.randn(4, 4)
    graph = traced(function, x)
    fold_constants(graph, {})
    graph.recompile()
    ours, expected = graph(x), function(x)
    torch.testing.assert_close(ours, expected)
    assert ours.dtype == expected.dtype and ours.stride() == expected.stride()


def attend(q, k, v, mask):
    return F.scaled_dot_product_attention(q, k, v, mask)


def test_each_region_makes_the_mask_that_it_reads():
    """Between the regions stands a product that is eager."""
    weight = torch.randn(64, 64).bfloat16()

    def function(q, k, v):
        positions = torch.arange(200, device=q.device)
        mask = ((positions[None] <= positions[:, None]) & document_mask(q[0, 0]))[
            None, None
        ]
        y = attend(q * 2, k, v, mask)
        return attend(y @ weight, k + 1, v, mask) * 2

    q, k, v = (torch.randn(1, 2, 200, 64).bfloat16() for _ in range(3))
    options = {"attention": "always", "contractions": "never"}
    with torch.no_grad():
        ours = torch.compile(function, backend="fuse", dynamic=False, options=options)(
            q, k, v
        )
    expected = function(q, k, v).float()
    off = (ours.float() - expected).square().mean() / expected.square().mean()
    assert off < 1e-3
    (graph,) = fuse_torch.report()
    assert len(graph.regions) == 2, str(graph)
    for region in graph.regions:
        assert "xi1>" not in region.program.splitlines()[0]
        (kernel,) = [
            k
            for k in fuse.inspect(region.program, chip="sm_90a").kernels
            if "contract" in k.ops
        ]
        assert "#fuse.streamed" in kernel.schedule
        # Its positions are known, not read through a reshape.
        assert "iota" in kernel.ops and "expand_shape" not in kernel.ops, kernel.ops


def test_several_indices():
    x = torch.randn(3, 5, 7, 4)
    i = torch.tensor([[0, -1], [2, 1]])
    j = torch.tensor([2, -3])

    def function(x, i, j):
        return (x * 2)[:, i, j] + 1, (x * 2)[i, j] + 1, (x * 2)[i] + 1, (x * 2)[:, :, j]

    ours = torch.compile(function, backend="fuse", options={"smallest_region": 1})(
        x, i, j
    )
    expected = function(x, i, j)
    for a, b in zip(ours, expected):
        torch.testing.assert_close(a, b)


def test_an_outer_product_needs_no_library():
    a, b = torch.randn(2, 8, 1), torch.randn(2, 1, 5)
    function = torch.compile(
        lambda a, b: (a @ b).sin() + 1, backend="fuse", options={"smallest_region": 1}
    )
    torch.testing.assert_close(function(a, b), (a @ b).sin() + 1)
    (graph,) = fuse_torch.report()
    assert not graph.eager, str(graph)


def test_a_mask_that_hides_nothing_is_none():
    def function(q, k, v):
        mask = document_mask(q[0, 0])[None, None].expand(2, 1, 16, 16)
        return attend(q * 2, k, v, mask) + 1

    q, k, v = (torch.randn(2, 4, 16, 8) for _ in range(3))
    compiled = torch.compile(
        function, backend="fuse", dynamic=False, options={"attention": "always"}
    )
    with torch.no_grad():
        torch.testing.assert_close(
            compiled(q, k, v), function(q, k, v), rtol=1e-5, atol=1e-5
        )
    (region,) = fuse_torch.report()[0].regions
    assert "fuse.softmax" in region.program and "i1>" not in region.program


def test_torchs_attention_gets_no_mask_that_hides_nothing(monkeypatch):
    masks = []

    def function(q, k, v):
        mask = document_mask(q[0, 0])[None, None].expand(2, 1, 16, 16)
        return attend(q * 2, k, v, mask).transpose(1, 2).reshape(2, 16, 32) + 1

    def seen(query, key, value, attn_mask, **named):
        masks.append(attn_mask)
        return F.scaled_dot_product_attention(query, key, value, attn_mask, **named)

    monkeypatch.setattr(_attention, "scaled_dot_product_attention", seen)
    q, k, v = (torch.randn(2, 4, 16, 8) for _ in range(3))
    compiled = torch.compile(
        function, backend="fuse", dynamic=False, options={"attention": "never"}
    )
    with torch.no_grad():
        ours = compiled(q, k, v)
    assert masks[-1] is None
    torch.testing.assert_close(ours, function(q, k, v), rtol=1e-5, atol=1e-5)
