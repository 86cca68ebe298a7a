# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What vLLM's layers compute, on their arguments; and whether ours take such arguments."""

import torch

from fuse_compiler import _formulas as formulas
from fuse_compiler import lang, ops
from fuse_compiler.ops._define import define, empty_like
from fuse_compiler.ops._run import ROWS

_TYPES = (torch.float16, torch.bfloat16, torch.float32)


def takes(*tensors):
    """Whether kernels take these: of one device that there are kernels for, and of floats."""
    there = [x for x in tensors if x is not None]
    devices = {x.device for x in there}
    return (
        len(devices) == 1
        and there[0].device.type in ("cpu", "cuda")
        and all(x.dtype in _TYPES and x.ndim > 0 for x in there)
        and all(size > 0 for x in there for size in x.shape[1:])
    )


def takes_packed(x):
    """Whether packed_gated() takes these rows."""
    return takes(x) and x.shape[-1] % 2 == 0


def norm(x, weight, epsilon, offset=0.0):
    return ops.rms_norm(x, weight, epsilon, offset)


def add_norm(x, residual, weight, epsilon, offset=0.0):
    """The norm of the sum, and the sum."""
    return ops.add_rms_norm(x, residual, weight, epsilon, offset)


def _packed_gated(x, activation):
    """activation(gate) * up, of rows that hold the gate's features before the others."""
    half = x.shape[-1] // 2
    gate, up = (lang.slice(x, x.ndim - 1, at, at + half) for at in (0, half))
    return formulas.gated(gate, up, activation)


packed_gated = define(
    "packed_gated",
    "(Tensor x, str activation) -> Tensor",
    _packed_gated,
    {"x": ROWS},
    lambda x, activation: empty_like(x, (*x.shape[:-1], x.shape[-1] // 2)),
)

_TOKENS, _TABLE = ("tokens", None, None), ("rows", None)


def _rotate(query, key, cos, sin, positions, layout):
    return tuple(
        lang.rotary(
            x,
            layout=layout,
            tables=(cos, sin),
            positions=positions,
            dims=2 * cos.shape[-1],
        )
        for x in (query, key)
    )


_rotate_both = define(
    "rotate_query_and_key",
    "(Tensor query, Tensor key, Tensor cos, Tensor sin, Tensor positions, str layout) "
    "-> (Tensor, Tensor)",
    _rotate,
    {
        "query": _TOKENS,
        "key": _TOKENS,
        "cos": _TABLE,
        "sin": _TABLE,
        "positions": ("tokens",),
    },
    lambda query, key, *_: (empty_like(query), empty_like(key)),
)


def rotate(positions, query, key, head_size, cache, is_neox):
    """Query and key, which may be None, with the first features of each head turned.

    cache  [positions, features that are turned]: cosines before sines
    """
    positions = positions.flatten()
    heads = [
        x if x is None else x.view(positions.shape[0], -1, head_size)
        for x in (query, key)
    ]
    cos, sin = cache.chunk(2, dim=-1)
    layout = "half" if is_neox else "interleaved"
    if key is None:
        turned = ops.rope(
            heads[0],
            cos=cos,
            sin=sin,
            positions=positions,
            layout=layout,
            dims=cache.shape[-1],
        )
        return turned.view(query.shape), None
    turned = _rotate_both(*heads, cos, sin, positions, layout)
    return turned[0].view(query.shape), turned[1].view(key.shape)


def takes_rotation(positions, query, key, head_size, cache):
    """Whether rotate() takes these."""
    is_one_row = positions.ndim <= 2 and positions.dtype in (torch.int32, torch.int64)
    return (
        is_one_row
        and takes(query, key)
        and cache.device == query.device == positions.device
        and cache.dtype in (torch.float32, query.dtype)
        and cache.shape[-1] <= head_size
        and query.numel() > 0
    )
