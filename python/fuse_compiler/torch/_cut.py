# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cuts regions of many contractions.

Where all products of a model join regions, all of it could be one. Its program would take
long to compile, and share nothing. So a region ends where least is alive in between, such
as after a layer, after at most so many contractions. Layers that are alike are then cut
alike, and become one program.
"""

import torch

from fuse_compiler.torch._attention import ATTENTION
from fuse_compiler.torch._attention_training import ATTENTION_AND_SUMS
from fuse_compiler.torch._convert_reduce import CONTRACTIONS
from fuse_compiler.torch._convert_shapes import VIEWS
from fuse_compiler.torch._symbols import size_hint

_WEIGHTS = {**dict.fromkeys(CONTRACTIONS, 1), ATTENTION: 2, ATTENTION_AND_SUMS: 2}


def cut(nodes, most):
    """Parts of a convex set of nodes, given in the graph's order, each convex.

    most  contractions of a part, or a quarter more in the last; attention counts as two

    What follows each other in the graph's order is convex within a convex set.
    """
    weights = [_WEIGHTS.get(node.target, 0) for node in nodes]
    alive = _alive_after(nodes)
    parts, start = [], 0
    while start < len(nodes):
        is_last = sum(weights[start:]) <= most + most // 4
        end = len(nodes) if is_last else _end_of(weights, start, most)
        if end < len(nodes):
            # The last of the narrowest: the part is as long as it can be.
            first = min(_first_end(weights, start), end)
            end = min(range(first, end + 1), key=lambda i: (alive[i - 1], -i))
        parts.append(nodes[start:end])
        start = end
    return parts


def _end_of(weights, start, most):
    """The largest end of a part: one contraction more than `most` comes after it."""
    total = 0
    for i in range(start, len(weights)):
        total += weights[i]
        if total > most and i > start:
            return i
    return len(weights)


def _first_end(weights, start):
    """The smallest end, after the first contraction."""
    for i in range(start, len(weights)):
        if weights[i]:
            return i + 1
    return len(weights)


def _alive_after(nodes):
    """For each node, the bytes that nodes up to it make and nodes after it read.

    A view is what it is a view of.
    """
    position = {node: i for i, node in enumerate(nodes)}
    last = list(range(len(nodes)))
    for node in reversed(nodes):
        i = position[node]
        last[i] = max([last[i], *(_last_use(u, position, last) for u in node.users)])
    change = [0] * (len(nodes) + 1)
    for node in nodes:
        if node.target in VIEWS:
            continue
        i = position[node]
        change[i] += _bytes(node)
        change[last[i]] -= _bytes(node)
    alive, total = [], 0
    for each in change[:-1]:
        total += each
        alive.append(total)
    return alive


def _last_use(user, position, last):
    """Where a value is read last by a user: by those of a view for a view."""
    if user not in position:
        return 0
    return last[position[user]] if user.target in VIEWS else position[user]


def _bytes(node):
    total = 0
    value = node.meta["val"]
    for each in value if isinstance(value, (tuple, list)) else (value,):
        if isinstance(each, torch.Tensor):
            size = each.element_size()
            for dim in each.shape:
                size *= max(size_hint(dim), 1)
            total += size
    return total
