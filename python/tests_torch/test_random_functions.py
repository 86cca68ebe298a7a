# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random functions of several operators: all intermediate results against eager, in f64.

FUSE_TORCH_SEEDS=A:B runs other ones.
"""

import os
import random

import fuse_compiler.torch as fuse_torch
import pytest
import torch
from torch.nn import functional as F

FIRST, LAST = map(int, os.environ.get("FUSE_TORCH_SEEDS", "0:12").split(":"))


def any_axis(r, x):
    return r.randrange(x.ndim)


UNARY = [
    torch.tanh,
    torch.sin,
    torch.sigmoid,
    F.silu,
    F.gelu,
    torch.abs,
    lambda x: x * 0.3 - 1,
    lambda x: 2 - x,
    lambda x: (x * x + 1).rsqrt(),
    lambda x: x.clamp(-1, 1),
]
BINARY = [
    torch.add,
    torch.mul,
    torch.sub,
    torch.maximum,
    torch.minimum,
    lambda a, b: a / (b.abs() + 1),
    lambda a, b: torch.where(a > b, a, b * 2),
    lambda a, b: a.masked_fill(b < 0, 0.5),
]


def reduced(r, x):
    axis, keep = any_axis(r, x), r.random() < 0.6
    kind = r.choice(["sum", "mean", "amax", "amin", "softmax", "norm", "var"])
    if kind == "softmax":
        return lambda x: x.softmax(axis)
    if kind == "norm":
        return lambda x: F.layer_norm(x, x.shape[-1:])
    if kind == "var":
        return lambda x: x.var(axis, correction=0, keepdim=keep)
    return lambda x: getattr(x, kind)(axis, keepdim=keep)


def moved(r, x):
    axis, order = any_axis(r, x), r.sample(range(x.ndim), x.ndim)
    start = r.randrange(x.shape[axis])
    choices = {
        "permute": lambda x: x.permute(*order),
        "join": lambda x: x.reshape(x.shape[0], -1),
        "flatten": lambda x: x.reshape(-1),
        "slice": lambda x: x.narrow(axis, start, x.shape[axis] - start),
        "step": lambda x: x[::2],
        "cat": lambda x: torch.cat((x, x * 2), axis),
        "flip": lambda x: x.flip(axis),
        "unsqueeze": lambda x: x.unsqueeze(axis) if x.ndim < 4 else x,
        "expand": lambda x: x.unsqueeze(0).expand(3, *x.shape) if x.ndim < 4 else x,
    }
    return choices[r.choice(sorted(choices))]


def fits(a, b):
    try:
        torch.broadcast_shapes(a.shape, b.shape)
    except RuntimeError:
        return False
    return True


def random_function(seed):
    """A function of two matrices to a tuple of what it computes on the way."""
    r, values, steps = random.Random(seed), [torch.ones(6, 8), torch.ones(6, 8)], []
    for _ in range(14):
        first = r.randrange(max(0, len(values) - 4), len(values))
        second, a = first, values[first]
        kind = r.choice(["unary", "binary", "binary", "reduce", "move", "product"])
        if a.ndim == 0 and kind in ("reduce", "move") or a.numel() > 4000:
            kind = "unary"
        if kind == "unary":
            operation = r.choice(UNARY)
        elif kind == "binary":
            second = r.choice([i for i, v in enumerate(values) if fits(a, v)])
            operation = r.choice(BINARY)
        elif kind == "product":
            operation = product
        else:
            operation = (reduced if kind == "reduce" else moved)(r, a)
        steps.append((operation, first, second, kind == "binary"))
        values.append(
            operation(a, values[second]) if kind == "binary" else operation(a)
        )

    def function(x, y):
        values = [x, y]
        for operation, first, second, is_binary in steps:
            a = values[first]
            values.append(operation(a, values[second]) if is_binary else operation(a))
        return tuple(values[2:])

    return function


def product(x):
    return x @ x.mT * 0.1 if x.ndim == 2 else x + 1


@pytest.mark.parametrize("is_dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("seed", range(FIRST, LAST))
def test_all_results_are_those_of_eager(seed, is_dynamic):
    torch._dynamo.reset()
    fuse_torch.reset_report()
    torch.manual_seed(seed)
    function = random_function(seed)
    compiled = torch.compile(
        function, backend="fuse", dynamic=is_dynamic, options={"smallest_region": 1}
    )
    for rows in (6, 5) if is_dynamic else (6,):
        inputs = torch.randn(rows, 8).double(), torch.randn(rows, 8).double()
        try:
            eager = function(*inputs)
        except RuntimeError:
            # Broadcasts of the first sizes only.
            break
        ours = compiled(*inputs)
        for number, (a, b) in enumerate(zip(ours, eager, strict=True)):
            assert a.shape == b.shape and (a.stride() == b.stride() or 1 in a.shape), (
                number
            )
            torch.testing.assert_close(
                a, b, rtol=1e-9, atol=1e-9, msg=lambda m: f"{number}: {m}"
            )
    check_no_failure()


def check_no_failure():
    failures = [r.failure for g in fuse_torch.report() for r in g.regions if r.failure]
    assert not failures, failures


@pytest.mark.parametrize("seed", range(FIRST, LAST))
def test_gradients_are_those_of_eager(seed):
    torch._dynamo.reset()
    fuse_torch.reset_report()
    torch.manual_seed(seed)
    function = random_function(seed)
    compiled = torch.compile(
        function, backend="fuse", dynamic=False, options={"smallest_region": 1}
    )
    inputs = [torch.randn(6, 8).double().requires_grad_() for _ in range(2)]

    def gradients(function):
        loss = sum(y.sin().sum() for y in function(*inputs))
        return torch.autograd.grad(loss, inputs, allow_unused=True)

    for a, b in zip(gradients(compiled), gradients(function), strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            torch.testing.assert_close(
                a, b, rtol=1e-8, atol=1e-8 * (1 + float(b.abs().max()))
            )
    check_no_failure()
