# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order of nodes that the world outside of the graph sees.

Random numbers come from one generator, one node after the other: if forming regions
changed which node draws first, another mask would be drawn than eagerly. And processes
that work together must start their collectives in the same order, or they wait for each
other forever.
"""

import torch

_COLLECTIVES = {"_c10d_functional", "_c10d_functional_autograd", "c10d_functional"}


def draws(node):
    """Whether a node draws from a generator."""
    return torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())


def is_collective(node):
    """Whether a node is an operator of torch.distributed."""
    return getattr(node.target, "namespace", None) in _COLLECTIVES


def chain_of(node):
    """The name of the chain whose order a node must keep, or None."""
    if draws(node):
        return "random"
    # Whoever waits starts nothing.
    is_wait = is_collective(node) and "wait_tensor" in str(node.target)
    return "collective" if is_collective(node) and not is_wait else None


def chains(graph):
    """The names of the nodes of each chain, in their order."""
    found = {}
    for node in graph.nodes:
        chain = chain_of(node)
        if chain:
            found.setdefault(chain, []).append(node.name)
    return found


def restore_order(graph, names):
    """Puts the nodes of chains back into an order, and before them what they need.

    names  of chains()

    The other nodes stay in their order where they can.
    """
    if chains(graph) == names:
        return
    by_name = {node.name: node for node in graph.nodes}
    before = {
        b: by_name[a] for chain in names.values() for a, b in zip(chain, chain[1:])
    }
    nodes, placed = list(graph.nodes), {}
    last = None
    for start in nodes:
        waiting = [start]
        while waiting:
            node = waiting[-1]
            needed = [
                *node.all_input_nodes,
                *([before[node.name]] if node.name in before else []),
            ]
            missing = [n for n in needed if n not in placed]
            if missing:
                waiting += reversed(missing)
                continue
            waiting.pop()
            if node not in placed:
                placed[node] = None
                if last is not None:
                    last.append(node)
                last = node
