# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cross-entropy of a linear layer's logits, which are never in memory as a whole.

Rows are taken in blocks. Of each the library's product makes logits, one program makes
their losses and gradients of them, and two products take these back:

    logits = x[block] W^T        [block, classes], the only tensor with classes and rows
    losses, d = program(logits, labels)
    dx[block] = d W,  dW += d^T x[block]

so a training step has its gradients when the forward pass ends, as Liger has them (Hsu et
al., arXiv:2410.10989). Sums over blocks are in float32.
"""

import torch

from fuse_compiler import _formulas as formulas
from fuse_compiler import lang
from fuse_compiler._library import Error
from fuse_compiler.ops._define import differentiate, empty_like, refuse_forward_mode
from fuse_compiler.ops._run import EACH_ROW, ROWS, run

_FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
_LEAST_ROWS = 1024


def _losses(logits, labels, ignore_index, smoothing):
    return formulas.cross_entropy(logits, labels, ignore_index, smoothing)[0]


def _losses_and_gradient(logits, labels, ignore_index, smoothing):
    """Of each row, and the gradient of their sum: of a mean it could be too small for f16."""
    loss, total = formulas.cross_entropy(logits, labels, ignore_index, smoothing)
    ones = lang.broadcast_to(loss.builder.constant(1.0, loss.dtype), loss.shape)
    gradient = formulas.cross_entropy_backward(
        ones, logits, labels, total, ignore_index, smoothing
    )
    return loss, gradient


_SPECS = {"logits": ROWS, "labels": EACH_ROW}


def _total_type(x):
    return torch.float64 if x.dtype == torch.float64 else torch.float32


def _scale(labels, ignore_index, is_mean, dtype):
    """What the sum of the losses is multiplied by; nobody waits for the number."""
    if not is_mean:
        return torch.ones((), dtype=dtype, device=labels.device)
    return (labels != ignore_index).sum().to(dtype).reciprocal()


def _blocks(x, weight, rows):
    """The slices of rows that are taken at a time.

    Logits are about as large as x, or as half the weight if that is more: each block reads and
    writes the sum of the weight's gradient, which costs more than its product if it is small.
    """
    count = x.shape[0]
    if rows is None:
        fair = max(count * x.shape[1] // weight.shape[0], x.shape[1] // 2)
        rows = max(_LEAST_ROWS, 1 << max(fair - 1, 0).bit_length())
    # Of no rows there is one block, too.
    return [slice(first, first + rows) for first in range(0, max(count, 1), rows)]


def _logits(block, weight, bias):
    if bias is None:
        return block @ weight.t()
    return torch.addmm(bias, block, weight.t())


class _Accumulator:
    """A sum of products, in the type that sums are computed in."""

    def __init__(self, x):
        self._sum, self._type = None, _total_type(x)
        is_narrow = x.dtype in (torch.float16, torch.bfloat16)
        # The product's own sums are in f32, and need not be rounded before they are added.
        self._is_wide = (
            is_narrow and x.is_cuda and hasattr(torch.ops.aten.addmm, "dtype_out")
        )

    def add_product(self, a, b):
        if self._sum is None:
            self._sum = self._first(a, b)
        elif self._type == a.dtype:
            torch.addmm(self._sum, a, b, out=self._sum)
        elif self._is_wide:
            torch.ops.aten.addmm.dtype_out(self._sum, a, b, self._type, out=self._sum)
        else:
            self._sum += a @ b

    def _first(self, a, b):
        if self._is_wide:
            try:
                return torch.ops.aten.mm.dtype(a, b, self._type)
            except RuntimeError:
                self._is_wide = False
        return (a @ b).to(self._type)

    def add_rows(self, x):
        found = x.sum(0, dtype=self._type)
        self._sum = found if self._sum is None else self._sum + found

    def rounded(self, scale, dtype):
        """The sum times a number, in a type."""
        return torch.mul(self._sum, scale, out=torch.empty_like(self._sum, dtype=dtype))


def _compute(x, weight, bias, labels, ignore_index, smoothing, is_mean, rows):
    refuse_forward_mode("fuse::linear_cross_entropy")
    with torch.no_grad():
        losses = [
            run(
                _losses,
                _SPECS,
                _logits(x[block], weight, bias),
                labels[block],
                ignore_index,
                smoothing,
            )
            for block in _blocks(x, weight, rows)
        ]
        scale = _scale(labels, ignore_index, is_mean, _total_type(x))
        return torch.cat(losses).sum() * scale


def _compute_with_gradients(
    x, weight, bias, labels, ignore_index, smoothing, is_mean, rows
):
    refuse_forward_mode("fuse::linear_cross_entropy")
    with torch.no_grad():
        scale = _scale(labels, ignore_index, is_mean, _total_type(x))
        losses, dx = [], torch.empty_like(x, memory_format=torch.contiguous_format)
        dw = _Accumulator(x)
        db = _Accumulator(x) if bias is not None else None
        for block in _blocks(x, weight, rows):
            loss, gradient = run(
                _losses_and_gradient,
                _SPECS,
                _logits(x[block], weight, bias),
                labels[block],
                ignore_index,
                smoothing,
            )
            losses.append(loss)
            torch.mm(gradient, weight, out=dx[block])
            dw.add_product(gradient.t(), x[block])
            if db:
                db.add_rows(gradient)
        loss = torch.cat(losses).sum() * scale
        no_bias = x.new_empty(0)
        return (
            loss,
            dx,
            dw.rounded(scale, weight.dtype),
            db.rounded(scale, bias.dtype) if db else no_bias,
            scale,
        )


_SCHEMA = (
    "(Tensor x, Tensor weight, Tensor? bias, Tensor labels, int ignore_index, float smoothing, "
    "bool is_mean, int? rows) -> "
)


def _define(name, results, compute, fake):
    qualified = f"fuse::{name}"
    tags = (torch.Tag.pt2_compliant_tag,)
    torch.library.define(qualified, _SCHEMA + results, tags=tags)
    torch.library.impl(qualified, ("cpu", "cuda"))(compute)
    torch.library.register_fake(qualified)(fake)
    return getattr(torch.ops.fuse, name).default


def _fake_loss(x, *_):
    return empty_like(x, (), _total_type(x))


_plain = _define("linear_cross_entropy", "Tensor", _compute, _fake_loss)
_differentiable = _define(
    "linear_cross_entropy_with_gradients",
    "(Tensor, Tensor, Tensor, Tensor, Tensor)",
    _compute_with_gradients,
    lambda x, weight, bias, *_: (
        _fake_loss(x),
        empty_like(x),
        empty_like(weight),
        x.new_empty(0) if bias is None else empty_like(bias),
        _fake_loss(x),
    ),
)


def _save(context, inputs, output):
    context.save_for_backward(*output[1:])
    context.has_bias = inputs[2] is not None


def _gradient(context, dloss, *_):
    dx, dw, db, scale = context.saved_tensors
    bias = (db * dloss).to(db.dtype) if context.has_bias else None
    return (
        # Unlike dw and db, dx has not been multiplied by the scale.
        (dx * (dloss * scale)).to(dx.dtype),
        (dw * dloss).to(dw.dtype),
        bias,
        *[None] * 5,
    )


differentiate(_differentiable, _gradient, _save)


def linear_cross_entropy(
    x,
    weight,
    labels,
    bias=None,
    *,
    ignore_index=-100,
    label_smoothing=0.0,
    reduction="mean",
    rows=None,
):
    """cross_entropy(x weight^T + bias, labels), without the logits in memory.

    x          [.., features] of a float type
    weight     [classes, features] of the same, as torch.nn.Linear has it;  bias  [classes]
    labels     [..] of int32 or int64; rows with `ignore_index` count for nothing
    reduction  "mean" over the rows that count, or "sum"
    rows       of which logits are made at a time; by default so many that these are about as
               large as x, or as half the weight

    Returns a float32 (float64). Differentiable once in x, weight and bias; their gradients are
    computed with the loss, where one of them needs one.
    """
    _check(x, weight, labels, bias, reduction, rows)
    arguments = (
        x.reshape(-1, x.shape[-1]),
        weight,
        bias,
        labels.reshape(-1),
        ignore_index,
        label_smoothing,
        reduction == "mean",
        rows,
    )
    needed = [t for t in (x, weight, bias) if t is not None and t.requires_grad]
    if torch.is_grad_enabled() and needed:
        return _differentiable(*arguments)[0]
    return _plain(*arguments)


def _check(x, weight, labels, bias, reduction, rows):
    if reduction not in ("mean", "sum"):
        raise Error(
            f"expected a reduction of mean or sum, but got {reduction!r}; choose one, or call "
            "cross_entropy on the logits"
        )
    if weight.ndim != 2 or x.ndim == 0 or x.shape[-1] != weight.shape[1]:
        raise Error(
            f"expected x of [.., features] and a weight of [classes, features], but got "
            f"{list(x.shape)} and {list(weight.shape)}; transpose the weight"
        )
    if labels.shape != x.shape[:-1]:
        raise Error(
            f"expected a label for each row of {list(x.shape)}, but got {list(labels.shape)}; "
            "reshape them"
        )
    if labels.dtype not in (torch.int32, torch.int64):
        raise Error(
            f"expected labels of int32 or int64, but got {labels.dtype}; cast them"
        )
    if bias is not None and bias.shape != weight.shape[:1]:
        raise Error(
            f"expected a bias of {weight.shape[0]} classes, but got {list(bias.shape)}; give one "
            "number for each row of the weight"
        )
    if rows is not None and not (isinstance(rows, int) and rows > 0):
        raise Error(
            f"expected rows to be a number of 1 or more, but got {rows!r}; leave it out"
        )
    others = {weight.dtype, *([] if bias is None else [bias.dtype])}
    if x.dtype not in _FLOATS or others != {x.dtype}:
        raise Error(
            f"expected x, weight and bias of one float type, but got {x.dtype} and "
            f"{', '.join(map(str, others))}; cast them"
        )
