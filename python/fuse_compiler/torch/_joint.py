# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Splits AOTAutograd's joint graph into a forward and a backward one.

The partitioner is torch's. It first takes out what is computed twice, by a function that imports
all of Inductor, which takes a second and is not needed for it: so this is done here, for graphs
without side effects, and left to torch for the others.
"""

import operator

import torch
from functorch.compile import min_cut_rematerialization_partition
from torch._functorch import config
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

from fuse_compiler.torch._made import UNDEFINED
from fuse_compiler.torch._order import draws, is_collective

_EMPTY = {torch.ops.aten.empty, torch.ops.aten.empty_strided}
# What torch's function looks at besides.
_META = ("custom", "recompute")


def partition(joint_module, joint_inputs, **facts):
    """As torch's partitioner, whose arguments these are."""
    graph = joint_module.graph
    if not config.cse or not all(map(_is_plain, graph.nodes)):
        return min_cut_rematerialization_partition(joint_module, joint_inputs, **facts)
    graph.eliminate_dead_code()
    merge_equal(graph, facts["num_fwd_outputs"])
    with config.patch(cse=False):
        return min_cut_rematerialization_partition(joint_module, joint_inputs, **facts)


def _is_plain(node):
    if any(node.meta.get(name) for name in _META):
        return False
    if node.op != "call_function":
        return node.op in ("placeholder", "get_attr", "output")
    if isinstance(node.target, torch._ops.OpOverload):
        return not node.target._schema.is_mutable
    return getattr(node.target, "__module__", None) == operator.getitem.__module__


def merge_equal(graph, num_outputs):
    """Replaces nodes by earlier ones that compute the same.

    num_outputs  of the forward graph: what only this needs stays apart from what the backward
                 graph needs, too, which would otherwise be saved
    """
    (output,) = graph.find_nodes(op="output")
    returned = output.args[0]
    backward = _needed_for(n for n in returned[num_outputs:] if n is not None)
    kept = set().union(*(_storages(n) for n in output.all_input_nodes))
    known = {}
    for node in list(graph.nodes):
        if not _may_merge(node) or _storages(node) & kept:
            continue
        key = (
            node.target,
            node in backward,
            _key(node.args),
            _key(tuple(sorted(node.kwargs.items()))),
        )
        try:
            first = known.setdefault(key, node)
        except TypeError:
            continue
        if first is not node:
            node.replace_all_uses_with(first)
            graph.erase_node(node)


def _needed_for(nodes):
    found, waiting = set(), list(nodes)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += node.all_input_nodes
    return found


def _may_merge(node):
    if node.op != "call_function" or node.is_impure() or draws(node):
        return False
    if node.target in UNDEFINED or is_collective(node):
        return False
    if getattr(node.target, "overloadpacket", None) in _EMPTY:
        return False
    # Sizes that depend on data have names of their own.
    return "val" in node.meta and not free_unbacked_symbols(node.meta["val"])


def _storages(node):
    """What of memory a node's value is in: results that torch tells apart stay so."""
    value = node.meta.get("val")
    values = value if isinstance(value, (tuple, list)) else (value,)
    return {
        v.untyped_storage()._cdata
        for v in values
        if isinstance(v, torch.Tensor) and v.layout == torch.strided
    }


def _key(argument):
    """Equal where arguments are the same: 1 and True and 1.0 are not, nor 0.0 and -0.0."""
    if isinstance(argument, (tuple, list)):
        return tuple(map(_key, argument))
    if isinstance(argument, float):
        return "float", repr(argument)
    return type(argument), argument
