# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(model, backend="fuse") on whole models."""

import copy

import fuse_compiler as fuse
import fuse_compiler.torch as fuse_torch
import pytest
import torch
from fuse_compiler.torch import _backend
from models import ASIDE, MODELS
from torch._dynamo.testing import CompileCounterWithBackend

pytestmark = pytest.mark.usefixtures("fresh")

ALL = {**MODELS, **ASIDE}

# The least part of the operators, views left out, that regions run on the CPU, where
# products and attention are left to torch, forward and backward. A ratchet: these only rise.
COVERAGE = {
    "llama": (0.82, 0.82),
    "gpt2": (0.73, 0.82),
    "bert": (0.75, 0.79),
    "vit": (0.73, 0.86),
}


def tensors(result):
    found = result if isinstance(result, tuple) else (result,)
    return [t for t in found if isinstance(t, torch.Tensor)]


def to(inputs, dtype):
    return [x.to(dtype) if x.is_floating_point() else x for x in inputs]


def step(function, model, inputs):
    """Outputs, and the gradients of a loss that weighs all elements differently."""
    model.zero_grad(set_to_none=True)
    outputs = tensors(function(*inputs))
    loss = sum(
        (y * torch.linspace(0.5, 1.5, y.numel()).view(y.shape).to(y)).sum()
        for y in outputs
    )
    loss.backward()
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    return [y.detach() for y in outputs], gradients


def check_no_worse(ours, eager, exact, what):
    """No further from f64 than eager within a factor of 2, by root mean square."""
    assert len(ours) == len(eager) == len(exact)
    for number, (a, b, c) in enumerate(zip(ours, eager, exact)):
        assert a.dtype == b.dtype and a.shape == b.shape, (what, number)
        assert a.stride() == b.stride() or 1 in a.shape, (what, number)
        ours_off = (a.double() - c).square().mean().sqrt()
        eager_off = (b.double() - c).square().mean().sqrt()
        # Where eager happens to be exact, half a unit of the type.
        unit = torch.finfo(a.dtype).eps * c.square().mean().sqrt() / 4
        assert ours_off <= 2 * eager_off + unit, (what, number, ours_off, eager_off)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["f32", "bf16"])
@pytest.mark.parametrize("name", ALL)
def test_forward_and_backward(name, dtype):
    build, make = ALL[name]
    model = build()
    inputs = make(3)
    # Reference and eager start from the same rounded weights.
    model = model.to(dtype)
    exact = copy.deepcopy(model).double()
    compiled = torch.compile(model, backend="fuse", dynamic=False)
    ours = step(compiled, model, to(inputs, dtype))
    gradients = [g.clone() for g in ours[1]]
    eager = step(model, model, to(inputs, dtype))
    reference = step(exact, exact, to(to(inputs, dtype), torch.float64))
    check_no_worse(ours[0], eager[0], reference[0], f"{name}, outputs")
    check_no_worse(gradients, eager[1], reference[1], f"{name}, gradients")
    kinds = [graph.kind for graph in fuse_torch.report()]
    assert kinds == ["forward", "backward"]
    assert all(r.failure is None for g in fuse_torch.report() for r in g.regions)


@pytest.mark.parametrize("name", MODELS)
def test_coverage_does_not_fall(name):
    build, make = MODELS[name]
    model = build()
    step(torch.compile(model, backend="fuse", dynamic=False), model, make(2))
    for graph, least in zip(fuse_torch.report(), COVERAGE[name], strict=True):
        assert graph.coverage >= least, str(graph)


@pytest.mark.parametrize("name", ALL)
def test_another_batch_needs_no_compilation(name):
    build, make = ALL[name]
    model = build()
    counter, first = CompileCounterWithBackend("fuse"), None
    compiled = torch.compile(model, backend=counter, dynamic=True)
    # The first is no other size of the models, which torch would take for the same.
    for batch in (5, 2, 3, 9):
        inputs = make(batch)
        with torch.no_grad():
            for ours, eager in zip(tensors(compiled(*inputs)), tensors(model(*inputs))):
                torch.testing.assert_close(ours, eager, rtol=2e-5, atol=2e-5)
        first = first or counter.frame_count
    assert counter.frame_count == first
    assert all(r.failure is None for g in fuse_torch.report() for r in g.regions)


@pytest.mark.parametrize("name", MODELS)
def test_training_with_another_batch(name):
    build, make = MODELS[name]
    model = build()
    counter, first = CompileCounterWithBackend("fuse"), None
    compiled = torch.compile(model, backend=counter, dynamic=True)
    for batch in (5, 2, 3):
        inputs = make(batch)
        ours = step(compiled, model, inputs)
        gradients = [g.clone() for g in ours[1]]
        eager = step(model, model, inputs)
        for a, b in zip(ours[0] + gradients, eager[0] + eager[1]):
            torch.testing.assert_close(
                a, b, rtol=1e-4, atol=1e-4 * (0.1 + float(b.abs().max()))
            )
        first = first or counter.frame_count
    assert counter.frame_count == first


@pytest.mark.parametrize("name", ["llama", "gpt2"])
def test_with_all_contractions_in_regions(name):
    build, make = MODELS[name]
    model, inputs = build(), make(2)
    options = {"contractions": "always"}
    compiled = torch.compile(model, backend="fuse", dynamic=False, options=options)
    with torch.no_grad():
        for ours, eager in zip(tensors(compiled(*inputs)), tensors(model(*inputs))):
            torch.testing.assert_close(ours, eager, rtol=1e-4, atol=1e-4)
    (graph,) = fuse_torch.report()
    assert not any("mm" in operator for operator, _ in graph.eager), str(graph)


@pytest.mark.parametrize("name", ["llama", "bert"])
def test_training_with_products_and_attention_in_regions(name):
    build, make = MODELS[name]
    model, inputs = build(), make(3)
    exact = copy.deepcopy(model).double()
    options = {"contractions": "always", "attention": "always"}
    compiled = torch.compile(model, backend="fuse", dynamic=False, options=options)
    ours = step(compiled, model, inputs)
    gradients = [g.clone() for g in ours[1]]
    eager = step(model, model, inputs)
    reference = step(exact, exact, to(inputs, torch.float64))
    check_no_worse(ours[0], eager[0], reference[0], f"{name}, outputs")
    check_no_worse(gradients, eager[1], reference[1], f"{name}, gradients")
    forward, backward = fuse_torch.report()
    assert not any("attention" in operator for operator, _ in forward.eager)
    assert any("attention" in operator for operator, _ in backward.eager)
    assert all(r.failure is None for g in fuse_torch.report() for r in g.regions)


def test_products_of_a_layer_are_on_tensor_cores_with_their_epilogues():
    from models import LlamaBlock

    model = LlamaBlock(512, heads=8, groups=2).to(torch.bfloat16)
    tables = torch.randn(128, 64).to(torch.bfloat16)
    x = torch.randn(2, 128, 512).to(torch.bfloat16)
    compiled = torch.compile(
        model, backend="fuse", dynamic=False, options={"contractions": "always"}
    )
    with torch.no_grad():
        compiled(x, tables, tables)
    (graph,) = fuse_torch.report()
    assert len(graph.regions) == 2, str(graph)
    kernels = [
        k for r in graph.regions for k in fuse.inspect(r.program, chip="sm_90a").kernels
    ]
    products = [k for k in kernels if "contract" in k.ops]
    assert all("#fuse.mma" in k.schedule for k in products)
    # Those of the same rows may share a kernel.
    assert sum(k.ops.count("contract") for k in products) == 7
    assert sum(len(k.ops) > k.ops.count("contract") for k in products) >= 2


def test_calls_of_regions_do_not_go_through_ctypes(monkeypatch):
    weight = torch.rand(8)

    def function(x):
        return torch.nn.functional.rms_norm(x * 2, (8,), weight) * 3

    compiled = torch.compile(function, backend="fuse", dynamic=False)
    x = torch.randn(4, 8)
    for _ in range(4):
        compiled(x)
    monkeypatch.setattr(fuse.Program, "_call", None)
    torch.testing.assert_close(compiled(x), function(x))


def test_a_graphs_arguments_are_not_kept():
    """Else all that forward saves would live until backward is done."""
    graph = torch.fx.symbolic_trace(lambda x, y: (x + y).relu())
    arguments = [torch.ones(2), torch.ones(2)]
    run = _backend._boxed(graph)
    torch.testing.assert_close(run(arguments), torch.full((2,), 2.0))
    assert run._boxed_call and (arguments == [] or _backend._BoxedCodeGen is None)


def test_casts_of_weights_are_made_where_they_are_used():
    layers = torch.nn.Sequential(*(torch.nn.Linear(32, 32) for _ in range(4)))

    def function(x):
        with torch.autocast(x.device.type, dtype=torch.bfloat16):
            for layer in layers:
                x = torch.nn.functional.gelu(layer(x)) * 2
        return x

    torch.compile(function, backend="fuse", options={"smallest_region": 1})(
        torch.randn(8, 32)
    )
    (graph, *_) = fuse_torch.report()
    assert max(len(r.operators) for r in graph.regions) <= 5, str(graph)


def test_few_compilations_for_batches_that_torch_treats_apart():
    weight = torch.randn(8)

    def function(x):
        h = torch.nn.functional.layer_norm(x * 2, (8,), weight) * 3
        return h + torch.softmax(x, 0)

    counter = CompileCounterWithBackend("fuse")
    compiled = torch.compile(function, backend=counter, dynamic=True)
    for batch in (2, 0, 1, 3, 7, 64, 1, 0):
        x = torch.randn(batch, 8)
        torch.testing.assert_close(compiled(x), function(x))
    # torch has graphs of their own for sizes 0 and 1.
    assert counter.frame_count <= 3
    assert not any(r.failure for g in fuse_torch.report() for r in g.regions)


def test_products_of_f32_are_tf32_where_torch_allows_it():
    """A change compiles anew; each region has what was allowed when it was traced."""

    def f(x, w, b):
        return torch.relu(torch.nn.functional.linear(x, w, b)) * 2

    x, w, b = torch.randn(64, 32), torch.randn(48, 32), torch.randn(48)
    ours = torch.compile(
        f, backend="fuse", dynamic=False, options={"contractions": "always"}
    )
    before = torch.get_float32_matmul_precision()
    try:
        for precision in ("highest", "high", "highest"):
            torch.set_float32_matmul_precision(precision)
            torch.testing.assert_close(ours(x, w, b), f(x, w, b))
    finally:
        torch.set_float32_matmul_precision(before)
    programs = [r.program for graph in fuse_torch.report() for r in graph.regions]
    assert ["precision = tf32" in program for program in programs] == [False, True]
    (kernel,) = fuse.inspect(programs[1], chip="sm_90a").kernels
    assert "#fuse.mma" in kernel.schedule and "operand_bits = 32" in kernel.schedule


def test_backward_again_after_retain_graph(fresh):
    x = torch.linspace(-1, 1, 12).reshape(3, 4).requires_grad_()
    y = torch.compile(lambda x: (x * 2).softmax(-1).pow(2), backend="fuse")(x).sum()
    y.backward(retain_graph=True)
    once = x.grad.clone()
    y.backward()
    torch.testing.assert_close(x.grad, 2 * once)
