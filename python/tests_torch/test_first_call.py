# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the first call of a compiled model does once, side by side, or not at all."""

import os
import subprocess
import sys
import threading
from collections import Counter

import fuse_compiler
import fuse_compiler.torch as fuse_torch
import pytest
import torch
from against_eager import X, check, compiled
from fuse_compiler.torch import _ahead, _backend, _joint
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn import functional as F

pytestmark = pytest.mark.usefixtures("fresh")

SECONDS = 30


def test_programs_of_a_graph_are_compiled_side_by_side(monkeypatch):
    both = threading.Barrier(2)

    def together(*arguments, **options):
        both.wait(SECONDS)
        return fuse_compiler.compile(*arguments, **options)

    monkeypatch.setattr(_ahead, "compile_program", together)

    def function(x):
        return F.softmax((x * 1.5625 + 3) @ X.T, 1) * 2

    check([compiled(function, contractions="never")(X)], [function(X)], 1e-5)
    (graph,) = fuse_torch.report()
    assert len({r.program for r in graph.regions}) == 2 and not both.broken
    assert graph.coverage > 0.5 and not any(r.failure for r in graph.regions)


def test_torch_does_not_wait_for_programs(monkeypatch):
    is_traced = threading.Event()

    def late(*arguments, **options):
        assert is_traced.wait(SECONDS)
        return fuse_compiler.compile(*arguments, **options)

    def add_graph(*arguments, add=_backend.add_graph):
        add(*arguments)
        is_traced.set()

    monkeypatch.setattr(_ahead, "compile_program", late)
    monkeypatch.setattr(_backend, "add_graph", add_graph)
    check([compiled(lambda x: x * 1.6875 + 3)(X)], [X * 1.6875 + 3])
    (graph,) = fuse_torch.report()
    assert graph.coverage == 1 and graph.regions[0].kernels


def test_a_call_need_not_wait_for_programs(monkeypatch):
    may_end = threading.Event()
    ran = []

    def late(*arguments, **options):
        assert may_end.wait(SECONDS)
        return fuse_compiler.compile(*arguments, **options)

    def call(program, *inputs, call=fuse_compiler.Program.__call__):
        ran.append(program)
        return call(program, *inputs)

    monkeypatch.setattr(_ahead, "compile_program", late)
    monkeypatch.setattr(fuse_compiler.Program, "__call__", call)

    def function(x):
        return x * 1.71875 + 3

    f = compiled(function, wait=False)
    # Else it would wait for ever.
    check([f(X)], [function(X)])
    assert not ran
    may_end.set()
    (graph,) = fuse_torch.report()
    # Who asks for the kernels does wait.
    assert graph.regions[0].kernels
    check([f(X)], [function(X)])
    assert len(ran) == 1 and not graph.regions[0].failure


def test_calls_with_the_strides_that_torch_knows_compile_nothing(monkeypatch):
    prepared = []

    def prepare(program, *inputs, prepare=fuse_compiler.Program.prepare):
        prepared.append((program, inputs))
        prepare(program, *inputs)

    monkeypatch.setattr(fuse_compiler.Program, "prepare", prepare)
    view = torch.randn(6, 16)[:, 2:10]
    check([compiled(lambda x: x * 1.8125 + 3)(view)], [view * 1.8125 + 3])
    ((program, inputs),) = prepared
    assert inputs == (((6, 8), (16, 1)),)


def test_a_text_that_was_refused_is_tried_again(monkeypatch):
    def fail(*arguments, **options):
        raise fuse_compiler.Error("expected luck, but got none; try again")

    with monkeypatch.context() as patched:
        patched.setattr(_ahead, "compile_program", fail)
        check([compiled(lambda x: x * 1.9375 + 3)(X)], [X * 1.9375 + 3])
    torch._dynamo.reset()
    check([compiled(lambda x: x * 1.9375 + 3)(X)], [X * 1.9375 + 3])
    first, second = fuse_torch.report()
    assert first.regions[0].failure and not second.regions[0].failure


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_process_compiles_on_threads_of_its_own():
    text = """
    func.func @f(%x: tensor<?x4xf32> {fuse.dims = ["rows"]}) -> tensor<?x4xf32> {
      %y = fuse.add %x, %x : tensor<?x4xf32>
      return %y : tensor<?x4xf32>
    }"""
    device = torch.device("cpu")
    _ahead.shared_program(text, device)
    child = os.fork()
    if child == 0:
        try:
            _ahead.start_program(text + "\n", device).result(SECONDS)
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def test_both_graphs_of_a_training_step_are_lowered_before_it():
    weight = torch.randn(8, 8, requires_grad=True)
    f = compiled(lambda x: F.silu((x @ weight) * 1.3125) + 3, contractions="never")
    y = f(X)
    kinds = [graph.kind for graph in fuse_torch.report()]
    assert kinds == ["forward", "backward"]
    y.sum().backward()
    assert [graph.kind for graph in fuse_torch.report()] == kinds


def test_without_gradients_there_is_one_graph():
    weight = torch.randn(8, 8, requires_grad=True)
    f = compiled(lambda x: F.silu((x @ weight) * 1.4375) + 3)
    with torch.no_grad():
        f(X)
    assert [graph.kind for graph in fuse_torch.report()] == ["inference"]


TRAINING = """
import sys, torch, fuse_compiler.torch
w = torch.randn(8, 8, requires_grad=True)
f = torch.compile(lambda x: torch.nn.functional.silu(x @ w) * 2, backend="fuse")
f(torch.randn(4, 8)).sum().backward()
assert w.grad is not None
print("torch._inductor.lowering" in sys.modules)
"""


def test_training_does_not_import_all_of_inductor():
    found = subprocess.run(
        [sys.executable, "-c", TRAINING], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "False"


def joint_graph(function, *inputs):
    """A graph as AOTAutograd has it, with fake values, of a function to a tuple."""
    with FakeTensorMode() as mode:
        fakes = [mode.from_tensor(x) for x in inputs]
        return make_fx(function)(*fakes)


def counts(function, *inputs, num_outputs):
    module = joint_graph(function, *inputs)
    _joint.merge_equal(module.graph, num_outputs)
    module.recompile()
    torch.manual_seed(0)
    expected = function(*inputs)
    torch.manual_seed(0)
    torch.testing.assert_close(module(*inputs), expected)
    return Counter(str(n.target) for n in module.graph.nodes if n.op == "call_function")


def test_what_is_computed_twice_is_computed_once():
    def function(x, y):
        return (x.exp() + y, x.exp() * y, (x * 2).sum(1), (x * 2.0).sum([1]))

    found = counts(function, X, X, num_outputs=4)
    assert found["aten.exp.default"] == 1
    # 2 and 2.0, and what the graph returns, stay apart.
    assert found["aten.mul.Tensor"] == 3 and found["aten.sum.dim_IntList"] == 2


def test_what_differs_in_ways_that_python_does_not_see_is_computed_twice():
    def function(x):
        zeros = torch.full((8,), 0.0), torch.full((8,), -0.0)
        return torch.copysign(x, zeros[0]) * 2, torch.copysign(x, zeros[1]) * 2

    assert counts(function, X, num_outputs=2)["aten.full.default"] == 2


def test_random_numbers_are_drawn_as_often_as_eagerly():
    def function(x):
        return torch.rand_like(x) + 1, torch.rand_like(x) + 2

    assert counts(function, X, num_outputs=2)["aten.rand_like.default"] == 2


def test_what_only_the_forward_graph_needs_is_not_merged_with_what_is_saved():
    def function(x):
        return x.exp() + 1, x.exp() + 2

    assert counts(function, X, num_outputs=1)["aten.exp.default"] == 2
    assert counts(function, X, num_outputs=2)["aten.exp.default"] == 1


def test_graphs_that_write_are_left_to_torch():
    def function(x):
        y = x.exp()
        y.add_(1)
        return (y * 2,)

    nodes = joint_graph(function, X).graph.nodes
    assert not all(map(_joint._is_plain, nodes))
    assert all(map(_joint._is_plain, joint_graph(lambda x: (x.exp(),), X).graph.nodes))
