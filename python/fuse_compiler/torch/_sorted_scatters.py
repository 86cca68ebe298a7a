# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scatters that add many rows, by a sort and sums of runs.

Gradients of embeddings and of gathered rows, as in mixtures of experts, add rows where ids say:

    x.index_put([ids], rows, accumulate=True)

A region adds few rows by comparing all pairs of ids. More are sorted by torch first; the rows of one
id then follow each other, and a region adds up each run in its order, in f32, together with what is
computed from the sums. So results are the same in every run, unlike those of atomic additions.
"""

import operator

import torch

from fuse_compiler.torch._convert_indices import MOST_PAIRS

aten = torch.ops.aten
_INT32_ROWS = 2**31 - 1


def sort_scatters(graph_module):
    """Rewrites scatters along the first axis that add more rows than a region compares."""
    graph = graph_module.graph
    found = False
    for node in list(graph.nodes):
        scatter = _MATCHES.get(node.target, lambda _: None)(node)
        if scatter is not None and _is_large(scatter):
            with graph.inserting_before(node):
                result = _Emitter(graph, node).emit(*scatter)
            result.meta = dict(node.meta)
            node.replace_all_uses_with(result)
            graph.erase_node(node)
            found = True
    if found:
        graph.eliminate_dead_code()


def _match_put(node):
    """(into, ids, updates, number of rows, id that is dropped)."""
    x, indices, updates, *rest = node.args
    accumulate = rest[0] if rest else node.kwargs.get("accumulate", False)
    if not accumulate or len(indices) != 1 or indices[0] is None:
        return None
    if not _is_integer(indices[0]):
        return None
    return x, indices[0], updates, _shape(x)[0], None


def _match_add(node):
    x, dim, ids, updates, *_ = node.args
    if dim % max(1, len(_shape(x))) or node.kwargs.get("alpha", 1) != 1:
        return None
    return x, ids, updates, _shape(x)[0], None


def _match_embedding(node):
    updates, ids, rows, padding, by_frequency = node.args
    if by_frequency:
        return None
    return None, ids, updates, rows, padding if padding >= 0 else None


_MATCHES = {
    aten.index_put.default: _match_put,
    aten._unsafe_index_put.default: _match_put,
    aten.index_add.default: _match_add,
    aten.embedding_dense_backward.default: _match_embedding,
}


def _value(node):
    return node.meta["val"]


def _shape(node):
    return _value(node).shape


def _is_integer(node):
    return _value(node).dtype in (torch.int32, torch.int64)


def _is_large(scatter):
    """Whether a region would refuse it, and rows of numbers are added as they are."""
    into, ids, updates, rows, _ = scatter
    tensors = [_value(node) for node in (into, ids, updates) if node is not None]
    if not all(isinstance(d, int) for t in tensors for d in (*t.shape, rows)):
        return False
    ids, updates = _value(ids), _value(updates)
    is_same = into is None or (
        updates.dtype == _value(into).dtype
        and updates.shape[ids.ndim :] == _shape(into)[1:]
    )
    return (
        is_same
        and updates.shape[: ids.ndim] == ids.shape
        and updates.dtype in (torch.float16, torch.bfloat16, torch.float32)
        and rows < _INT32_ROWS
        and ids.numel() * (ids.numel() + rows) > MOST_PAIRS
    )


class _Emitter:
    """Adds nodes in front of a scatter, with what torch knows of their values."""

    def __init__(self, graph, node):
        self._graph = graph
        self._device = _value(node).device
        self._mode = _value(node).fake_mode

    def call(self, target, *args, **kwargs):
        node = self._graph.call_function(target, args, kwargs)
        values = torch.fx.map_arg((args, kwargs), _value)
        with self._mode:
            node.meta["val"] = target(*values[0], **values[1])
        return node

    def part(self, node, number):
        result = self._graph.call_function(operator.getitem, (node, number))
        result.meta["val"] = _value(node)[number]
        return result

    def emit(self, into, ids, updates, rows, dropped):
        count = _value(ids).numel()
        row = _shape(updates)[_value(ids).ndim :]
        updates = self.call(aten.reshape.default, updates, [count, *row])
        ids = self.ids_of_rows(ids, rows, is_embedding=into is None, dropped=dropped)
        both = self.call(aten.sort.stable, ids, stable=True, dim=0)
        ids, order = self.part(both, 0), self.part(both, 1)
        bounds = self.call(
            aten.arange.default, rows + 1, dtype=torch.int32, device=self._device
        )
        offsets = self.call(aten.searchsorted.Tensor, ids, bounds)
        sums = self.call(
            aten.segment_reduce.default,
            self.call(aten.index_select.default, updates, 0, order),
            "sum",
            offsets=offsets,
            axis=0,
            unsafe=True,
            initial=0.0,
        )
        return sums if into is None else self.call(aten.add.Tensor, into, sums)

    def ids_of_rows(self, ids, rows, is_embedding, dropped):
        """The ids in one dim; a dropped one is behind the last row."""
        ids = self.call(aten.reshape.default, ids, [_value(ids).numel()])
        # A sort of fewer bits takes fewer passes.
        ids = self.call(aten._to_copy.default, ids, dtype=torch.int32)
        if dropped is not None:
            is_dropped = self.call(aten.eq.Scalar, ids, dropped)
            return self.call(aten.masked_fill.Scalar, ids, is_dropped, rows)
        if is_embedding:
            return ids
        is_negative = self.call(aten.lt.Scalar, ids, 0)
        wrapped = self.call(aten.add.Tensor, ids, rows)
        return self.call(aten.where.self, is_negative, wrapped, ids)
