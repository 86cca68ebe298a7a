# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scatters that add many rows: sorted by torch, added up by a region."""

import fuse_compiler.torch as fuse_torch
import pytest
import torch

COUNT, ROWS, WIDTH = 1500, 900, 24


def compiled(function):
    torch._dynamo.reset()
    fuse_torch.reset_report()
    return torch.compile(function, backend="fuse", fullgraph=True)


def eager_operators():
    return {str(op) for graph in fuse_torch.report() for op, _ in graph.eager}


def added(x, ids, rows):
    return x.double().index_put((ids,), rows.double(), accumulate=True)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize(
    "ids",
    [
        torch.randint(-ROWS, ROWS, (COUNT,)),
        torch.randperm(COUNT)[:COUNT] % ROWS,
        torch.full((COUNT,), 7),
        torch.randint(0, ROWS, (30, COUNT // 30), dtype=torch.int32),
    ],
)
def test_rows_are_added_where_ids_say(ids, dtype):
    x, rows = torch.randn(ROWS, WIDTH), torch.randn(*ids.shape, WIDTH)
    x, rows = x.to(dtype), rows.to(dtype)

    def function(x, ids, rows):
        return torch.relu(x.index_put((ids,), rows * 2, accumulate=True))

    found = compiled(function)(x, ids, rows)
    exact = torch.relu(added(x, ids.long(), rows * 2))
    error = (found.double() - exact).abs().max() / exact.abs().max()
    assert error < 4 * torch.finfo(dtype).eps
    # The sums are part of the region that reads them.
    assert not {o for o in eager_operators() if "segment" in o or "index_put" in o}


def test_same_bits_in_every_run():
    ids, rows = torch.randint(0, 5, (4000,)), torch.randn(4000, WIDTH)
    function = compiled(lambda i, r: torch.zeros(5, WIDTH).index_add(0, i, r) * 2)
    first = function(ids, rows)
    assert all(torch.equal(first, function(ids, rows)) for _ in range(3))
    exact = 2 * added(torch.zeros(5, WIDTH), ids, rows)
    assert (first.double() - exact).abs().max() / exact.abs().max() < 1e-6


@pytest.mark.parametrize("padding", [None, 3])
def test_gradient_of_an_embedding(padding):
    table = torch.randn(ROWS, WIDTH, requires_grad=True)
    ids = torch.randint(0, 50, (10, COUNT // 10))

    def loss(table):
        taken = torch.nn.functional.embedding(ids, table, padding_idx=padding)
        return (taken * taken).sum()

    (exact,) = torch.autograd.grad(loss(table), table)
    (found,) = torch.autograd.grad(compiled(loss)(table), table)
    torch.testing.assert_close(found, exact, rtol=1e-5, atol=1e-5)
    assert padding is None or not found[padding].any()


def test_gradient_of_rows_that_experts_take():
    x = torch.randn(ROWS, WIDTH, requires_grad=True)
    ids = torch.randint(0, ROWS, (COUNT,))

    def loss(x):
        return (torch.sin(x)[ids] * 3).square().sum()

    (exact,) = torch.autograd.grad(loss(x), x)
    (found,) = torch.autograd.grad(compiled(loss)(x), x)
    torch.testing.assert_close(found, exact, rtol=1e-5, atol=1e-5)
    assert not {o for o in eager_operators() if "index_put" in o}


def test_few_rows_and_other_scatters_stay():
    def few(x, ids, rows):
        return x.index_put((ids,), rows, accumulate=True) + 1

    def replaced(x, ids, rows):
        return x.index_put((ids,), rows) + 1

    x, ids, rows = torch.randn(9, 4), torch.randint(0, 9, (5,)), torch.randn(5, 4)
    exact = added(x, ids, rows) + 1
    torch.testing.assert_close(compiled(few)(x, ids, rows).double(), exact)
    assert not {o for o in eager_operators() if "sort" in o}
    many = torch.randperm(ROWS).repeat(2)[:ROWS]
    x, rows = torch.randn(ROWS, WIDTH), torch.randn(ROWS, WIDTH)
    torch.testing.assert_close(
        compiled(replaced)(x, many, rows), x.index_put((many,), rows) + 1
    )
