# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which nodes of a graph a region can take, and why not the others."""

import operator

import torch

from fuse_compiler import lang
from fuse_compiler.lang import Unsupported
from fuse_compiler.torch._attention import ATTENTION, attention_reason
from fuse_compiler.torch._attention_training import attention_kernel_reason
from fuse_compiler.torch._contractions import contraction_reason
from fuse_compiler.torch._convert import (
    CONVERTERS,
    check_tensor,
    convert,
    first_value,
    number_of,
)
from fuse_compiler.torch._convert_reduce import CONTRACTIONS
from fuse_compiler.torch._convert_shapes import VIEWS
from fuse_compiler.torch._layout import output_order
from fuse_compiler.torch._order import is_collective
from fuse_compiler.torch._symbols import DTYPES, to_shape

_DEVICES = ("cpu", "cuda")


class Support:
    """Answers for one graph, each found by converting the node alone.

    reasons  by node that stays eager, why
    """

    def __init__(self, options):
        self._options = options
        self._answers = {}
        self.reasons = {}

    def is_supported(self, node):
        if node not in self._answers:
            reason = self._reason(node)
            self._answers[node] = reason is None
            if reason is not None and node.op == "call_function" and _is_tensor(node):
                self.reasons[node] = reason
        return self._answers[node]

    def _reason(self, node):
        if node.op != "call_function":
            return "it is no operator"
        try:
            if node.target is operator.getitem:
                producer = node.args[0]
                return None if self.is_supported(producer) else "its producer is eager"
            if is_collective(node):
                return "collectives are torch.distributed's"
            if node.target not in CONVERTERS:
                return attention_kernel_reason(node) or (
                    "no op of the dialect does this"
                )
            if node.target in CONTRACTIONS:
                reason = contraction_reason(node, self._options)
                if reason:
                    return reason
            if node.target is ATTENTION:
                reason = attention_reason(node, self._options)
                if reason:
                    return reason
            _try_alone(node)
        except Unsupported as reason:
            return str(reason)
        return None


def _is_tensor(node):
    value = node.meta.get("val")
    return isinstance(value, torch.Tensor) or isinstance(value, (tuple, list))


def _try_alone(node):
    device = first_value(node).device
    if device.type not in _DEVICES:
        raise Unsupported(f"the device {device}")
    builder, values = lang.Builder(), {}
    for number, each in enumerate(node.all_input_nodes):
        values[each] = _value_of(builder, f"a{number}", each, device)
    results = node.meta["val"]
    for value in results if isinstance(results, (tuple, list)) else [results]:
        if isinstance(value, torch.Tensor):
            check_tensor(value, device)
            # A region never ends with a view.
            if node.target not in VIEWS:
                output_order(value)
    convert(builder, node, values)


def _value_of(builder, name, node, device):
    value = node.meta.get("val")
    if isinstance(value, torch.Tensor):
        check_tensor(value, device)
        return region_input(builder, name, value)
    if isinstance(value, (tuple, list)):
        return [region_input(builder, f"{name}_{i}", v) for i, v in enumerate(value)]
    return number_of(value)


def region_input(builder, name, value):
    """A fake tensor as an input of a program, with its own shape."""
    return builder.input(name, to_shape(value.shape), DTYPES[value.dtype])
