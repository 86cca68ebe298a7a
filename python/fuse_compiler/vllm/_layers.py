# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Classes that replace vLLM's layers (CustomOp.register_oot).

Each is a subclass of vLLM's, so that parameters, loading and names stay its own, and
overrides what its platforms call: forward_cuda and forward_cpu. forward_native stays as
it is: vLLM calls it where a layer is switched off, and inside of Inductor.
"""

import importlib
import logging

from fuse_compiler.vllm import _kernels as kernels

_logger = logging.getLogger(__name__)


def register(names):
    """Replaces the layers of these names; yields those that this vLLM has."""
    for name in names:
        try:
            bases = _found(name)
        except (ImportError, AttributeError) as error:
            _logger.warning("vLLM has no %s that Fuse knows: %s", name, error)
            continue
        for base in bases:
            if _replace(base, _FORWARD[name]):
                yield base.__name__


def _replace(base, forward):
    """Whether vLLM makes a class of ours from now on where it would make this one."""
    if not all(hasattr(base, each) for each in ("forward_cuda", "register_oot")):
        _logger.warning(
            "vLLM's %s has no kernels of its own: choose Fuse's by --ir-op-priority",
            base.__name__,
        )
        return False
    try:
        base.register_oot(_replaced(base, forward))
    except AssertionError as error:
        # Another plugin was first.
        _logger.warning("vLLM's %s is not replaced: %s", base.__name__, error)
        return False
    return True


def _replaced(base, forward):
    """A subclass whose kernels are ours, and vLLM's where ours do not take the arguments."""

    def override(method):
        theirs = getattr(base, method, base.forward_cuda)

        def call(self, *arguments, **keywords):
            result = forward(self, *arguments, **keywords)
            if result is NotImplemented:
                return theirs(self, *arguments, **keywords)
            return result

        return call

    methods = {name: override(name) for name in ("forward_cuda", "forward_cpu")}
    return type(f"Fuse{base.__name__}", (base,), methods)


def _weight(layer):
    return layer.weight.data if getattr(layer, "has_weight", True) else None


def _norm(layer, x, residual=None, offset=0.0):
    weight, epsilon = _weight(layer), layer.variance_epsilon
    if getattr(layer, "variance_size_override", None) is not None:
        return NotImplemented
    if not kernels.takes(x, residual, weight):
        return NotImplemented
    if residual is None:
        return kernels.norm(x, weight, epsilon, offset)
    if weight is None or residual.dtype != x.dtype:
        return NotImplemented
    return kernels.add_norm(x, residual, weight, epsilon, offset)


def _gemma_norm(layer, x, residual=None):
    return _norm(layer, x, residual, offset=1.0)


def _silu_and_mul(layer, x):
    return _gated(x, "silu")


def _gelu_and_mul(layer, x):
    return _gated(x, "gelu_tanh" if layer.approximate == "tanh" else "gelu")


def _gated(x, activation):
    if not kernels.takes_packed(x):
        return NotImplemented
    return kernels.packed_gated(x, activation)


def _rotate(layer, positions, query, key=None, offsets=None, **more):
    cache = getattr(layer, "cos_sin_cache", None)
    if offsets is not None or more or cache is None:
        return NotImplemented
    if not kernels.takes_rotation(positions, query, key, layer.head_size, cache):
        return NotImplemented
    return kernels.rotate(
        positions, query, key, layer.head_size, cache, layer.is_neox_style
    )


def _found(name):
    """The classes of vLLM that a layer's name stands for."""
    module = importlib.import_module(f"vllm.model_executor.layers.{_MODULES[name]}")
    base = getattr(module, name)
    return _rotaries(module, base) if name == "RotaryEmbedding" else [base]


def _rotaries(module, base):
    """The base class, and those that only make another cache: Llama 3's, YaRN's, .."""
    found = [x for x in vars(module).values() if isinstance(x, type)]
    return [
        x
        for x in dict.fromkeys([base, *found])
        if issubclass(x, base)
        and all(
            getattr(x, name, None) is getattr(base, name, None)
            for name in ("forward", "forward_cuda", "forward_native")
        )
    ]


_MODULES = {
    "RMSNorm": "layernorm",
    "GemmaRMSNorm": "layernorm",
    "SiluAndMul": "activation",
    "GeluAndMul": "activation",
    "RotaryEmbedding": "rotary_embedding",
}
_FORWARD = {
    "RMSNorm": _norm,
    "GemmaRMSNorm": _gemma_norm,
    "SiluAndMul": _silu_and_mul,
    "GeluAndMul": _gelu_and_mul,
    "RotaryEmbedding": _rotate,
}
