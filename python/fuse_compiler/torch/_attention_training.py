# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention for which torch has chosen a kernel before regions are formed.

So it is where gradients are needed, and in Inductor. A backward kernel takes what the forward
one leaves: the result and the logarithm of each row's sum of exponentials. Where a region
takes the forward pass, one operator that leaves just these replaces torch's; the random
state beside them is of dropout, of which there is none, so that it is never read.
"""

import operator

import torch

from fuse_compiler import lang
from fuse_compiler.lang import Unsupported
from fuse_compiler.torch._attention import attention_reason
from fuse_compiler.torch._convert import converter, overload

torch.library.define(
    "fuse::attention_and_sums",
    "(Tensor query, Tensor key, Tensor value, Tensor? bias, bool is_causal, float? scale, "
    "str kernel) -> (Tensor, Tensor)",
    tags=(torch.Tag.pt2_compliant_tag,),
)
ATTENTION_AND_SUMS = torch.ops.fuse.attention_and_sums.default

# By the operator: how its bias is called, and which of its results are random state.
_KERNELS = {
    "_scaled_dot_product_flash_attention": (None, (6, 7)),
    "_scaled_dot_product_cudnn_attention": ("attn_bias", (6, 7)),
    "_scaled_dot_product_efficient_attention": ("attn_bias", (2, 3)),
    "_scaled_dot_product_flash_attention_for_cpu": ("attn_mask", ()),
}
_OPERATORS = {
    overload(f"{name}.default"): (name, *facts) for name, facts in _KERNELS.items()
}
_GRADIENTS = {overload(f"{name}_backward.default") for name in _KERNELS}
# Where a node that stays says why.
_REASON = "why_fuse_leaves_attention"
_NEEDS_SUMS = {"compute_log_sumexp": True}


@torch.library.impl("fuse::attention_and_sums", ("cpu", "cuda"))
@torch.library.register_fake("fuse::attention_and_sums")
def _run(query, key, value, bias, is_causal, scale, kernel):
    # Where its region is refused the node runs by itself.
    function = overload(f"{kernel}.default")
    known = {argument.name for argument in function._schema.arguments}
    keywords = {name: x for name, x in _NEEDS_SUMS.items() if name in known}
    if _KERNELS[kernel][0]:
        keywords[_KERNELS[kernel][0]] = bias
    result = function(
        query, key, value, is_causal=is_causal, scale=scale, dropout_p=0.0, **keywords
    )
    return result[0], result[1]


def take_attention(graph_module, options, *, makes_state=True):
    """Replaces torch's kernels in a graph where a region takes attention.

    makes_state  whether random state that is handed on can be made by aten.empty
    """
    state = {} if makes_state else None
    for node in list(graph_module.graph.nodes):
        if node.op == "call_function" and node.target in _OPERATORS:
            _take(node, options, state)


def _take(node, options, state):
    name, bias, random = _OPERATORS[node.target]
    given = _arguments(node)
    used = {user.args[1]: user for user in node.users if user.users}
    reason = _refusal(given, used, random if state is not None else (), options, node)
    if reason is not None:
        node.meta[_REASON] = reason
        return
    arguments = (
        *(given[each] for each in ("query", "key", "value")),
        given[bias] if bias else None,
        given["is_causal"],
        given["scale"],
        name,
    )
    makes_sums = given.get("compute_log_sumexp", True)
    graph, values = node.graph, _values(node, arguments, makes_sums)
    if bias and given[bias] is not None and values[0].device.type == "cuda":
        # Torch's backward kernels give NaN there.
        node.meta[_REASON] = (
            "torch's kernel for the gradient of a bias wants more than a region leaves"
        )
        return
    if values[1].shape[2] != values[0].shape[2]:
        node.meta[_REASON] = (
            "torch's kernel for the gradient wants sums of 32 rows at a time"
        )
        return
    with graph.inserting_before(node):
        taken = graph.call_function(ATTENTION_AND_SUMS, arguments)
        taken.meta = {**node.meta, "val": values}
        for number, user in used.items():
            if number in random:
                result = _unread(graph, user, state)
            else:
                result = graph.call_function(operator.getitem, (taken, number))
                result.meta = dict(user.meta)
            user.replace_all_uses_with(result)
    for user in (*node.users, node):
        graph.erase_node(user)


def _refusal(given, used, random, options, node):
    """Why torch's kernel stays, or None."""
    if given["dropout_p"] != 0.0:
        return "attention with dropout takes torch's random numbers"
    if given.get("return_debug_mask", False) or set(used) - {0, 1, *random}:
        return "what is used of attention is more than its result and sums"
    try:
        return attention_reason(node, options)
    except Unsupported as reason:
        return str(reason)


def attention_kernel_reason(node):
    """Why a kernel of attention that torch has chosen stays eager; None for other nodes."""
    if node.target in _GRADIENTS:
        return "the gradient of attention is torch's kernel"
    return node.meta.get(_REASON) if node.target in _OPERATORS else None


def _values(node, arguments, makes_sums):
    """The fake results of the new operator; where torch's makes no sums, they are added."""
    made = node.meta["val"]
    if makes_sums:
        return made[0], made[1]
    fakes = torch.fx.map_arg(arguments, lambda n: n.meta["val"])
    with made[0].fake_mode:
        return made[0], _run(*fakes)[1]


def _arguments(node):
    """The arguments of a node by name, defaults included."""
    schema = node.target._schema.arguments
    given = {a.name: a.default_value for a in schema if a.has_default_value()}
    given |= {a.name: x for a, x in zip(schema, node.args)}
    return {**given, **node.kwargs}


def _unread(graph, user, state):
    """A tensor of the type of random state that is never read, one for all of a graph."""
    value = user.meta["val"]
    key = tuple(value.shape), value.dtype, value.device
    if key not in state:
        state[key] = graph.call_function(
            torch.ops.aten.empty.memory_format,
            (list(value.shape),),
            {"dtype": value.dtype, "device": value.device},
        )
        state[key].meta = dict(user.meta)
    return state[key]


@converter(ATTENTION_AND_SUMS)
def _attention_and_sums(c, q, k, v, bias, is_causal, scale, kernel):
    result, sums = lang.attention_and_sums(q, k, v, scale, is_causal, bias)
    expected = c.node.meta["val"][1]
    if expected.ndim == sums.ndim + 1:
        sums = lang.reshape(sums, (*sums.shape, 1))
    wide = "f64" if q.dtype == "f64" else "f32"
    return lang.cast(result, c.dtype), lang.cast(sums, wide)
