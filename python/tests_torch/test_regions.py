# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is around the regions of a graph: views, mutation, random numbers, options, failures."""

import fuse_compiler
import fuse_compiler.torch as fuse_torch
import pytest
import torch
from against_eager import X, check, compiled
from torch.nn import functional as F

pytestmark = pytest.mark.usefixtures("fresh")


def test_layers_that_are_alike_share_a_program():
    from fuse_compiler.torch import _ahead

    def function(x, a, b):
        return F.softmax(F.softmax(x * 3.0625, 1) @ a * 3.0625, 1) @ b

    before = set(_ahead._programs)
    options = {"contractions": "never"}
    check([compiled(function, **options)(X, X.T, X)], [function(X, X.T, X)])
    (graph,) = fuse_torch.report()
    assert len(graph.regions) == 2 and len(set(_ahead._programs) - before) == 2
    fuse_torch.reset_report()
    torch._dynamo.reset()
    square = X.T @ X
    check(
        [compiled(function, **options)(X, square, square)],
        [function(X, square, square)],
    )
    (graph,) = fuse_torch.report()
    assert len(graph.regions) == 2 and len({r.program for r in graph.regions}) == 1


def test_results_have_the_strides_that_eager_gives():
    def function(x):
        a = x.permute(2, 0, 1) * 2
        return a, a.exp(), x.transpose(0, 1) + 1, (x * 3).expand(2, *x.shape), x[0] * 2

    x = torch.randn(3, 4, 5)
    check(compiled(function)(x), function(x))


def test_what_has_no_elements_stays_out_of_the_way():
    def function(x):
        # As of rotary embeddings of all of a head.
        turned, rest = x[:, :8] * 2, x[:, 8:]
        both = torch.cat((turned, rest), dim=-1)
        three = torch.cat((x[:, :0], turned, rest[:, :0] + 1, turned), dim=1)
        return both, three

    x, y = (X.clone().requires_grad_() for _ in range(2))
    ours, eager = compiled(function)(x), function(y)
    check(ours, eager)
    for results in (ours, eager):
        sum(r.square().sum() for r in results).backward()
    check([x.grad], [y.grad])
    for graph in fuse_torch.report():
        assert all("cat" not in o and "slice_b" not in o for o, _ in graph.eager), graph


def test_views_are_left_outside():
    def function(x):
        y = x * 2
        return y.t(), y[1:], x.view(-1), x.expand(2, 6, 8)

    ours, eager = compiled(function)(X), function(X)
    check(ours, eager)
    assert ours[2].data_ptr() == X.data_ptr()
    assert ours[0].untyped_storage().data_ptr() == ours[1].untyped_storage().data_ptr()


def test_mutation_of_inputs_and_buffers():
    class Counted(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(8))

        def forward(self, x):
            self.count += x.mean(0) * 2
            x.mul_(0.5).add_(1)
            return self.count * x

    ours, eager = Counted(), Counted()
    f = compiled(ours)
    for _ in range(3):
        a, b = X.clone(), X.clone()
        check([f(a), a, ours.count], [eager(b), b, eager.count])


def test_outputs_that_are_views_of_inputs_alias_them():
    x = X.clone()
    y = compiled(lambda x: (x.view(-1), x * 2 + 1))(x)[0]
    y += 1
    torch.testing.assert_close(x, X + 1)


def test_random_numbers_are_those_of_eager():
    def function(x):
        return F.dropout(x * 2, 0.5) + torch.rand_like(x)

    torch.manual_seed(3)
    eager = function(X)
    torch.manual_seed(3)
    check([compiled(function)(X)], [eager])


def test_random_numbers_are_drawn_in_the_order_of_eager():
    def function(x):
        y = (x * 2 + 1) @ x.T
        # The first waits for a region that the second does not need, and which has parts
        # that follow the second.
        a = F.dropout(y * 3 + 1, 0.5)
        b = F.dropout(x, 0.5)
        c = torch.rand(3, device=x.device)
        return a, b, y.sin() * 5, torch.rand_like(x) * 2 + a.sum(), c

    torch.manual_seed(3)
    eager = function(X)
    torch.manual_seed(3)
    check(compiled(function, contractions="never", smallest_region=2)(X), eager)


def test_regions_without_inputs():
    f = compiled(lambda x: (x, torch.arange(6, device=x.device) * 3 + 1))
    check(f(X)[1:], [torch.arange(6) * 3 + 1])
    assert not any(r.failure for g in fuse_torch.report() for r in g.regions)


def test_gradients_of_gradients_and_views():
    x = X.clone().requires_grad_()
    f = compiled(lambda x: (x.sigmoid() * x).sum(0).expand(3, 8).t().reshape(-1))
    (ours,) = torch.autograd.grad(f(x).sum(), x)
    (eager,) = torch.autograd.grad((x.sigmoid() * x).sum() * 3, x)
    check([ours], [eager])


def test_autocast_is_applied_once():
    layer = torch.nn.Linear(8, 8)

    def function(x):
        with torch.autocast(X.device.type, dtype=torch.bfloat16):
            return F.gelu(layer(x)) * 2

    check([compiled(function)(X)], [function(X)], 2e-2)
    assert compiled(function)(X).dtype == function(X).dtype


def test_numbers_that_change_do_not_compile_each_time():
    f = compiled(lambda x, s: x * s + s)
    for s in (1.5, 2.5, 3.5, 4.5):
        check([f(X, s)], [X * s + s])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"contraction": "auto"},
            "expected options of contractions, .*but got contraction",
        ),
        (
            {"contractions": "sometimes"},
            "expected contractions to be auto, never, always",
        ),
        ({"wait": 1}, "expected wait to be True or False, but got 1"),
        (
            {"smallest_region": 0},
            "expected smallest_region to be a number of 1 or more",
        ),
    ],
)
def test_options_that_there_are_not(options, message):
    f = torch.compile(lambda x: x + 1, backend="fuse", options=options)
    with pytest.raises(Exception, match=message) as raised:
        f(X)
    assert fuse_compiler.Error.__name__ in str(raised.value) or isinstance(
        raised.value, fuse_compiler.Error
    )


def test_a_region_that_does_not_compile_runs_eagerly(monkeypatch):
    from fuse_compiler.torch import _ahead

    def fail(*arguments, **options):
        raise fuse_compiler.Error("expected luck, but got none; try again")

    monkeypatch.setattr(_ahead, "compile_program", fail)
    check([compiled(lambda x: x * 17.25 + 3)(X)], [X * 17.25 + 3])
    (graph,) = fuse_torch.report()
    assert graph.coverage == 0 and "expected luck" in str(graph)


def test_a_program_that_refuses_a_call_is_replaced_by_its_nodes(monkeypatch):
    f = compiled(lambda x: x * 18.25 + 3)
    check([f(X)], [X * 18.25 + 3])
    (graph,) = fuse_torch.report()
    assert graph.coverage == 1

    def refuse(*arguments, **options):
        raise fuse_compiler.Error("expected room, but got none; wait")

    monkeypatch.setattr(fuse_compiler.Program, "__call__", refuse)
    with pytest.warns(UserWarning, match="runs eagerly, .*: expected room"):
        check([f(X)], [X * 18.25 + 3])
    check([f(X)], [X * 18.25 + 3])
    assert graph.coverage == 0 and "expected room" in str(graph)


def test_single_elements_of_rows_are_read_alone():
    one = torch.tensor([3, 1, 2, 0, 5, 5]).view(-1, 1)

    def function(x):
        return (
            x.gather(1, one) * 2,
            (x @ x.T).gather(1, one) + 1,
            (x * 2).gather(1, one),
        )

    check(compiled(function, contractions="never")(X), function(X))
    (graph,) = fuse_torch.report()
    assert not any("gather" in operator for operator, _ in graph.eager), str(graph)
    assert not any(r.failure for r in graph.regions)
    programs = "".join(r.program for r in graph.regions)
    assert programs.count("fuse.take_along") == 2


def test_slices_end_before_the_end_of_a_dynamic_dim():
    f = compiled(lambda x: x[1:] - x[:-1])
    for rows in (6, 5, 4):
        x = X[:rows]
        torch._dynamo.maybe_mark_dynamic(x, 0)
        check([f(x)], [x[1:] - x[:-1]])
    assert all(not graph.eager for graph in fuse_torch.report())


def _grouped(x, weights, ends):
    h = torch._grouped_mm(x * 2 + 1, weights, offs=ends)
    return torch.nn.functional.silu(h) * 2


@pytest.mark.parametrize(
    "function, inputs, operator",
    [
        (
            _grouped,
            lambda: (
                torch.randn(24, 32).bfloat16(),
                torch.randn(4, 32, 64).bfloat16(),
                torch.tensor([4, 10, 16, 24], dtype=torch.int32),
            ),
            "grouped_mm",
        ),
        (
            lambda x: torch.sort((x * 2).sin(), dim=-1)[0] * 3 + 1,
            lambda: (torch.randn(4, 2048),),
            "sort",
        ),
        (
            lambda x: torch.topk((x * 2).sin(), 100)[0] * 3 + 1,
            lambda: (torch.randn(4, 2048),),
            "topk",
        ),
    ],
    ids=["experts", "long rows to sort", "many to choose"],
)
def test_what_there_is_not_stays_eager_between_two_regions(function, inputs, operator):
    arguments = inputs()
    ours = torch.compile(function, backend="fuse", fullgraph=True)(*arguments)
    torch.testing.assert_close(ours, function(*arguments), rtol=2e-2, atol=2e-2)
    (graph,) = fuse_torch.report()
    assert len(graph.regions) == 2 and len(graph.eager) == 1, str(graph)
    assert not any(region.failure for region in graph.regions)
    assert operator in next(iter(graph.eager))[0]


def test_a_copy_in_another_order_counts_as_an_operator():
    def windows(x):
        return x.reshape(4, 2, 4, 6).permute(0, 2, 1, 3).reshape(-1, 12).softmax(-1)

    x = torch.randn(4, 8, 6)
    torch.testing.assert_close(compiled(windows)(x), windows(x))
    (graph,) = fuse_torch.report()
    assert len(graph.regions) == 1 and not graph.eager
