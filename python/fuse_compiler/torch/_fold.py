# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds tensors of a graph that are one number everywhere, whatever the inputs are.

transformers asks, say, which tokens are of one document, by positions that it has just made:
all are. Such a mask would be computed, kept in memory and read by every attention. What is
made from sizes and numbers alone is computed once here; where all elements are the same a
constant takes its place, and what it means for a logical and is drawn from it.
"""

import operator

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily

from fuse_compiler.torch._attention import ATTENTION, attention_reason
from fuse_compiler.torch._convert import overload
from fuse_compiler.torch._convert_shapes import VIEWS
from fuse_compiler.torch._made import SOURCES, UNDEFINED
from fuse_compiler.torch._order import draws

# What is computed has at most so many elements; what follows from constants any number.
_MOST_ELEMENTS = 1 << 20
_SELECTS = VIEWS | {
    overload(name)
    for name in (
        "index.Tensor",
        "index_select.default",
        "gather.default",
        "embedding.default",
        "clone.default",
    )
}
_PURE = {"aten", "prims"}
_ANDS = {overload("bitwise_and.Tensor"), overload("logical_and.default")}


def fold_constants(graph_module, options):
    """Replaces such tensors by aten.full; sizes must be static.

    options  of the backend, which say whether attention is ours
    """
    graph, values = graph_module.graph, {}
    _drop_empty(graph)
    with unset_fake_temporarily():
        for node in graph.nodes:
            value = _value_of(node, values)
            if value is not None:
                values[node] = value
        numbers = {
            node: value.item()
            for node, value in values.items()
            if value.numel() == 1 and node.meta["val"].numel() > 1
        }
    for node, number in numbers.items():
        if node.target is not overload("full.default"):
            _replace(graph, node, number)
    for node in list(graph.nodes):
        if node.target in _ANDS:
            _simplify_and(graph, node)
    for node in list(graph.nodes):
        if node.target is ATTENTION and _is_true(_behind_views(node.args[3])):
            _drop_mask(graph, node, options)
    graph.eliminate_dead_code()


def _drop_empty(graph):
    """Takes out what has no elements: of concatenations, and gradients of such slices."""
    for node in list(graph.nodes):
        if node.target is overload("cat.default"):
            kept = [n for n in node.args[0] if not _is_empty(n)]
            types = {n.meta["val"].dtype for n in node.args[0]}
            if not kept or len(kept) == len(node.args[0]) or len(types) > 1:
                continue
            node.args = (kept, *node.args[1:])
            if len(kept) == 1 and node.meta["val"].is_contiguous():
                node.target, node.args = overload("clone.default"), (kept[0],)
                node.kwargs = {"memory_format": torch.contiguous_format}
        elif node.target in _SLICE_GRADIENTS and _is_empty(node.args[0]):
            _replace(graph, node, 0)


_SLICE_GRADIENTS = {
    overload("slice_backward.default"),
    overload("select_backward.default"),
}


def _is_empty(node):
    return any(isinstance(s, int) and s == 0 for s in node.meta["val"].shape)


def _drop_mask(graph, node, options):
    """Of a mask that hides nothing. torch's own attention is in another kernel without it,
    whose result may have other strides: a copy has those that the graph relies on."""
    if attention_reason(node, options) is not None:
        if not node.meta["val"].is_contiguous():
            return
        with graph.inserting_after(node):
            copy = graph.call_function(
                overload("clone.default"),
                (node,),
                {"memory_format": torch.contiguous_format},
            )
        copy.meta = dict(node.meta)
        node.replace_all_uses_with(copy, delete_user_cb=lambda user: user is not copy)
    node.update_arg(3, None)


def _is_tensor(node):
    return isinstance(node.meta.get("val"), torch.Tensor)


def _value_of(node, values):
    """The value of a node: a tensor, of one element where all are the same; None if unknown."""
    if node.op != "call_function" or not _is_tensor(node) or draws(node):
        return None
    if node.target in UNDEFINED:
        return None
    fake = node.meta["val"]
    is_static = all(isinstance(size, int) for size in fake.shape)
    if not is_static or fake.numel() == 0 or fake.layout != torch.strided:
        return None
    if node.target is operator.getitem or any(
        n not in values for n in node.all_input_nodes
    ):
        return None
    # Nothing that asks the world outside, as collectives do.
    inputs = node.all_input_nodes
    is_pure = node.target in SOURCES or inputs and _namespace(node) in _PURE
    if not is_pure or node.target._schema.is_mutable:
        return None
    is_uniform = bool(inputs) and all(values[n].numel() == 1 for n in inputs)
    if is_uniform and torch.Tag.pointwise in node.target.tags:
        return _one(_computed(node, {n: values[n].reshape(()) for n in inputs}))
    if node.target in _SELECTS and inputs and values[inputs[0]].numel() == 1:
        return values[inputs[0]]
    if fake.numel() > _MOST_ELEMENTS:
        return None
    whole = {
        n: values[n].reshape(_shape(values[n])).expand(n.meta["val"].shape)
        for n in inputs
    }
    return _one(_computed(node, whole))


def _namespace(node):
    return getattr(node.target, "namespace", None)


def _shape(value):
    return () if value.numel() == 1 else value.shape


def _computed(node, values):
    """The node's tensor, on the CPU; None where it cannot be had."""

    def look_up(argument):
        if isinstance(argument, torch.fx.Node):
            return values[argument]
        if isinstance(argument, (list, tuple)):
            return type(argument)(look_up(a) for a in argument)
        return torch.device("cpu") if isinstance(argument, torch.device) else argument

    arguments = [look_up(a) for a in node.args]
    keywords = {name: look_up(value) for name, value in node.kwargs.items()}
    try:
        with torch.device("cpu"), torch.no_grad():
            return node.target(*arguments, **keywords)
    except (RuntimeError, NotImplementedError, TypeError, IndexError):
        return None


def _one(value):
    """One element of a tensor whose elements are all the same, else the tensor."""
    if not isinstance(value, torch.Tensor) or value.numel() == 0:
        return None
    first = value.reshape(-1)[:1]
    return first.clone() if bool((value == first).all()) else value


def _replace(graph, node, number):
    fake = node.meta["val"]
    if not fake.is_contiguous():
        return
    with graph.inserting_before(node):
        full = graph.call_function(
            torch.ops.aten.full.default,
            (list(fake.shape), number),
            {"dtype": fake.dtype, "device": fake.device, "pin_memory": False},
        )
    full.meta = dict(node.meta)
    node.replace_all_uses_with(full)


def _simplify_and(graph, node):
    """x and true is x, repeated to the shape of both."""
    for constant, other in (node.args, node.args[::-1]):
        if not isinstance(other, torch.fx.Node) or not _is_true(constant):
            continue
        fake, whole = other.meta["val"], node.meta["val"]
        if fake.dtype != torch.bool:
            continue
        if fake.shape != whole.shape or fake.stride() != whole.stride():
            other = _repeated(graph, node, other, whole)
        node.replace_all_uses_with(other)
        return


def _behind_views(node):
    while isinstance(node, torch.fx.Node) and node.target in VIEWS:
        node = node.args[0]
    return node


def _is_true(node):
    return (
        isinstance(node, torch.fx.Node)
        and node.target is torch.ops.aten.full.default
        and node.meta["val"].dtype == torch.bool
        and node.args[1] is True
    )


def _repeated(graph, node, other, whole):
    aten, fake = torch.ops.aten, other.meta["val"]
    with graph.inserting_before(node):
        expanded = graph.call_function(aten.expand.default, (other, list(whole.shape)))
        copy = graph.call_function(
            aten.clone.default,
            (expanded,),
            {"memory_format": torch.contiguous_format},
        )
    with fake.fake_mode:
        expanded.meta = {**node.meta, "val": fake.expand(whole.shape)}
    copy.meta = dict(node.meta)
    return copy
