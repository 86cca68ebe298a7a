# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention in training by the kernel that eager runs.

What torch chooses while it traces may be plain products and a softmax in f32, where the same call
on tensors has a fused kernel: it is asked for tensors, and the kernel is called by its name. With
a mask both choices are the same.
"""

import operator

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.nn.attention import SDPBackend

from fuse_compiler.torch._convert import overload
from fuse_compiler.torch._symbols import size_hint

# By the type of the device and the choice: the operator, and what follows query, key and value.
_KERNELS = {
    ("cuda", SDPBackend.FLASH_ATTENTION): ("_scaled_dot_product_flash_attention", ()),
    ("cuda", SDPBackend.EFFICIENT_ATTENTION): (
        "_scaled_dot_product_efficient_attention",
        (None, True),
    ),
    ("cuda", SDPBackend.CUDNN_ATTENTION): (
        "_scaled_dot_product_cudnn_attention",
        (None, True),
    ),
    ("cpu", SDPBackend.FLASH_ATTENTION): (
        "_scaled_dot_product_flash_attention_for_cpu",
        (),
    ),
}
# Of heads; torch pads others.
_FEATURES = 8


def name_kernel(node, given):
    """Replaces a call of scaled_dot_product_attention without a mask by that of its kernel.

    given  its arguments by name, all of them but `scale`
    """
    fakes = [
        given[name].meta.get("example_value") for name in ("query", "key", "value")
    ]
    if any(f is None or f.ndim != 4 or f.shape[-1] % _FEATURES for f in fakes):
        return
    if given["attn_mask"] is not None or fakes[0].shape[1] != fakes[1].shape[1]:
        return
    chosen = _eager_choice(fakes, given["is_causal"], given.get("scale"))
    name, more = _KERNELS.get((fakes[0].device.type, chosen), (None, ()))
    if name is None or overload(f"{name}.default") is None:
        return
    node.target = overload(f"{name}.default")
    node.args = (given["query"], given["key"], given["value"], *more)
    node.kwargs = {
        "dropout_p": 0.0,
        "is_causal": given["is_causal"],
        "scale": given.get("scale"),
    }
    with node.graph.inserting_after(node):
        result = node.graph.call_function(operator.getitem, (node, 0))
    node.replace_all_uses_with(result, delete_user_cb=lambda user: user is not result)
    result.meta, node.meta = dict(node.meta), {}


def _eager_choice(fakes, is_causal, scale):
    """The SDPBackend of tensors like these, whose elements are not read; None if unknown."""
    try:
        with unset_fake_temporarily():
            tensors = [
                torch.empty_strided(
                    [size_hint(size) for size in fake.shape],
                    [size_hint(stride) for stride in fake.stride()],
                    dtype=fake.dtype,
                    device=fake.device,
                ).requires_grad_()
                for fake in fakes
            ]
            chosen = torch._fused_sdp_choice(*tensors, is_causal=is_causal, scale=scale)
        return SDPBackend(chosen)
    except (RuntimeError, ValueError):
        # Such as no memory for them.
        return None


def is_plain(graph_module):
    """Whether no context in a graph decides what attention does, as autocast would."""
    names = [
        str(getattr(node.target, "__name__", node.target))
        for node in graph_module.graph.nodes
        if node.op == "call_function"
    ]
    return not any("autocast" in name or "_sdp" in name for name in names)
