# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of which each of two processes has a part, on the CPU with gloo."""

import json
import subprocess
import sys
from pathlib import Path

import fuse_compiler.torch as fuse_torch
import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing
from torch.distributed import _functional_collectives as collectives

TOOLS = Path(__file__).resolve().parents[2] / "tools"
sys.path.append(str(TOOLS))
from bench.peers import parallel_block  # noqa: E402

WORLD, TOKENS = 2, 12
SIZES = {"layers": 2, "features": 64, "heads": 4, "groups": 2, "hidden": 96}
COLLECTIVE = "collectives are torch.distributed's"


def whole(dtype):
    torch.manual_seed(0)
    model = parallel_block.Blocks(**SIZES).to(dtype)
    x = torch.randn(2, TOKENS, SIZES["features"], dtype=dtype, requires_grad=True)
    cos, sin = parallel_block.tables(TOKENS, 16, dtype, "cpu")
    return model, x, cos, sin


def step(function, model, x, cos, sin):
    """The output, and the gradients of the parameters by name and of x."""
    model.zero_grad(set_to_none=True)
    x.grad = None
    y = function(x, cos, sin)
    (y * torch.linspace(0.5, 1.5, y.shape[-1], dtype=y.dtype)).sum().backward()
    gradients = {name: p.grad for name, p in model.named_parameters()}
    return y.detach(), {**gradients, "x": x.grad}


def run(rank, test, folder):
    torch.set_num_threads(1)
    dist.init_process_group(
        "gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=WORLD
    )
    try:
        test(rank)
    finally:
        dist.destroy_process_group()


def in_processes(test, tmp_path):
    torch.multiprocessing.spawn(run, (test, tmp_path), nprocs=WORLD)


def check(rank, found, expected, gradients, other):
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
    for name, gradient in other.items():
        exact = gradient
        if name != "x":
            exact = parallel_block.part_of(name, gradient, rank, WORLD)
        torch.testing.assert_close(gradients[name], exact, rtol=1e-3, atol=1e-3)


def tensor_parallel(rank):
    model, *inputs = whole(torch.float32)
    expected, exact = step(model, model, *inputs)
    part = parallel_block.shard(model)
    compiled = torch.compile(part, backend="fuse", fullgraph=True, dynamic=False)
    y, gradients = step(compiled, part, *inputs)
    check(rank, y, expected, gradients, exact)
    forward, backward = fuse_torch.report()
    # Between its collectives a layer is in regions, in both directions.
    for graph, least in ((forward, 4), (backward, 4)):
        assert len(graph.regions) >= least, str(graph)
        assert all(r.failure is None for r in graph.regions)
        reasons = {
            operator: (reason, count)
            for (operator, reason), count in graph.eager.items()
            if "c10d" in operator
        }
        reduces = reasons["_c10d_functional.all_reduce.default"]
        assert reduces == (COLLECTIVE, 2 * SIZES["layers"]), str(graph)


def sequence_parallel(rank):
    model, x, cos, sin = whole(torch.float32)
    expected, exact = step(model, model, x, cos, sin)
    part = parallel_block.shard(model, sequence=True)
    mine = x.detach().chunk(WORLD, dim=1)[rank].contiguous().requires_grad_()
    compiled = torch.compile(part, backend="fuse", fullgraph=True, dynamic=False)
    y, gradients = step(compiled, part, mine, cos, sin)
    # Norms see a part of the tokens only.
    for name, gradient in gradients.items():
        if "norm" in name:
            dist.all_reduce(gradient)
    exact["x"] = exact["x"].chunk(WORLD, dim=1)[rank]
    check(rank, y, expected.chunk(WORLD, dim=1)[rank], gradients, exact)
    forward, _ = fuse_torch.report()
    named = {operator for operator, reason in forward.eager if reason == COLLECTIVE}
    assert "_c10d_functional.reduce_scatter_tensor.default" in named, str(forward)
    assert any("all_gather" in operator for operator in named), str(forward)


def of_dtensors(rank):
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor.parallel import (
        ColwiseParallel,
        RowwiseParallel,
        parallelize_module,
    )

    model, *inputs = whole(torch.float32)
    expected, exact = step(model, model, *inputs)
    mesh = init_device_mesh("cpu", (WORLD,))
    plan = {name: ColwiseParallel() for name in ("q", "k", "v", "gate", "up")}
    plan |= {name: RowwiseParallel() for name in ("o", "down")}
    for block in model.blocks:
        parallelize_module(block, mesh, plan)
    compiled = torch.compile(model, backend="fuse", dynamic=False)
    y, gradients = step(compiled, model, *inputs)
    local = {
        name: g.to_local() if hasattr(g, "to_local") else g
        for name, g in gradients.items()
    }
    check(rank, y, expected, local, exact)
    assert any(r.kernels for g in fuse_torch.report() for r in g.regions)
    with torch.no_grad():
        torch.testing.assert_close(compiled(*inputs), expected, rtol=1e-4, atol=1e-4)


def order_of_independent_collectives(rank):
    """Three that do not need each other, of which the first needs most work."""

    def function(x, y):
        for _ in range(3):
            x = torch.softmax(x * 2, -1)
        late = collectives.all_reduce(x, "sum", dist.group.WORLD)
        early = collectives.all_gather_tensor(y, 0, dist.group.WORLD)
        # A sum of constants is no constant: nothing is sent while a graph is compiled.
        ones = torch.ones(8, 8, device=x.device)
        count = collectives.reduce_scatter_tensor(ones, "sum", 0, dist.group.WORLD)
        return torch.tanh(late + early[:4] * 2) / count

    torch.manual_seed(rank)
    x, y = torch.randn(4, 8), torch.randn(4, 8)
    compiled = torch.compile(function, backend="fuse", fullgraph=True)
    torch.testing.assert_close(compiled(x, y), function(x, y))
    with torch.profiler.profile() as profile:
        compiled(x, y)
    events = sorted(profile.events(), key=lambda event: event.time_range.start)
    started = [e.name for e in events if e.name.startswith("_c10d_functional::")]
    assert [name for name in started if "wait" not in name] == [
        "_c10d_functional::all_reduce",
        "_c10d_functional::all_gather_into_tensor",
        "_c10d_functional::reduce_scatter_tensor",
    ], started
    assert fuse_torch.report()[0].regions


@pytest.mark.parametrize(
    "test",
    [
        tensor_parallel,
        sequence_parallel,
        of_dtensors,
        order_of_independent_collectives,
    ],
    ids=lambda test: test.__name__,
)
def test_two_processes(test, tmp_path):
    in_processes(test, tmp_path)


@pytest.mark.parametrize("flags", [[], ["--sequence"]], ids=["tensor", "sequence"])
def test_the_comparison_with_one_process(flags, tmp_path):
    """tools/bench/compare_distributed.py, which measures it on GPUs."""
    out = tmp_path / "out.json"
    command = [
        sys.executable,
        str(TOOLS / "bench" / "compare_distributed.py"),
        f"--out={out}",
    ]
    command += ["--device=cpu", "--tiny", "--peers=fuse,eager", "--modes=training"]
    # Others may be at work on the machine.
    command += ["--seconds=2000"]
    done = subprocess.run(
        [*command, "--rounds=2", *flags], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (run,) = json.loads(out.read_text())
    (entry,) = run["entries"]
    assert entry["peers"]["fuse"]["right"] and entry["peers"]["fuse"]["kernels"]
