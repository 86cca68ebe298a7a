# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The formulas of the ops and of their gradients, on symbolic arrays.

Everything is computed in f32, in f64 for f64, and rounded once to the type of the
input. `x` has any leading dims; formulas go over the last one.
"""

import math

from fuse_compiler import lang
from fuse_compiler.lang._types import INTEGERS


def wide(x):
    """The array in the type that is computed in; whole numbers would be rounded to results."""
    if x.dtype in (*INTEGERS, "i1"):
        raise lang.Unsupported(
            f"expected an array of floats, but got {x.dtype}; convert it"
        )
    return x if x.dtype == "f64" else x.astype("f32")


def _leading(x):
    return list(range(x.ndim - 1))


def _scale(weight, offset, like):
    if weight is None:
        return None
    w = weight.astype(like.dtype)
    return w + offset if offset else w


def rms_norm(x, weight, eps, offset):
    """x / sqrt(mean(x^2) + eps) * (offset + weight)."""
    return lang.rms_norm(x, weight, eps, offset)


def rms_norm_backward(dy, x, weight, eps, offset):
    """The gradients of x, and of weight if there is one."""
    g, a = wide(dy), wide(x)
    scale = lang.rsqrt((a * a).mean(-1, keepdims=True) + eps)
    normal = a * scale
    w = _scale(weight, offset, a)
    h = g if w is None else g * w
    dx = scale * (h - normal * (h * normal).mean(-1, keepdims=True))
    if weight is None:
        return dx.astype(x.dtype)
    dw = (g * normal).sum(_leading(x))
    return dx.astype(x.dtype), dw.astype(weight.dtype)


def add_rms_norm(x, residual, weight, eps, offset):
    """h = x + residual in the type of x, and the norm of h: (norm, h)."""
    h = x + residual
    # Rounded, as the sum that is returned is.
    h = h.astype("f32").astype(x.dtype) if x.dtype in ("f16", "bf16") else h
    return lang.rms_norm(h, weight, eps, offset), h


def layer_norm(x, weight, bias, eps):
    """(x - mean) / sqrt(variance + eps) * weight + bias."""
    return lang.layer_norm(x, weight, bias, eps)


def layer_norm_backward(dy, x, weight, bias, eps):
    """The gradients of x, and of weight and bias if they are there."""
    g, a = wide(dy), wide(x)
    variance, mean = lang.var_mean(a, -1, keepdims=True)
    scale = lang.rsqrt(variance + eps)
    normal = (a - mean) * scale
    h = g if weight is None else g * weight.astype(g.dtype)
    inner = (
        h - h.mean(-1, keepdims=True) - normal * (h * normal).mean(-1, keepdims=True)
    )
    results = [(scale * inner).astype(x.dtype)]
    if weight is not None:
        results.append((g * normal).sum(_leading(x)).astype(weight.dtype))
    if bias is not None:
        results.append(g.sum(_leading(x)).astype(bias.dtype))
    return tuple(results)


def softmax(x):
    """exp(x - max) / sum(exp(x - max))."""
    return lang.softmax(wide(x)).astype(x.dtype)


def softmax_backward(dy, y):
    """y (dy - sum(dy y))."""
    g, p = wide(dy), wide(y)
    return (p * (g - (g * p).sum(-1, keepdims=True))).astype(y.dtype)


def _is_label(x, labels):
    position = lang.iota(x.builder, x.shape, x.ndim - 1, labels.dtype)
    return position == lang.expand_dims(labels, labels.ndim)


def cross_entropy(x, labels, ignore_index, smoothing):
    """-log(softmax(x)[label]) of each row, and log(sum(exp(x))), both in f32 or f64.

    Rows whose label is `ignore_index` have a loss of 0. With smoothing s the loss is
    (1 - s) of that plus s of the mean over all classes.
    """
    a = wide(x)
    total = lang.logsumexp(a, -1)
    chosen = lang.where(_is_label(a, labels), a, 0.0).sum(-1)
    loss = total - chosen
    if smoothing:
        loss = loss * (1 - smoothing) + (total - a.mean(-1)) * smoothing
    return lang.where(labels == ignore_index, 0.0, loss), total


def cross_entropy_backward(dloss, x, labels, total, ignore_index, smoothing):
    """The gradient of x."""
    a = wide(x)
    g = lang.where(labels == ignore_index, 0.0, dloss)
    p = lang.exp(a - lang.expand_dims(total, total.ndim))
    target = (
        _is_label(a, labels).astype(a.dtype) * (1 - smoothing) + smoothing / x.shape[-1]
    )
    return ((p - target) * lang.expand_dims(g, g.ndim)).astype(x.dtype)


def gelu(x, approximate):
    """Gaussian error linear unit; `approximate` is "none" or "tanh"."""
    return lang.gelu(x, "tanh" if approximate == "tanh" else "erf")


def gelu_slope(x, approximate):
    """The derivative of gelu at x, which is wide."""
    if approximate == "tanh":
        c = math.sqrt(2 / math.pi)
        t = lang.tanh((x + x * x * x * 0.044715) * c)
        inner = (x * x * (3 * 0.044715) + 1) * c
        return (t + 1) * 0.5 + x * 0.5 * (1 - t * t) * inner
    normal = lang.exp(x * x * -0.5) * (1 / math.sqrt(2 * math.pi))
    return (lang.erf(x * math.sqrt(0.5)) + 1) * 0.5 + x * normal


def gelu_backward(dy, x, approximate):
    """dy times the derivative."""
    return (wide(dy) * gelu_slope(wide(x), approximate)).astype(x.dtype)


def silu_slope(x):
    """The derivative of x sigmoid(x)."""
    s = lang.sigmoid(x)
    return s * (x * (1 - s) + 1)


def silu(x):
    """x sigmoid(x)."""
    return lang.silu(x)


def silu_backward(dy, x):
    """dy times the derivative."""
    return (wide(dy) * silu_slope(wide(x))).astype(x.dtype)


def _gate(gate, form):
    a = wide(gate)
    return (
        lang.silu(a)
        if form == "silu"
        else gelu(a, "tanh" if form == "gelu_tanh" else "none")
    )


def gated(gate, up, form):
    """act(gate) * up; the activation is "silu", "gelu" or "gelu_tanh"."""
    return (_gate(gate, form) * wide(up)).astype(gate.dtype)


def gated_backward(dy, gate, up, form):
    """The gradients of gate and up."""
    g, a = wide(dy), wide(gate)
    slope = silu_slope(a) if form == "silu" else gelu_slope(a, form[5:] or "none")
    return (g * wide(up) * slope).astype(gate.dtype), (g * _gate(gate, form)).astype(
        up.dtype
    )


def quantize_rows(x, dtype, largest):
    """x / scale rounded to 8 bits, and scale = max(|x|) / largest of each row, in f32.

    A row of zeros has a scale of 1.
    """
    a = x.astype("f32")
    top = lang.max(lang.abs(a), -1, keepdims=True)
    scale = lang.where(top == 0.0, 1.0, top / largest)
    quotient = a / scale
    if dtype == "i8":
        quotient = lang.round(lang.clip(quotient, -largest, largest)).astype("i32")
    return quotient.astype(dtype), lang.squeeze(scale, [x.ndim - 1])
