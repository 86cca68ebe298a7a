# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Activations, cross-entropy, quantising."""

import torch

from fuse_compiler._library import Error
from fuse_compiler import _formulas as formulas
from fuse_compiler.ops._define import define, differentiate, empty_like
from fuse_compiler.ops._run import EACH_ROW, ROWS

_FORMS = ("silu", "gelu", "gelu_tanh")


def _one_input(name, schema, formula, backward):
    """An op of x and what follows in its schema, whose gradient needs the same."""
    op = define(
        name,
        f"(Tensor x{schema}) -> Tensor",
        formula,
        {"x": ROWS},
        lambda x, *_: empty_like(x),
    )
    gradient = define(
        f"{name}_backward",
        f"(Tensor dy, Tensor x{schema}) -> Tensor",
        backward,
        {"dy": ROWS, "x": ROWS},
        lambda dy, x, *_: empty_like(x),
    )

    def save(context, inputs, output):
        context.save_for_backward(inputs[0])
        context.more = inputs[1:]

    def differentiated(context, dy):
        nones = (None,) * len(context.more)
        dx = gradient(dy, *context.saved_tensors, *context.more)
        return (dx, *nones) if nones else dx

    differentiate(op, differentiated, save)
    return op


_gelu = _one_input("gelu", ", str approximate", formulas.gelu, formulas.gelu_backward)
_silu = _one_input("silu", "", formulas.silu, formulas.silu_backward)
_gated = define(
    "gated",
    "(Tensor gate, Tensor up, str form) -> Tensor",
    formulas.gated,
    {"gate": ROWS, "up": ROWS},
    lambda gate, up, form: empty_like(gate),
)
_gated_backward = define(
    "gated_backward",
    "(Tensor dy, Tensor gate, Tensor up, str form) -> (Tensor, Tensor)",
    formulas.gated_backward,
    {"dy": ROWS, "gate": ROWS, "up": ROWS},
    lambda dy, gate, up, form: (empty_like(gate), empty_like(up)),
)


def _save_gated(context, inputs, output):
    context.save_for_backward(*inputs[:2])
    context.form = inputs[2]


differentiate(
    _gated,
    lambda context, dy: (
        *_gated_backward(dy, *context.saved_tensors, context.form),
        None,
    ),
    _save_gated,
)


def _total_type(x):
    return torch.float64 if x.dtype == torch.float64 else torch.float32


def _fake_cross_entropy(x, labels, ignore_index, smoothing):
    row = empty_like(x, labels.shape, _total_type(x))
    return row, torch.empty_like(row)


_cross_entropy = define(
    "cross_entropy",
    "(Tensor x, Tensor labels, int ignore_index, float smoothing) -> (Tensor, Tensor)",
    formulas.cross_entropy,
    {"x": ROWS, "labels": EACH_ROW},
    _fake_cross_entropy,
)
_cross_entropy_backward = define(
    "cross_entropy_backward",
    "(Tensor dloss, Tensor x, Tensor labels, Tensor total, int ignore_index, float smoothing) "
    "-> Tensor",
    formulas.cross_entropy_backward,
    {"dloss": EACH_ROW, "x": ROWS, "labels": EACH_ROW, "total": EACH_ROW},
    lambda dloss, x, *_: empty_like(x),
)


def _save_cross_entropy(context, inputs, output):
    x, labels, context.ignore_index, context.smoothing = inputs
    context.save_for_backward(x, labels, output[1])
    context.set_materialize_grads(True)


def _cross_entropy_gradient(context, dloss, dtotal):
    x, labels, total = context.saved_tensors
    arguments = context.ignore_index, context.smoothing
    return (
        _cross_entropy_backward(dloss, x, labels, total, *arguments),
        None,
        None,
        None,
    )


differentiate(_cross_entropy, _cross_entropy_gradient, _save_cross_entropy)

# The largest magnitude of each 8-bit type, and its name in programs.
_EIGHT_BITS = {
    torch.float8_e4m3fn: ("f8E4M3FN", 448.0),
    torch.float8_e5m2: ("f8E5M2", 57344.0),
    torch.int8: ("i8", 127.0),
}
_TORCH_TYPES = {name: dtype for dtype, (name, _) in _EIGHT_BITS.items()}

_quantize_rows = define(
    "quantize_rows",
    "(Tensor x, str dtype, float largest) -> (Tensor, Tensor)",
    formulas.quantize_rows,
    {"x": ROWS},
    lambda x, dtype, largest: (
        empty_like(x, dtype=_TORCH_TYPES[dtype]),
        empty_like(x, x.shape[:-1], torch.float32),
    ),
)


def gelu(x, approximate="none"):
    """Gaussian error linear unit of a float tensor of rank 1 or more; differentiable.

    approximate  "none" or "tanh". Hendrycks and Gimpel, arXiv:1606.08415.
    """
    if approximate not in ("none", "tanh"):
        raise Error(
            f"expected approximate to be none or tanh, but got {approximate!r}; choose one"
        )
    return _gelu(x, approximate)


def silu(x):
    """x sigmoid(x) of a float tensor of rank 1 or more; differentiable."""
    return _silu(x)


def gated(gate, up, activation="silu"):
    """activation(gate) * up, of two tensors of one shape and float type; differentiable.

    activation  "silu" (SwiGLU), "gelu" or "gelu_tanh" (GeGLU). Shazeer, arXiv:2002.05202.
    """
    if activation not in _FORMS:
        raise Error(
            f"expected an activation of {', '.join(_FORMS)}, but got {activation!r}; choose one"
        )
    return _gated(gate, up, activation)


def cross_entropy(x, labels, ignore_index=-100, label_smoothing=0.0, reduction="mean"):
    """Cross-entropy of logits and labels, as torch.nn.functional.cross_entropy.

    x          [.., classes] of a float type
    labels     [..] of int32 or int64; rows with `ignore_index` count for nothing
    reduction  "mean" over the rows that count, "sum", or "none": one loss for each row

    Returns float32 (float64 for float64). Differentiable in x. A label out of range gives
    the loss of a logit of 0.
    """
    if reduction not in ("mean", "sum", "none"):
        raise Error(
            f"expected a reduction of mean, sum or none, but got {reduction!r}; choose one"
        )
    loss, _ = _cross_entropy(x, labels, ignore_index, label_smoothing)
    if reduction == "none":
        return loss
    return (
        loss.sum() / (labels != ignore_index).sum()
        if reduction == "mean"
        else loss.sum()
    )


def quantize_rows(x, dtype=torch.float8_e4m3fn):
    """Each row in 8 bits with a scale of its own: returns (q, scale), x being near q * scale.

    x      [.., n] of float16, bfloat16 or float32
    dtype  float8_e4m3fn, float8_e5m2 or int8

    scale is [..] of float32: the largest magnitude of the row over that of the type, 1 for
    a row of zeros. Not differentiable.
    """
    if dtype not in _EIGHT_BITS:
        raise Error(
            f"expected float8_e4m3fn, float8_e5m2 or int8, but got {dtype}; choose one"
        )
    return _quantize_rows(x, *_EIGHT_BITS[dtype])
