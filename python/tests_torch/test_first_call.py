# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the first call of a compiled model does once, side by side, or not at all."""

import os
import threading

import fuse_compiler
import fuse_compiler.torch as fuse_torch
import pytest
import torch
from against_eager import X, check, compiled
from fuse_compiler.torch import _ahead, _backend
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
