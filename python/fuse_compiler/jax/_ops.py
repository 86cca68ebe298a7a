# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What models are made of, each one program, with its gradient."""

from fuse_compiler import _formulas as formulas
from fuse_compiler.jax._define import define

_rms_norm = define(
    lambda x, weight, *, eps, offset: formulas.rms_norm(x, weight, eps, offset),
    lambda dy, x, weight, *, eps, offset: formulas.rms_norm_backward(
        dy, x, weight, eps, offset
    ),
)
_layer_norm = define(
    lambda x, weight, bias, *, eps: formulas.layer_norm(x, weight, bias, eps),
    lambda dy, x, weight, bias, *, eps: formulas.layer_norm_backward(
        dy, x, weight, bias, eps
    ),
)


def _softmax_gradient(dy, x):
    return formulas.softmax_backward(dy, formulas.softmax(x))


_softmax = define(formulas.softmax, _softmax_gradient)


def _loss(x, labels, *, ignore_index, smoothing):
    return formulas.cross_entropy(x, labels, ignore_index, smoothing)[0]


def _loss_gradient(dloss, x, labels, *, ignore_index, smoothing):
    _, total = formulas.cross_entropy(x, labels, ignore_index, smoothing)
    dx = formulas.cross_entropy_backward(
        dloss, x, labels, total, ignore_index, smoothing
    )
    return dx, None


_cross_entropy = define(_loss, _loss_gradient)
_gelu = define(
    lambda x, *, approximate: formulas.gelu(x, approximate),
    lambda dy, x, *, approximate: formulas.gelu_backward(dy, x, approximate),
)
_silu = define(formulas.silu, formulas.silu_backward)
_gated = define(
    lambda gate, up, *, form: formulas.gated(gate, up, form),
    lambda dy, gate, up, *, form: formulas.gated_backward(dy, gate, up, form),
)


def rms_norm(x, weight, eps=1e-6, offset=0.0):
    """x / sqrt(mean(x^2) + eps) * (offset + weight) over the last axis."""
    return _rms_norm(x, weight, eps=eps, offset=offset)


def layer_norm(x, weight, bias, eps=1e-5):
    """(x - mean) / sqrt(variance + eps) * weight + bias over the last axis."""
    return _layer_norm(x, weight, bias, eps=eps)


def softmax(x):
    """exp(x - max) / sum(exp(x - max)) over the last axis."""
    return _softmax(x)


def cross_entropy(x, labels, ignore_index=-100, smoothing=0.0):
    """-log(softmax(x)[label]) of each row, in f32; 0 where the label is `ignore_index`."""
    return _cross_entropy(x, labels, ignore_index=ignore_index, smoothing=smoothing)


def gelu(x, approximate=True):
    """Gaussian error linear unit, by tanh or exact, as jax.nn.gelu."""
    return _gelu(x, approximate="tanh" if approximate else "none")


def silu(x):
    """x sigmoid(x)."""
    return _silu(x)


def gated(gate, up, form="silu"):
    """act(gate) * up; the activation is "silu", "gelu" or "gelu_tanh"."""
    return _gated(gate, up, form=form)
