# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes into parts of a tensor, as what is put there.

y[..., :n] = x becomes a copy into a slice, which has the strides of y, and a tensor with that slice.
Of the copy only the elements are read, so that x itself does; of a number a full tensor. Where such slices are all of y, it is their
concatenation.
"""

from fuse_compiler.torch._convert import overload

_COPY, _EXPAND = overload("copy.default"), overload("expand.default")
_FILL, _FULL = overload("fill.Scalar"), overload("full.default")
_SCATTER = overload("slice_scatter.default")
_SCATTERS = {_SCATTER, overload("select_scatter.default")}


def simplify_writes(graph):
    """Replaces copies into slices by their sources, and slices that are all by a concatenation."""
    for node in list(graph.nodes):
        if not node.users or not all(_is_put(node, user) for user in node.users):
            continue
        if node.target is _COPY:
            _drop_copy(graph, node)
        elif node.target is _FILL:
            _make_full(graph, node)
    graph.eliminate_dead_code()
    # From the last, whose chain is the longest.
    for node in reversed(list(graph.nodes)):
        if node.target is _SCATTER and node.users:
            _concatenate(graph, node)
    graph.eliminate_dead_code()


def _drop_copy(graph, node):
    into, source = node.args[:2]
    before, after = source.meta["val"], into.meta["val"]
    if before.dtype != after.dtype or before.device != after.device:
        return
    if before.shape != after.shape:
        with graph.inserting_before(node):
            source = graph.call_function(_EXPAND, (source, list(after.shape)))
        with before.fake_mode:
            source.meta = {**node.meta, "val": before.expand(after.shape)}
    node.replace_all_uses_with(source)
    graph.erase_node(node)


def _make_full(graph, node):
    fake = node.meta["val"]
    if not all(isinstance(size, int) for size in fake.shape):
        return
    options = {"dtype": fake.dtype, "device": fake.device, "pin_memory": False}
    with graph.inserting_before(node):
        full = graph.call_function(_FULL, (list(fake.shape), node.args[1]), options)
    with fake.fake_mode:
        full.meta = {**node.meta, "val": fake.new_empty(fake.shape)}
    node.replace_all_uses_with(full)
    graph.erase_node(node)


def _is_put(node, user):
    """Whether a node is only what another tensor has in a part."""
    return (
        user.target in _SCATTERS and user.args[1] is node and user.args[0] is not node
    )


def _slice_of(node):
    """The dim of a slice_scatter, and where its slice begins and ends; None if that is dynamic."""
    dim, start, end, step = (*node.args[2:], *(0, None, None, 1)[len(node.args) - 2 :])
    size = node.meta["val"].shape[dim]
    start, end = start or 0, size if end is None else end
    if step != 1 or not all(isinstance(n, int) for n in (size, start, end)):
        return None
    start, end = (n + size if n < 0 else n for n in (start, end))
    return dim % node.meta["val"].ndim, max(start, 0), min(end, size)


def _pieces(last):
    """The slices that make all of a dim, in its order, and the dim; None if they do not."""
    pieces, node, left = {}, last, None
    while node.target is _SCATTER and _slice_of(node):
        axis, start, end = _slice_of(node)
        if left is None:
            dim, left = axis, node.meta["val"].shape[axis]
        overlaps = any(start < b and a < end for a, (b, _) in pieces.items())
        if axis != dim or start >= end or overlaps:
            return None
        pieces[start] = end, node.args[1]
        left -= end - start
        if left == 0:
            return [pieces[start][1] for start in sorted(pieces)], dim
        node = node.args[0]
    return None


def _concatenate(graph, last):
    value, found = last.meta["val"], _pieces(last)
    if found is None or not value.is_contiguous():
        return
    if any(part.meta["val"].dtype != value.dtype for part in found[0]):
        return
    with graph.inserting_before(last):
        joined = graph.call_function(overload("cat.default"), found)
    joined.meta = dict(last.meta)
    last.replace_all_uses_with(joined)
    graph.erase_node(last)
