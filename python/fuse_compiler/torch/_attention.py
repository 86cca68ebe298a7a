# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention that stays one operator until regions are formed.

torch takes scaled_dot_product_attention apart while it traces: into a kernel of its own
choice, or into products and a softmax with keys repeated in memory. Where no gradient is
needed keep_attention() therefore puts an operator of Fuse in its place, which computes the
same and is one node to the partitioner. Where it stays eager it calls torch's.

ATTENTION_LIMITS is what was measured (docs/attention.md), not a rule of the hardware.
"""

import torch
from torch.nn.functional import scaled_dot_product_attention
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from fuse_compiler import lang
from fuse_compiler.lang import Unsupported
from fuse_compiler.torch._convert import converter, first_value
from fuse_compiler.torch._symbols import size_hint

# Of tiles of 128 queries: with fewer queries most of a tile is empty, and with fewer tiles
# than this most multiprocessors are idle.
ATTENTION_LIMITS = {"queries": 128, "tiles": 64, "features": 256}
_TILE = 128

_NAME = "fuse::scaled_dot_product_attention"
torch.library.define(
    _NAME,
    "(Tensor query, Tensor key, Tensor value, Tensor? attn_mask, bool is_causal, float? scale, "
    "bool enable_gqa) -> Tensor",
    tags=(torch.Tag.pt2_compliant_tag,),
)


@torch.library.impl(_NAME, ("cpu", "cuda"))
@torch.library.register_fake(_NAME)
def _run(query, key, value, attn_mask, is_causal, scale, enable_gqa):
    # torch itself says which strides its result has, also for fakes.
    return scaled_dot_product_attention(
        query,
        key,
        value,
        attn_mask,
        is_causal=is_causal,
        scale=scale,
        enable_gqa=enable_gqa,
    )


ATTENTION = torch.ops.fuse.scaled_dot_product_attention.default


def keep_attention(graph_module, example_inputs):
    """Makes attention one operator in a graph of Dynamo that is compiled for inference."""
    if torch.is_grad_enabled() and any(
        isinstance(x, torch.Tensor) and x.requires_grad
        for x in (*example_inputs, *graph_module.parameters())
    ):
        return
    changed = False
    for module in graph_module.modules():
        if not isinstance(module, torch.fx.GraphModule):
            continue
        for node in module.graph.nodes:
            if node.op == "call_function" and node.target is _TORCHS:
                changed |= _replace(node)
        module.recompile()
    return changed


_TORCHS = torch._C._nn.scaled_dot_product_attention


def _replace(node):
    names = "query key value attn_mask dropout_p is_causal".split()
    given = {**dict(zip(names, node.args)), **node.kwargs}
    if given.get("dropout_p", 0.0) != 0.0:
        return False
    if any(_is_subclass(given[name]) for name in ("query", "key", "value")):
        # Such as a DTensor, which knows how torch's is shared out.
        return False
    flags = [given.get("is_causal", False), given.get("enable_gqa", False)]
    if not all(isinstance(flag, bool) for flag in flags):
        return False
    node.args = (
        given["query"],
        given["key"],
        given["value"],
        given.get("attn_mask"),
        flags[0],
        given.get("scale"),
        flags[1],
    )
    node.kwargs, node.target = {}, ATTENTION
    return True


def _is_subclass(node):
    value = node.meta.get("example_value")
    return value is not None and is_traceable_wrapper_subclass(value)


@converter(ATTENTION)
def _attention(c, q, k, v, mask, is_causal, scale, enable_gqa):
    result = lang.attention(q, k, v, scale, is_causal, mask)
    return lang.cast(result, c.dtype)


def attention_reason(node, options):
    """Why attention stays eager, or None if a region may take it."""
    choice = options["attention"]
    if choice == "always":
        return None
    if choice == "never":
        return "attention is left to the library (attention='never')"
    value = first_value(node)
    if value.device.type != "cuda":
        return (
            "the library's attention is faster on a CPU (attention='always' takes it)"
        )
    if torch.cuda.get_device_capability(value.device) != (9, 0):
        return "it is measured on Hopper only (attention='always' takes it elsewhere)"
    return _reason_on_hopper(value, *(first_value(n) for n in node.args[:3]))


def _reason_on_hopper(result, query, key, value):
    if query.dtype not in (torch.float16, torch.bfloat16):
        return f"tensor cores are used for float16 and bfloat16, not {query.dtype}"
    if query.ndim < 3:
        raise Unsupported("attention without an axis of heads")
    most = ATTENTION_LIMITS["features"]
    for features in (query.shape[-1], value.shape[-1]):
        if not isinstance(features, int) or features > most or features % 8:
            return f"heads of {features} features: there are kernels up to {most}, in eights"
    keys = key.shape[-2]
    if isinstance(keys, int) and keys % 8:
        return f"the library is faster for {keys} keys: of such rows the weights are padded"
    queries = size_hint(query.shape[-2])
    if queries < ATTENTION_LIMITS["queries"]:
        return (
            f"the library is faster for {queries} queries; ours is from "
            f"{ATTENTION_LIMITS['queries']} on"
        )
    tiles = -(-queries // _TILE)
    for size in query.shape[:-2]:
        tiles *= size_hint(size)
    if tiles < ATTENTION_LIMITS["tiles"]:
        return f"the library is faster for {tiles} tiles of queries, which leave the GPU idle"
    return None
