# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches that are replayed from CUDA graphs.

On the CPU a stand-in for torch's recording says what is recorded with which arguments, and
replays on the recorded memory; on a GPU it is torch's own.
"""

import copy
import gc

import fuse_compiler as fuse
import fuse_compiler.torch as fuse_torch
import pytest
import torch
from fuse_compiler.torch import _cuda_graphs
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn import functional as F

pytestmark = pytest.mark.usefixtures("fresh")
needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
on_the_host = pytest.mark.skipif(
    torch.cuda.is_available(), reason="stands in for a GPU"
)


class Net(torch.nn.Module):
    """Saves its input for the backward pass, and counts its calls."""

    def __init__(self, features=16):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.rand(features))
        self.linear = torch.nn.Linear(features, features)
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        self.calls.add_(1)
        h = F.rms_norm(x * x, x.shape[-1:], self.weight)
        return torch.softmax(self.linear(h) * x, -1) + self.calls


class Recording:
    """Stands in for one recorded graph: what it reads and writes stays where it was."""

    def __init__(self, run, arguments, static):
        self.run, self.static = run, static
        self.inputs = [
            x if i in static or not isinstance(x, torch.Tensor) else x.clone()
            for i, x in enumerate(arguments)
        ]
        self.outputs = [
            y.clone() if isinstance(y, torch.Tensor) else y
            for y in run(list(self.inputs))
        ]

    def replay(self, arguments):
        for i, (mine, given) in enumerate(zip(self.inputs, arguments)):
            if not isinstance(mine, torch.Tensor):
                assert mine == given
            elif i in self.static:
                assert mine.data_ptr() == given.data_ptr(), "it would be recorded anew"
            else:
                mine.copy_(given)
        for mine, made in zip(self.outputs, self.run(list(self.inputs))):
            if isinstance(mine, torch.Tensor):
                mine.copy_(made)
        return self.outputs


class Recorded:
    """What torch's function was asked for: its facts, and a Recording by the sizes."""

    def __init__(self):
        self.graphs = []

    def __call__(self, run, static, **facts):
        recordings = {}
        self.graphs.append({"static": static, "recordings": recordings, **facts})

        def replayed(arguments):
            sizes = tuple(x for x in arguments if isinstance(x, int))
            if sizes not in recordings:
                recordings[sizes] = Recording(run, arguments, set(static))
                return recordings[sizes].outputs
            return recordings[sizes].replay(arguments)

        return replayed


@pytest.fixture
def recorded(monkeypatch):
    found = Recorded()
    monkeypatch.setattr(_cuda_graphs, "cudagraphify", found)
    monkeypatch.setattr(_cuda_graphs, "why_not", lambda graph_module: None)
    return found


def step(function, model, x):
    model.zero_grad(set_to_none=True)
    y = function(x)
    (
        y * torch.linspace(0.5, 1.5, y.numel(), device=y.device).view(y.shape)
    ).sum().backward()
    return [y.detach().clone(), *(p.grad.clone() for p in model.parameters())]


def check(ours, eager):
    assert len(ours) == len(eager)
    for a, b in zip(ours, eager):
        torch.testing.assert_close(a, b, rtol=2e-5, atol=2e-5)


def check_calls(device="cpu"):
    """Calls with other inputs, in inference, beside eager ones; the compiled function."""
    model = Net().to(device)
    eager = copy.deepcopy(model)
    compiled = torch.compile(
        model, backend="fuse", options={"graphs": True}, dynamic=False
    )
    with torch.no_grad():
        for _ in range(5):
            x = torch.randn(3, 16, device=device)
            torch.compiler.cudagraph_mark_step_begin()
            check([compiled(x)], [eager(x)])
    assert model.calls == 5
    return compiled, model


def check_steps(device="cpu", dynamic=False):
    model = Net().to(device)
    eager = copy.deepcopy(model)
    compiled = torch.compile(
        model, backend="fuse", mode="reduce-overhead", dynamic=dynamic
    )
    for batch in (5, 5, 5, 3, 5, 3, 3) if dynamic else (5,) * 5:
        x = torch.randn(batch, 16, device=device)
        torch.compiler.cudagraph_mark_step_begin()
        check(step(compiled, model, x), step(eager, eager, x))
    assert [g.replay for g in fuse_torch.report()] == ["replayed"] * 2


@on_the_host
def test_parameters_stay_and_inputs_are_copied(recorded):
    check_calls()
    (graph,) = recorded.graphs
    assert graph["is_inference"] and not graph["is_backward"]
    names = [p.name for p in graph["placeholders"]]
    # Weights, and the buffer.
    assert len(graph["static"]) == 4 and len(names) == 5
    (made,) = fuse_torch.report()
    assert made.replay == "replayed" and "CUDA graphs: replayed" in str(made)


@on_the_host
@pytest.mark.parametrize("dynamic", [False, True])
def test_training_steps(recorded, dynamic):
    check_steps(dynamic=dynamic)
    forward, backward = recorded.graphs
    assert not forward["is_inference"] and backward["is_backward"]
    # A recording for each batch, and none more.
    assert len(forward["recordings"]) == len(backward["recordings"]) == 1 + dynamic
    assert len(forward["static"]) == 4
    # Of the backward pass's arguments only weights stay where they are.
    names = [backward["placeholders"][i].name for i in backward["static"]]
    assert names and all(name.startswith("primals") for name in names)


@on_the_host
def test_a_forward_graph_that_is_not_recorded_keeps_its_backward_one_out():
    model = Net()
    compiled = torch.compile(model, backend="fuse", options={"graphs": True})
    eager = copy.deepcopy(model)
    x = torch.randn(4, 16)
    with pytest.warns(UserWarning, match="not replayed .*: tensors are on cpu") as said:
        ours = step(compiled, model, x)
    assert len(said) == 1
    check(ours, step(eager, eager, x))
    forward, backward = fuse_torch.report()
    assert forward.replay == "launched one by one: tensors are on cpu"
    assert "the forward graph is not" in backward.replay


def why_not(function, shape, device="cuda"):
    with torch._subclasses.FakeTensorMode():
        graph = make_fx(function)(torch.empty(shape, device=device))
    return _cuda_graphs.why_not(graph)


def test_what_can_be_recorded():
    assert why_not(lambda x: x.sin() + 1, (4,)) is None
    assert why_not(lambda x: x.sin(), (4,), device="cpu") == "tensors are on cpu"
    assert "cpu" in why_not(lambda x: x.cpu(), (4,))
    if torch.cuda.device_count() != 1:
        two = why_not(lambda x: x.to("cuda:1"), (4,), device="cuda:0")
        assert "several GPUs" in two
    assert "writes into" in why_not(lambda x: x.add_(1), (4,))
    masked = why_not(lambda x: torch.ops.aten.index_put(x, [x > 0], x[0]), (4,))
    assert "index_put" in masked and "waits" in masked


def test_options():
    def function(x):
        return x * 2 + 1

    x = torch.ones(4)
    for wrong in ({"options": {"graphs": 3}}, {"mode": "max-autotune"}):
        compiled = torch.compile(function, backend=fuse_torch.backend, **wrong)
        with pytest.raises(Exception, match="expected (graphs|no mode)") as raised:
            compiled(x)
        assert fuse.Error.__name__ in str(raised.getrepr())
    torch.compile(function, backend="fuse")(x)
    assert fuse_torch.report()[-1].replay == ""


@needs_gpu
def test_calls_on_a_gpu():
    compiled, model = check_calls("cuda")
    with torch.no_grad():
        x = torch.randn(3, 16, device="cuda")
        places = set()
        for _ in range(3):
            torch.compiler.cudagraph_mark_step_begin()
            places.add(compiled(x).data_ptr())
        # Each replay writes where the first did.
        assert len(places) == 1
        # A parameter that moves is read where it is now.
        model.weight.data = torch.rand(16, device="cuda")
        eager = copy.deepcopy(model)
        for _ in range(3):
            torch.compiler.cudagraph_mark_step_begin()
            check([compiled(x)], [eager(x)])


@needs_gpu
@pytest.mark.parametrize("dynamic", [False, True])
def test_training_steps_on_a_gpu(dynamic):
    check_steps("cuda", dynamic)


@needs_gpu
def test_a_copied_result_stays_as_it_is():
    compiled, model = check_calls("cuda")
    eager = copy.deepcopy(model)
    with torch.no_grad():
        x = torch.randn(3, 16, device="cuda")
        torch.compiler.cudagraph_mark_step_begin()
        copied = compiled(x).clone()
        torch.compiler.cudagraph_mark_step_begin()
        compiled(torch.randn_like(x))
        check([copied], [eager(x)])


TWICE = """
func.func @twice(%x: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
  %c = fuse.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %t = fuse.reduce sum %c dims = [0] : tensor<2xf32> -> tensor<f32>
  %m = fuse.reduce mean %x dims = [0, 1] : tensor<64x4096xf32> -> tensor<f32>
  %s = fuse.mul %m, %t : tensor<f32>
  %y = fuse.mul %x, %s : tensor<64x4096xf32>, tensor<f32>
  return %y : tensor<64x4096xf32>
}"""


@needs_gpu
def test_a_graph_outlives_its_program():
    x = torch.rand(64, 4096, device="cuda")
    program = fuse.compile(TWICE, target="cuda")
    y = program(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        program(x, out=y)
    del program
    gc.collect()
    # What takes the place of code and memory that were freed.
    others = [
        fuse.compile(TWICE.replace("1.0, 2.0", f"{n}.0, 1.0"), target="cuda")
        for n in range(5, 9)
    ]
    for other in others:
        other(x)
    for _ in range(3):
        x.uniform_()
        graph.replay()
        torch.testing.assert_close(y, x * (3 * x.mean()))
    # The next call frees what the graph has kept.
    del graph
    torch.cuda.synchronize()
    torch.testing.assert_close(others[0](x), x * (6 * x.mean()))
