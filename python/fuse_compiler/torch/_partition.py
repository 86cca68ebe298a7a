# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Regions of a graph: as many nodes as can become one program.

A region is convex: no path leaves it and comes back, so that it can run at once. Views
at its end stay outside, where they cost nothing, and so does a region that would save
nothing.
"""

import operator
from collections import Counter

import torch
from torch.fx.passes.utils.fuser_utils import fuse_by_partitions

from fuse_compiler.torch._convert import first_value
from fuse_compiler.torch._convert_shapes import VIEWS
from fuse_compiler.torch._cut import cut
from fuse_compiler.torch._made import MADE, UNDEFINED, make_again
from fuse_compiler.torch._order import chain_of, chains, restore_order

PREFIX = "fuse_region_"
_FREE = VIEWS | {operator.getitem}
_CLONE = torch.ops.aten.clone.default


def form_regions(graph_module, support, options, holds=None):
    """Moves each region of at least options["smallest_region"] operators into a submodule.

    It is called PREFIX and a number. With `holds`, a set of operators, it has one of them.

    Returns the reasons by node for what could have been in a region and is not.
    """
    partitions, small = [], {}
    smallest = options["smallest_region"]
    parts = []
    for device in _devices(graph_module, support):
        parts += _parts(graph_module.graph, support, device, options)
    make_again(graph_module.graph, parts, support.is_supported)
    for nodes in map(_trim, filter(None, parts)):
        if holds and not any(n.target in holds for n in nodes):
            reason = "its region holds no reduction and no contraction"
            small.update((n, reason) for n in nodes if n.target not in _FREE)
        elif _computed(nodes) >= smallest:
            partitions.append(dict.fromkeys(nodes))
        else:
            reason = f"its region would have fewer than {smallest} operators"
            small.update((n, reason) for n in nodes if n.target not in _FREE)
    if partitions:
        names = chains(graph_module.graph)
        fuse_by_partitions(graph_module, partitions, prefix=PREFIX)
        restore_order(graph_module.graph, names)
    return small


def _devices(graph_module, support):
    """The devices of what is supported, in the order of the graph."""
    nodes = [n for n in graph_module.graph.nodes if support.is_supported(n)]
    return list(dict.fromkeys(first_value(n).device for n in nodes))


def _parts(graph, support, device, options):
    """Convex sets of nodes with as many contractions as a region has at most."""
    for nodes in _convex(graph, support, device, options["smallest_region"]):
        yield from map(list, cut(nodes, options["most_contractions"]))


def _convex(graph, support, device, smallest):
    """The supported nodes on a device, in as few convex sets as their order allows.

    A node's stage is how often a path to it enters regions: one more than that of an
    eager input, and no less than that of an input in a region. A path that leaves a stage
    through an eager node comes back in a later one, so the nodes of a stage are convex,
    and no two stages wait for each other.
    """
    stages, inside, last = {}, {}, {}
    for node in graph.nodes:
        inside[node] = support.is_supported(node) and first_value(node).device == device
        inputs = node.all_input_nodes
        chain = chain_of(node)
        if chain:
            # As if it needed the one before it.
            inputs, last[chain] = inputs + last.get(chain, []), [node]
        stages[node] = max(
            (stages[n] + (inside[node] and not inside[n]) for n in inputs), default=0
        )
    _delay(graph, stages, inside, smallest)
    by_stage = {}
    for node in graph.nodes:
        if inside[node]:
            by_stage.setdefault(stages[node], []).append(node)
    return by_stage.values()


def _delay(graph, stages, inside, smallest):
    """Moves nodes to the stage where they are first used, which is as convex.

    First those that need inputs of the graph alone: casts of weights would otherwise all
    be made, and kept, before the first layer. Then those of stages that are too small.
    """
    early = set()
    for node in graph.nodes:
        is_source = node.op in ("placeholder", "get_attr")
        if is_source or inside[node] and all(n in early for n in node.all_input_nodes):
            early.add(node)
    _move(graph, stages, inside, early)
    sizes = Counter(stages[n] for n in graph.nodes if inside[n] and _computed([n]))
    _move(
        graph, stages, inside, {n for n in graph.nodes if sizes[stages[n]] < smallest}
    )


def _move(graph, stages, inside, chosen):
    for node in reversed(graph.nodes):
        if node not in chosen or not inside[node] or node.target is operator.getitem:
            continue
        # The results of one node stay with it.
        parts = [user for user in node.users if user.target is operator.getitem]
        users = {u for p in parts for u in p.users} | (set(node.users) - set(parts))
        if users:
            stages[node] = max(stages[node], min(stages[user] for user in users))
            stages.update((part, stages[node]) for part in parts)


def _computed(nodes):
    """How many operators are computed, and not only views or constants."""
    free = _FREE | MADE | UNDEFINED
    return sum(1 for n in nodes if n.target not in free or _is_copy(n))


def _is_copy(node):
    """Whether elements lie in another order behind it."""
    if node.target is not _CLONE:
        return False
    before, after = (n.meta["val"] for n in (node.all_input_nodes[0], node))
    return before.stride() != after.stride()


def _trim(nodes):
    """The nodes without the views at their end, which are repeated outside."""
    order = {node: i for i, node in enumerate(nodes[0].graph.nodes)}
    kept = set(nodes)
    for node in sorted(nodes, key=order.__getitem__, reverse=True):
        if not _is_view(node):
            continue
        outside = [user for user in node.users if user not in kept]
        if not outside:
            continue
        if len(outside) == len(node.users):
            kept.discard(node)
            continue
        with node.graph.inserting_after(node):
            copy = node.graph.node_copy(node, lambda n: n)
        copy.meta = dict(node.meta)
        for user in outside:
            user.replace_input_with(node, copy)
    return [node for node in nodes if node in kept]


def _is_view(node):
    if node.target is operator.getitem:
        return isinstance(node.args[0], torch.fx.Node) and node.args[0].target in VIEWS
    return node.target in VIEWS
