# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes masks of positions again in each region that reads them.

A mask that is computed from positions and sizes alone costs nothing where it is used, and tells
attention which tiles to leave out. In memory it would be an operand as large as the scores.
"""

import torch

from fuse_compiler.torch._convert import overload
from fuse_compiler.torch._convert_shapes import VIEWS

# Of nodes that are copied for one value.
_MOST_NODES = 32
MADE = {
    overload(f"{name}.default")
    for name in (
        "full full_like zeros zeros_like ones ones_like scalar_tensor arange new_zeros new_ones "
        "new_full clone"
    ).split()
} | {overload("arange.start_step"), overload("arange.start")}
# Whose elements are nothing that anybody may rely on.
UNDEFINED = {overload("new_empty.default"), overload("empty_like.default")}
# What makes a tensor of none.
SOURCES = MADE | {getattr(torch.ops.prims.iota, "default", None)} - {None}
_CHOICES = {
    overload(name)
    for name in ("where.self", "where.ScalarSelf", "where.ScalarOther", "where.Scalar")
} | {overload("masked_fill.Scalar"), overload("masked_fill.Tensor")}


def make_again(graph, parts, is_supported):
    """Copies what makes such values into the parts that read them.

    parts  lists of nodes of one graph, each convex; the copies are added to them, and what
           nobody reads any more is removed
    """
    made = _made(graph, is_supported)
    position = {node: i for i, node in enumerate(graph.nodes)}
    for part in parts:
        inside, copies = set(part), {}
        for node in sorted(part, key=position.__getitem__):
            for value in node.all_input_nodes:
                if value in inside or value not in made or value.op != "call_function":
                    continue
                node.replace_input_with(value, _copy(graph, node, value, copies))
        part[:0] = copies.values()
    for node in reversed(list(graph.nodes)):
        if node in made and not node.users:
            for part in parts:
                if node in part:
                    part.remove(node)
            graph.erase_node(node)


def _made(graph, is_supported):
    """The nodes whose values are made from positions, by element, each by few nodes."""
    made = {}
    for node in graph.nodes:
        if node.op != "call_function" or not is_supported(node):
            continue
        inputs = node.all_input_nodes
        if all(n in made for n in inputs) and _is_cheap(node):
            sources = set().union({node}, *(made[n] for n in inputs))
            if len(sources) <= _MOST_NODES:
                made[node] = sources
    return made


def _is_cheap(node):
    if node.target in SOURCES or node.target in VIEWS:
        return True
    if node.target in _CHOICES:
        return True
    value = node.meta.get("val")
    is_exact = isinstance(value, torch.Tensor) and not value.dtype.is_floating_point
    return is_exact and torch.Tag.pointwise in getattr(node.target, "tags", ())


def _copy(graph, before, node, copies):
    """The copy of a node, in front of another, with those of its inputs."""
    if node in copies:
        return copies[node]
    inputs = {n: _copy(graph, before, n, copies) for n in node.all_input_nodes}
    with graph.inserting_before(before):
        copy = graph.node_copy(node, lambda n: inputs[n])
    copy.meta = dict(node.meta)
    copies[node] = copy
    return copy
