# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converters of what is read and written where indices say."""

from fuse_compiler import lang
from fuse_compiler.lang import Unsupported
from fuse_compiler.lang._dims import product
from fuse_compiler.torch._convert import converter, overload
from fuse_compiler.torch._convert_shapes import VIEWS

# Of pairs of ids, and of an id and a row, beyond which a scatter that adds is better sorted.
MOST_PAIRS = 1 << 20


@converter(overload("embedding.default"))
def _embedding(c, weight, ids, *_, **__):
    return lang.take(weight, ids, 0)


@converter(overload("index_select.default"))
def _index_select(c, x, dim, ids):
    return lang.take(x, ids, dim)


def _given(indices):
    """The axes that have indices, and these."""
    found = [(axis, ids) for axis, ids in enumerate(indices) if ids is not None]
    if any(ids.dtype not in ("i32", "i64") for _, ids in found):
        raise Unsupported("a mask to index with")
    return [axis for axis, _ in found], [ids for _, ids in found]


def _numbers(c, x, axes, indices):
    """Of all elements along some axes the number of each, in row-major order."""
    number = None
    for axis, ids in zip(axes, indices):
        size, ids = c.operand(x.shape[axis], "i64"), lang.cast(ids, "i64")
        ids = lang.where(ids < 0, ids + size, ids)
        number = ids if number is None else number * size + ids
    return number


def _joined(x, axes):
    """Axes that follow each other as one, at the place of the first."""
    sizes = product([x.shape[axis] for axis in axes])
    return lang.reshape(x, (*x.shape[: axes[0]], sizes, *x.shape[axes[-1] + 1 :]))


def _follow_each_other(axes):
    return axes == list(range(axes[0], axes[-1] + 1))


@converter(overload("index.Tensor"), overload("_unsafe_index.Tensor"))
def _index(c, x, indices):
    axes, ids = _given(indices)
    if _follow_each_other(axes):
        return lang.take(_joined(x, axes), _numbers(c, x, axes, ids), axes[0])
    # The axes of the indices come first, then the others. Of all elements the number of each:
    # only those are read.
    rest = [axis for axis in range(x.ndim) if axis not in axes]
    first = len(c.shape) - len(rest)
    shape = lang.broadcast_shapes(*(i.shape for i in ids))
    ids = [
        lang.reshape(lang.broadcast_to(i, shape), (*shape, *[1] * len(rest)))
        for i in ids
    ]
    places = dict(zip(axes, ids)) | {
        axis: lang.iota(c.builder, c.shape, first + number, "i64")
        for number, axis in enumerate(rest)
    }
    every = range(x.ndim)
    number = _numbers(c, x, every, [places[axis] for axis in every])
    return lang.take(_joined(x, [*every]), number, 0)


@converter(overload("index_put.default"), overload("_unsafe_index_put.default"))
def _index_put(c, x, indices, values, accumulate=False):
    if len(indices) == 1 and indices[0].dtype == "i1" and not accumulate:
        return _where_mask(c, x, indices[0], values)
    axes, ids = _given(indices)
    if not _follow_each_other(axes):
        raise Unsupported("indices of dims that do not follow each other")
    number = _numbers(c, x, axes, ids)
    shape = (*x.shape[: axes[0]], *number.shape, *x.shape[axes[-1] + 1 :])
    values = lang.broadcast_to(c.array(values), shape)
    joined = _joined(x, axes)
    if accumulate:
        result = _scatter_add(joined, number, values, axes[0])
    else:
        result = lang.put(joined, number, values, axes[0])
    return lang.reshape(result, x.shape)


@converter(overload("index_copy.default"))
def _index_copy(c, x, dim, index, source):
    return lang.put(x, index, c.array(source), dim % max(x.ndim, 1))


def _where_mask(c, x, mask, values):
    if any(size != 1 for size in values.shape):
        raise Unsupported("as many values as a mask has trues")
    mask = lang.reshape(mask, (*mask.shape, *[1] * (x.ndim - mask.ndim)))
    return lang.where(mask, lang.reshape(c.array(values), ()), x)


def _scatter_add(x, ids, updates, axis):
    """Sums of updates along an axis, where they are few."""
    if axis:
        # Ids may have several axes, which stay together.
        there = [axis + i for i in range(ids.ndim)]
        moved = [i for i in range(updates.ndim) if i not in there]
        updates = lang.transpose(updates, there + moved)
        axes = [axis, *(i for i in range(x.ndim) if i != axis)]
        back = [axes.index(i) for i in range(x.ndim)]
        return lang.transpose(
            _scatter_add(lang.transpose(x, axes), ids, updates, 0), back
        )
    count = product(ids.shape)
    if not isinstance(count, int) or not isinstance(x.shape[0], int):
        raise Unsupported("a scatter that adds, of a dynamic size")
    if count * (count + x.shape[0]) > MOST_PAIRS:
        raise Unsupported(f"a scatter that adds {count} rows to {x.shape[0]}")
    return lang.scatter_add(x, ids, updates)


@converter(overload("segment_reduce.default"))
def _segment_reduce(c, data, reduce, *, offsets=None, axis=0, initial=None, **_):
    if reduce != "sum" or offsets is None or axis or initial not in (0, 0.0):
        raise Unsupported("segments other than sums of rows between offsets")
    return lang.segment_sum(data, offsets)


@converter(overload("index_add.default"))
def _index_add(c, x, dim, index, source, alpha=1):
    source = c.array(source) * float(alpha) if alpha != 1 else c.array(source)
    return _scatter_add(x, index, source, dim % max(x.ndim, 1))


@converter(overload("embedding_dense_backward.default"))
def _embedding_backward(c, gradient, ids, rows, padding, by_frequency):
    if by_frequency:
        raise Unsupported("a gradient that is scaled by how often a row is read")
    if not isinstance(rows, int):
        raise Unsupported("a table of a dynamic size")
    ids = lang.where(lang.compare("eq", ids, padding), -1, ids) if padding >= 0 else ids
    return _scatter_add(lang.full(c.builder, c.shape, 0, c.dtype), ids, gradient, 0)


def _one_of_row(c, x, dim, index):
    """Where the number along an axis is the row's index, as i1, for one index a row."""
    axis = dim % x.ndim
    rows = [1 if i == axis else d for i, d in enumerate(x.shape)]
    if list(index.shape) != rows:
        raise Unsupported("more than one index in a row")
    return lang.compare("eq", lang.iota(c.builder, x.shape, axis, index.dtype), index)


def _is_reduced(c, x, dim, index):
    """Whether an element a row is better found where the region walks the rows anyway."""
    rows = [1 if i == dim % x.ndim else d for i, d in enumerate(x.shape)]
    producer = c.node.args[0]
    while producer.target in VIEWS:
        producer = producer.args[0]
    is_computed = producer.op == "call_function"
    is_float = c.dtype in ("f16", "bf16", "f32", "f64")
    return is_computed and is_float and list(index.shape) == rows


@converter(overload("gather.default"))
def _gather(c, x, dim, index, sparse_grad=False):
    if not _is_reduced(c, x, dim, index):
        for axis, (size, wanted) in enumerate(zip(x.shape, index.shape)):
            if axis != dim % x.ndim and size != wanted:
                x = lang.slice(x, axis, 0, wanted)
        return lang.take_along_axis(x, index, dim)
    chosen = lang.where(_one_of_row(c, x, dim, index), x, 0.0)
    inside = lang.logical_and(
        index >= 0, index < c.array(x.shape[dim % x.ndim], index.dtype)
    )
    # As an element that is gathered: torch refuses such an index, which must not go unseen.
    return lang.where(inside, lang.sum(chosen, dim, keepdims=True), float("nan"))


@converter(overload("scatter.value"), overload("scatter.src"))
def _scatter(c, x, dim, index, value):
    rows = [1 if i == dim % x.ndim else d for i, d in enumerate(x.shape)]
    if list(index.shape) != rows:
        values = lang.broadcast_to(c.array(value), index.shape)
        return lang.put_along_axis(x, index, values, dim)
    chosen = _one_of_row(c, x, dim, index)
    return lang.where(chosen, c.operand(value), x)


@converter(overload("scatter_add.default"))
def _scatter_add_along(c, x, dim, index, source):
    if list(index.shape) != list(source.shape):
        raise Unsupported("a scatter that adds a part of its source")
    chosen = _one_of_row(c, x, dim, index)
    return x + lang.where(chosen, c.operand(source), c.array(0))
