# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The provider "fuse" of vLLM's IR ops (vllm.ir.ops.NAME.register_impl).

An implementation must have the schema of the op's native one. Where a version of vLLM has
another, or lacks the op, it has no provider of ours, and a line in the log says so.
"""

import logging

from torch import Tensor

from fuse_compiler.vllm import _kernels as kernels

PROVIDER = "fuse"
_logger = logging.getLogger(__name__)


def register():
    """Registers what this vLLM has an op for; yields the names of the ops."""
    try:
        from vllm.ir import ops
    except ImportError:
        # Before its IR there were layers alone.
        return
    for name, (function, supports) in _IMPLEMENTATIONS.items():
        op = getattr(ops, name, None)
        if op is None:
            continue
        try:
            op.register_impl(PROVIDER, supported=True, supports_args=supports)(function)
        except ValueError as error:
            _logger.warning("vLLM's %s is not the one that Fuse knows: %s", name, error)
            continue
        yield name


def _rms_norm(
    x: Tensor, weight: Tensor | None, epsilon: float, variance_size: int | None = None
) -> Tensor:
    return kernels.norm(x, weight, epsilon)


def _takes_norm(x, weight, epsilon, variance_size=None):
    return variance_size is None and kernels.takes(x, weight)


def _fused_add_rms_norm(
    x: Tensor,
    x_residual: Tensor,
    weight: Tensor | None,
    epsilon: float,
    variance_size: int | None = None,
) -> tuple[Tensor, Tensor]:
    return kernels.add_norm(x, x_residual, weight, epsilon)


def _takes_add_norm(x, x_residual, weight, epsilon, variance_size=None):
    is_plain = weight is not None and variance_size is None
    return (
        is_plain
        and x.dtype == x_residual.dtype
        and kernels.takes(x, x_residual, weight)
    )


def _silu_and_mul(x: Tensor) -> Tensor:
    return kernels.packed_gated(x, "silu")


def _rotary_embedding(
    positions: Tensor,
    query: Tensor,
    key: Tensor,
    head_size: int,
    rotary_dim: int,
    cos_sin_cache: Tensor,
    is_neox_style: bool,
    offsets: Tensor | None = None,
    cos_sin_format: str = "standard",
    inverse: bool = False,
    rope_dim_offset: int = 0,
) -> tuple[Tensor, Tensor]:
    return kernels.rotate(
        positions, query, key, head_size, cos_sin_cache, is_neox_style
    )


def _takes_rotary(
    positions,
    query,
    key,
    head_size,
    rotary_dim,
    cos_sin_cache,
    is_neox_style,
    offsets=None,
    cos_sin_format="standard",
    inverse=False,
    rope_dim_offset=0,
):
    is_plain = (
        offsets is None
        and cos_sin_format == "standard"
        and not inverse
        and rope_dim_offset == 0
        and rotary_dim == cos_sin_cache.shape[-1]
    )
    return is_plain and kernels.takes_rotation(
        positions, query, key, head_size, cos_sin_cache
    )


_IMPLEMENTATIONS = {
    "rms_norm": (_rms_norm, _takes_norm),
    "fused_add_rms_norm": (_fused_add_rms_norm, _takes_add_norm),
    "silu_and_mul": (_silu_and_mul, kernels.takes_packed),
    "rotary_embedding": (_rotary_embedding, _takes_rotary),
}
