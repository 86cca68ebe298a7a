# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Norms and softmax."""

from fuse_compiler import _formulas as formulas
from fuse_compiler.ops._define import define, differentiate, empty_like
from fuse_compiler.ops._run import ROWS, VECTOR

_rms_norm = define(
    "rms_norm",
    "(Tensor x, Tensor? weight, float eps, float offset) -> Tensor",
    formulas.rms_norm,
    {"x": ROWS, "weight": VECTOR},
    lambda x, weight, eps, offset: empty_like(x),
)
_rms_norm_backward = define(
    "rms_norm_backward",
    "(Tensor dy, Tensor x, Tensor weight, float eps, float offset) -> (Tensor, Tensor)",
    formulas.rms_norm_backward,
    {"dy": ROWS, "x": ROWS, "weight": VECTOR},
    lambda dy, x, weight, eps, offset: (empty_like(x), empty_like(weight)),
)
_rms_norm_backward_x = define(
    "rms_norm_backward_x",
    "(Tensor dy, Tensor x, float eps) -> Tensor",
    lambda dy, x, eps: formulas.rms_norm_backward(dy, x, None, eps, 0.0),
    {"dy": ROWS, "x": ROWS},
    lambda dy, x, eps: empty_like(x),
)


def _save_rms_norm(context, inputs, output):
    x, weight, context.eps, context.offset = inputs
    context.save_for_backward(x, weight)


def _rms_norm_gradient(context, dy):
    x, weight = context.saved_tensors
    if weight is None:
        return _rms_norm_backward_x(dy, x, context.eps), None, None, None
    return (*_rms_norm_backward(dy, x, weight, context.eps, context.offset), None, None)


differentiate(_rms_norm, _rms_norm_gradient, _save_rms_norm)

_add_rms_norm = define(
    "add_rms_norm",
    "(Tensor x, Tensor residual, Tensor weight, float eps, float offset) -> (Tensor, Tensor)",
    formulas.add_rms_norm,
    {"x": ROWS, "residual": ROWS, "weight": VECTOR},
    lambda x, residual, weight, eps, offset: (empty_like(x), empty_like(x)),
)


def _save_add_rms_norm(context, inputs, output):
    _, _, weight, context.eps, context.offset = inputs
    context.save_for_backward(output[1], weight)


def _add_rms_norm_gradient(context, dy, dh):
    h, weight = context.saved_tensors
    dx, dw = _rms_norm_backward(dy, h, weight, context.eps, context.offset)
    dx = dx + dh
    return dx, dx, dw, None, None


differentiate(_add_rms_norm, _add_rms_norm_gradient, _save_add_rms_norm)

_layer_norm = define(
    "layer_norm",
    "(Tensor x, Tensor? weight, Tensor? bias, float eps) -> Tensor",
    formulas.layer_norm,
    {"x": ROWS, "weight": VECTOR, "bias": VECTOR},
    lambda x, weight, bias, eps: empty_like(x),
)
_layer_norm_backward = define(
    "layer_norm_backward",
    "(Tensor dy, Tensor x, Tensor weight, Tensor bias, float eps) -> (Tensor, Tensor, Tensor)",
    formulas.layer_norm_backward,
    {"dy": ROWS, "x": ROWS, "weight": VECTOR, "bias": VECTOR},
    lambda dy, x, weight, bias, eps: (
        empty_like(x),
        empty_like(weight),
        empty_like(bias),
    ),
)


def _save_layer_norm(context, inputs, output):
    x, weight, bias, context.eps = inputs
    context.save_for_backward(x, weight, bias)


def _layer_norm_gradient(context, dy):
    x, weight, bias = context.saved_tensors
    w = x.new_ones(x.shape[-1]) if weight is None else weight
    dx, dw, db = _layer_norm_backward(
        dy, x, w, w if bias is None else bias, context.eps
    )
    return dx, None if weight is None else dw, None if bias is None else db, None


differentiate(_layer_norm, _layer_norm_gradient, _save_layer_norm)

_softmax = define(
    "softmax",
    "(Tensor x) -> Tensor",
    formulas.softmax,
    {"x": ROWS},
    lambda x: empty_like(x),
)
_softmax_backward = define(
    "softmax_backward",
    "(Tensor dy, Tensor y) -> Tensor",
    formulas.softmax_backward,
    {"dy": ROWS, "y": ROWS},
    lambda dy, y: empty_like(y),
)
differentiate(
    _softmax,
    lambda context, dy: _softmax_backward(dy, *context.saved_tensors),
    lambda context, inputs, output: context.save_for_backward(output),
)


def rms_norm(x, weight=None, eps=1e-6, offset=0.0):
    """x / sqrt(mean(x^2) + eps) * (offset + weight) over the last dim.

    x       [.., n] of float16, bfloat16, float32 or float64
    weight  [n], of any of these types, or None
    offset  1.0 for weights stored less one, as Gemma has them

    Returns a tensor like x, computed in float32 (float64) and rounded once. Differentiable
    in x and weight. Zhang and Sennrich, arXiv:1910.07467.
    """
    return _rms_norm(x, weight, eps, offset)


def add_rms_norm(x, residual, weight, eps=1e-6, offset=0.0):
    """h = x + residual, and rms_norm(h, weight): returns (norm, h).

    x, residual  [.., n] of one type;  weight  [n]

    Differentiable in all three.
    """
    return _add_rms_norm(x, residual, weight, eps, offset)


def layer_norm(x, weight=None, bias=None, eps=1e-5):
    """(x - mean) / sqrt(variance + eps) * weight + bias over the last dim.

    x  [.., n] of a float type;  weight, bias  [n] or None

    Returns a tensor like x, computed in float32 (float64) and rounded once. Differentiable
    in all three. Ba et al., arXiv:1607.06450.
    """
    return _layer_norm(x, weight, bias, eps)


def softmax(x):
    """exp(x - max) / sum(exp(x - max)) over the last dim of [.., n], as a tensor like x.

    Computed in float32 (float64); differentiable. A row of -inf gives NaN, as the formula.
    """
    return _softmax(x)
