# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order of nodes that draw random numbers.

Eager's numbers come from one generator, one node after the other. Forming regions must
not change which node draws first, or another mask would be drawn than eagerly.
"""

import torch


def draws(node):
    """Whether a node draws from a generator."""
    return torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())


def drawing_names(graph):
    """The names of the nodes that draw, in their order."""
    return [node.name for node in graph.nodes if draws(node)]


def restore_order(graph, names):
    """Puts nodes that draw back into an order, and before them what they need.

    The other nodes stay in their order where they can.
    """
    if drawing_names(graph) == names:
        return
    by_name = {node.name: node for node in graph.nodes}
    before = {b: by_name[a] for a, b in zip(names, names[1:])}
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
