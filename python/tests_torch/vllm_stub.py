# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part of vLLM's interface that the plugin uses, in modules of vLLM's names.

It keeps to what vLLM documents and does: layers are looked up by their class's name when
they are made, dispatch by the platform, and are called natively where they are switched
off; IR ops are operators of torch with implementations by provider, whose schema must be
that of the native one. vLLM itself needs a GPU build.
"""

import inspect
import math
import sys
import types

import torch
from torch import nn
from torch.library import Library, infer_schema
from torch.nn import functional as F

_library = Library("vllm_ir", "FRAGMENT")


class CustomOp(nn.Module):
    """vllm.model_executor.custom_op"""

    op_registry, op_registry_oot, enabled_by_default = {}, {}, True

    def __new__(cls, *args, **kwargs):
        return super().__new__(cls.op_registry_oot.get(cls.__name__, cls))

    def __init__(self):
        super().__init__()
        self._forward_method = self.dispatch_forward()

    def forward(self, *args, **kwargs):
        return self._forward_method(*args, **kwargs)

    def forward_native(self, *args, **kwargs):
        raise NotImplementedError

    def forward_cuda(self, *args, **kwargs):
        raise NotImplementedError

    def forward_cpu(self, *args, **kwargs):
        return self.forward_native(*args, **kwargs)

    def dispatch_forward(self):
        if not CustomOp.enabled_by_default:
            return self.forward_native
        is_cpu = torch.get_default_device().type == "cpu"
        return self.forward_cpu if is_cpu else self.forward_cuda

    @classmethod
    def register(cls, name):
        def decorator(op_cls):
            assert name not in cls.op_registry, f"Duplicate op name: {name}"
            op_cls.name = name
            cls.op_registry[name] = op_cls
            return op_cls

        return decorator

    @classmethod
    def register_oot(cls, _decorated_op_cls=None, name=None):
        def decorator(op_cls):
            reg_name = name if name is not None else cls.__name__
            assert reg_name not in cls.op_registry_oot, f"Duplicate: {reg_name}"
            op_cls.name = reg_name
            cls.op_registry_oot[reg_name] = op_cls
            return op_cls

        if _decorated_op_cls is None:
            return decorator
        if isinstance(_decorated_op_cls, type):
            return decorator(_decorated_op_cls)
        raise TypeError("Decorator can only be applied to classes.")


def native_norm(x, weight, epsilon, residual=None, offset=0.0):
    h = x.float() if residual is None else x.float() + residual.float()
    y = h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + epsilon)
    y = y if weight is None else y * (weight.float() + offset)
    return y.to(x.dtype) if residual is None else (y.to(x.dtype), h.to(x.dtype))


class _Norm(CustomOp):
    offset, own_calls = 0.0, 0

    def forward_native(self, x, residual=None):
        type(self).own_calls += 1
        weight = self.weight.data if self.has_weight else None
        return native_norm(x, weight, self.variance_epsilon, residual, self.offset)

    def forward_cuda(self, x, residual=None):
        return self.forward_native(x, residual)


@CustomOp.register("rms_norm")
class RMSNorm(_Norm):
    def __init__(
        self,
        hidden_size,
        eps=1e-6,
        var_hidden_size=None,
        has_weight=True,
        dtype=None,
    ):
        super().__init__()
        self.variance_epsilon, self.has_weight = eps, has_weight
        self.variance_size_override = (
            None if var_hidden_size == hidden_size else var_hidden_size
        )
        self.weight = torch.ones(hidden_size, dtype=dtype)
        if has_weight:
            self.weight = nn.Parameter(self.weight)


@CustomOp.register("gemma_rms_norm")
class GemmaRMSNorm(_Norm):
    offset = 1.0

    def __init__(self, hidden_size, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(hidden_size))
        self.variance_epsilon, self.has_weight = eps, True


@CustomOp.register("silu_and_mul")
class SiluAndMul(CustomOp):
    own_calls = 0

    def forward_native(self, x):
        type(self).own_calls += 1
        d = x.shape[-1] // 2
        return F.silu(x[..., :d]) * x[..., d:]

    def forward_cuda(self, x):
        return self.forward_native(x)


@CustomOp.register("gelu_and_mul")
class GeluAndMul(CustomOp):
    own_calls = 0

    def __init__(self, approximate="none"):
        super().__init__()
        self.approximate = approximate

    def forward_native(self, x):
        type(self).own_calls += 1
        d = x.shape[-1] // 2
        return F.gelu(x[..., :d], approximate=self.approximate) * x[..., d:]

    def forward_cuda(self, x):
        return self.forward_native(x)


def native_rotation(x, positions, head_size, cache, is_neox_style):
    rotary = cache.shape[-1]
    shape, tokens = x.shape, positions.numel()
    x = x.reshape(tokens, -1, head_size)
    cos, sin = cache[positions.flatten()].float().chunk(2, dim=-1)
    cos, sin = cos[:, None], sin[:, None]
    turned, rest = x[..., :rotary].float(), x[..., rotary:]
    if is_neox_style:
        a, b = turned.chunk(2, dim=-1)
        turned = torch.cat((a * cos - b * sin, b * cos + a * sin), -1)
    else:
        a, b = turned[..., ::2], turned[..., 1::2]
        turned = torch.stack((a * cos - b * sin, b * cos + a * sin), -1).flatten(-2)
    return torch.cat((turned.to(x.dtype), rest), -1).reshape(shape)


@CustomOp.register("rotary_embedding")
class RotaryEmbedding(CustomOp):
    own_calls = 0

    def __init__(
        self, head_size, rotary_dim, max_position_embeddings, base, is_neox_style, dtype
    ):
        super().__init__()
        self.head_size, self.rotary_dim = head_size, rotary_dim
        self.is_neox_style, self.base = is_neox_style, base
        angles = torch.arange(max_position_embeddings)[:, None] * self._frequencies()
        cache = torch.cat((angles.cos(), angles.sin()), dim=-1).to(dtype)
        self.register_buffer("cos_sin_cache", cache, persistent=False)

    def _frequencies(self):
        return self.base ** (-torch.arange(0, self.rotary_dim, 2) / self.rotary_dim)

    def forward_native(self, positions, query, key=None):
        type(self).own_calls += 1
        more = positions, self.head_size, self.cos_sin_cache, self.is_neox_style
        return tuple(
            x if x is None else native_rotation(x, *more) for x in (query, key)
        )

    def forward_cuda(self, positions, query, key=None):
        return self.forward_native(positions, query, key)


class Llama3RotaryEmbedding(RotaryEmbedding):
    """Other frequencies, the same forward."""

    def _frequencies(self):
        return super()._frequencies() / math.e


class MRotaryEmbedding(RotaryEmbedding):
    """Positions of three kinds, and a forward of its own."""

    def forward_native(self, positions, query, key=None):
        type(self).own_calls += 1
        return query, key


class IrOpImpl:
    def __init__(self, op, provider, impl_fn, supported, supports_args, inplace):
        assert provider not in op.impls, f"{provider} already registered."
        schema = infer_schema(impl_fn, mutates_args=[])
        if schema != op.schema:
            raise ValueError(
                f"{provider} has schema '{schema}', not '{op.schema}' of {op.name}."
            )
        if supports_args is not None:
            params = inspect.signature(supports_args).parameters
            if any(p.kind == inspect.Parameter.KEYWORD_ONLY for p in params.values()):
                raise ValueError("supports_args cannot have keyword-only parameters")
            if len(params) != len(op.signature.parameters):
                raise ValueError("supports_args must have the same number")
        assert not inplace or op.allow_inplace
        self.provider, self.impl_fn, self.supported = provider, impl_fn, supported
        self.supports = supports_args
        op.impls[provider] = self


class IrOp:
    """vllm.ir.op"""

    registry = {}

    def __init__(self, name, native, allow_inplace=False):
        self.name, self.impls, self.allow_inplace = name, {}, allow_inplace
        self.schema = infer_schema(native, mutates_args=[])
        self.signature = inspect.signature(native)
        self.priority, self.calls = [], []
        IrOpImpl(self, "native", native, True, None, False)
        if not hasattr(torch.ops.vllm_ir, name):
            _library.define(name + self.schema)
            _library.impl(name, lambda *a: self.registry[name].dispatch(*a), "CPU")
            _library.impl(name, lambda *a: self.registry[name].dispatch(*a), "CUDA")
            torch.library.register_fake(f"vllm_ir::{name}", native, lib=_library)
        self.registry[name] = self
        self.torch_op = getattr(torch.ops.vllm_ir, name).default

    def register_impl(
        self, provider, *, supported=True, supports_args=None, inplace=False
    ):
        assert provider not in ("native", "unfused"), f"{provider} is reserved."

        def register(f):
            return IrOpImpl(self, provider, f, supported, supports_args, inplace)

        return register

    def dispatch(self, *args):
        bound = self.signature.bind(*args)
        bound.apply_defaults()
        for provider in [*self.priority, "native"]:
            impl = self.impls[provider]
            if impl.supported and (not impl.supports or impl.supports(*bound.args)):
                self.calls.append(provider)
                return impl.impl_fn(*args)
        raise AssertionError

    def __call__(self, *args):
        return self.torch_op(*args)


def rms_norm(
    x: torch.Tensor,
    weight: torch.Tensor | None,
    epsilon: float,
    variance_size: int | None = None,
) -> torch.Tensor:
    return native_norm(x, weight, epsilon)


def fused_add_rms_norm(
    x: torch.Tensor,
    x_residual: torch.Tensor,
    weight: torch.Tensor | None,
    epsilon: float,
    variance_size: int | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    return native_norm(x, weight, epsilon, x_residual)


def silu_and_mul(x: torch.Tensor) -> torch.Tensor:
    d = x.shape[-1] // 2
    return F.silu(x[..., :d]) * x[..., d:]


def install(monkeypatch, ir=("rms_norm", "fused_add_rms_norm", "silu_and_mul")):
    """Modules of vLLM's names, until the test ends; returns vllm.ir.ops."""
    CustomOp.op_registry_oot = {}

    def module(name, **members):
        made = types.ModuleType(name)
        vars(made).update(members)
        monkeypatch.setitem(sys.modules, name, made)
        return made

    module("vllm")
    module("vllm.model_executor")
    module("vllm.model_executor.custom_op", CustomOp=CustomOp)
    module("vllm.model_executor.layers")
    module(
        "vllm.model_executor.layers.layernorm",
        RMSNorm=RMSNorm,
        GemmaRMSNorm=GemmaRMSNorm,
    )
    module(
        "vllm.model_executor.layers.activation",
        SiluAndMul=SiluAndMul,
        GeluAndMul=GeluAndMul,
    )
    rotary = module(
        "vllm.model_executor.layers.rotary_embedding",
        RotaryEmbedding=RotaryEmbedding,
        Llama3RotaryEmbedding=Llama3RotaryEmbedding,
        MRotaryEmbedding=MRotaryEmbedding,
    )
    sys.modules["vllm.model_executor.layers"].rotary_embedding = rotary
    if not ir:
        monkeypatch.setitem(sys.modules, "vllm.ir", None)
        return None
    natives = {f.__name__: f for f in (rms_norm, fused_add_rms_norm, silu_and_mul)}
    ops = types.SimpleNamespace(
        **{name: IrOp(name, natives[name], "add" in name) for name in ir}
    )
    module("vllm.ir", ops=ops)
    return ops
