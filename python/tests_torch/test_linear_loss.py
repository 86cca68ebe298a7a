# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cross-entropy of a linear layer without its logits."""

from pathlib import Path

import fuse_compiler as fuse
import pytest
import torch
from fuse_compiler import Error, jit, ops
from fuse_compiler.ops import _linear_loss
from torch.nn import functional as F

pytestmark = pytest.mark.usefixtures("fresh")

ROWS, FEATURES, CLASSES = 37, 24, 61
TYPES = [torch.float32, torch.bfloat16, torch.float64]


def inputs(dtype=torch.float32, has_bias=False):
    x = torch.randn(ROWS, FEATURES).to(dtype).requires_grad_()
    weight = (torch.randn(CLASSES, FEATURES) / 4).to(dtype).requires_grad_()
    bias = torch.randn(CLASSES).to(dtype).requires_grad_() if has_bias else None
    labels = torch.randint(0, CLASSES, (ROWS,))
    labels[::5] = -100
    return x, weight, bias, labels


def ours(x, weight, bias, labels, smoothing=0.0, reduction="mean", **more):
    return ops.linear_cross_entropy(
        x, weight, labels, bias, label_smoothing=smoothing, reduction=reduction, **more
    )


def torchs(x, weight, bias, labels, smoothing=0.0, reduction="mean"):
    logits = F.linear(x, weight, bias)
    logits = logits if logits.dtype == torch.float64 else logits.float()
    return F.cross_entropy(
        logits, labels, label_smoothing=smoothing, reduction=reduction
    )


def results(function, x, weight, bias, labels, *more, factor=1.0, **keywords):
    """The loss, and the gradients of `factor` times it."""
    tensors = [t for t in (x, weight, bias) if t is not None]
    for each in tensors:
        each.grad = None
    loss = function(x, weight, bias, labels, *more, **keywords)
    (loss * factor).backward()
    return [loss.detach(), *(t.grad.clone() for t in tensors)]


def distance(found, exact):
    return float((found.double() - exact).square().mean().sqrt())


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("rows", [None, 8, 10, 1000])
@pytest.mark.parametrize(
    "has_bias, smoothing, reduction", [(False, 0.0, "mean"), (True, 0.1, "sum")]
)
def test_loss_and_gradients(dtype, rows, has_bias, smoothing, reduction):
    given = inputs(dtype, has_bias)
    more = smoothing, reduction
    found = results(ours, *given, *more, rows=rows, factor=0.5)
    eager = results(torchs, *given, *more, factor=0.5)
    wide = [
        t.detach().double().requires_grad_()
        if t is not None and t.is_floating_point()
        else t
        for t in given
    ]
    exact = results(torchs, *wide, *more, factor=0.5)
    for a, b, c in zip(found, eager, exact, strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape
        # Eager is the reference itself in f64.
        units = 4 if dtype == torch.float64 else 0.5
        unit = units * torch.finfo(dtype).eps * float(c.square().mean().sqrt())
        assert distance(a, c) <= 2 * distance(b, c) + unit


def test_no_gradients_are_computed_where_none_are_needed(monkeypatch):
    x, weight, bias, labels = inputs()
    monkeypatch.setattr(_linear_loss, "_differentiable", None)
    with torch.no_grad():
        found = ours(x, weight, bias, labels, rows=8)
    torch.testing.assert_close(found, torchs(x, weight, bias, labels).detach())
    with pytest.raises(TypeError):
        ours(x, weight, bias, labels)


def test_logits_are_never_there_as_a_whole():
    """Nothing that is made has more elements than a block's logits or the weight."""
    largest = 0

    class Watch(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
            result = operator(*args, **(kwargs or {}))
            nonlocal largest
            made = result if isinstance(result, (tuple, list)) else [result]
            sizes = [t.numel() for t in made if isinstance(t, torch.Tensor)]
            largest = max(largest, *sizes, 0)
            return result

    x = torch.randn(16384, 16)
    weight, labels = torch.randn(512, 16), torch.randint(0, 512, (16384,))
    with Watch():
        _linear_loss._compute_with_gradients(
            x, weight, None, labels, -100, 0.0, True, None
        )
    assert largest == _linear_loss._LEAST_ROWS * 512 == 16384 * 512 / 16


def test_a_block_is_one_kernel():
    function = jit(
        _linear_loss._losses_and_gradient,
        dims={"logits": ("d0", None), "labels": ("d0",)},
    )
    text = function.text(
        torch.empty(2, 128256, dtype=torch.bfloat16),
        torch.zeros(2, dtype=torch.int64),
        -100,
        0.0,
    )
    assert len(fuse.inspect(text, chip="sm_90").kernels) == 1


def test_batches_of_sequences_and_no_row_that_counts():
    x, weight, _, labels = inputs()
    shape = (1, ROWS)
    found = ours(x.view(*shape, FEATURES), weight, None, labels.view(shape))
    torch.testing.assert_close(found, torchs(x, weight, None, labels))
    loss, dx, dw = results(
        ours, x[:0].detach().requires_grad_(), weight, None, labels[:0]
    )
    assert loss.isnan() and dx.shape == (0, FEATURES) and dw.shape == weight.shape
    none = torch.full_like(labels, -100)
    loss, dx, _ = results(ours, x, weight, None, none)
    assert loss.isnan() and not dx.isinf().any()
    assert ours(x, weight, None, none, 0.0, "sum") == 0


@pytest.mark.parametrize("backend", ["aot_eager", "fuse"])
def test_under_torch_compile(backend):
    given = inputs()
    compiled = torch.compile(
        lambda x, *more: ours(torch.tanh(x) * 2, *more), backend=backend, fullgraph=True
    )
    found = results(compiled, *given)
    expected = results(lambda x, *more: torchs(torch.tanh(x) * 2, *more), *given)
    for a, b in zip(found, expected, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)


def test_means_are_not_too_small_for_f16():
    x = torch.randn(64, 8).half()
    weight = (torch.randn(4096, 8) / 4).half()
    labels = torch.full((64,), -100)
    labels[0] = 7
    # As one row of very many would be.
    found = _linear_loss._compute_with_gradients(
        x, weight, None, labels, -100, 0.0, False, None
    )
    p = torch.softmax(x[0].double() @ weight.double().t(), 0)
    p[7] -= 1
    expected = p[:, None] * x[0].double()
    torch.testing.assert_close(found[2].double(), expected, rtol=1e-2, atol=1e-7)


def test_opcheck():
    x, weight, bias, labels = inputs(has_bias=True)
    more = labels, -100, 0.1, True, 16
    operators = torch.ops.fuse
    torch.library.opcheck(
        operators.linear_cross_entropy_with_gradients.default, (x, weight, bias, *more)
    )
    plain = [t.detach() for t in (x, weight, bias)]
    torch.library.opcheck(operators.linear_cross_entropy.default, (*plain, *more))


@pytest.mark.parametrize("factor, right", [(1.0, True), (1.05, False)])
def test_the_comparison_tells_right_from_wrong(factor, right, monkeypatch):
    """tools/bench/compare_linear_loss.py, which measures it on a GPU."""
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[2] / "tools"))
    from bench import compare_linear_loss

    functions = {
        "fuse": lambda *given: ops.linear_cross_entropy(*given) * factor,
        "eager": lambda x, weight, labels: torchs(x, weight, None, labels),
    }
    monkeypatch.setattr(compare_linear_loss, "peers", lambda torch: functions)
    entry = compare_linear_loss.run_case(torch, (64, 32, 512), "cpu", 1)
    assert compare_linear_loss.is_right(entry) == right
    assert entry["fuse"]["seconds"] > 0


def test_what_does_not_fit_is_refused():
    x, weight, bias, labels = inputs()
    for arguments, message in (
        ((x, weight.t(), bias, labels), "transpose the weight"),
        ((x, weight, bias, labels[:3]), "a label for each row"),
        ((x, weight.double(), bias, labels), "of one float type"),
        ((x, weight, bias, labels, 0.0, "none"), "a reduction of mean or sum"),
        ((x, weight, bias, labels.float()), "labels of int32 or int64"),
        ((x, weight, weight[0], labels), "a bias of .* classes"),
    ):
        with pytest.raises(Error, match=message):
            ours(*arguments)
    for rows in (0, -1, 2.5):
        with pytest.raises(Error, match="rows to be a number of 1 or more"):
            ours(x, weight, bias, labels, rows=rows)
