# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converters of views, movement and what is made from nothing.

VIEWS are the operators whose result shares its input's memory: left outside of a
region they cost nothing, so a region never ends with one.
"""

import math

import torch

from fuse_compiler import lang
from fuse_compiler.lang import Dim, Unsupported
from fuse_compiler.torch._convert import converter, overload

VIEWS = {
    overload(name)
    for name in (
        "view.default",
        "_unsafe_view.default",
        "reshape.default",
        "permute.default",
        "transpose.int",
        "t.default",
        "unsqueeze.default",
        "squeeze.default",
        "squeeze.dim",
        "squeeze.dims",
        "expand.default",
        "slice.Tensor",
        "select.int",
        "alias.default",
        "detach.default",
        "split.Tensor",
        "split_with_sizes.default",
        "unbind.int",
    )
} - {None}


@converter(*(overload(f"{n}.default") for n in ("view", "_unsafe_view", "reshape")))
def _view(c, x, shape):
    return lang.reshape(x, c.shape)


@converter(
    *(
        overload(n)
        for n in ("unsqueeze.default", "squeeze.default", "squeeze.dim", "squeeze.dims")
    )
)
def _unit_dims(c, x, *_):
    return lang.reshape(x, c.shape)


@converter(overload("permute.default"))
def _permute(c, x, dims):
    return lang.transpose(x, dims)


@converter(overload("transpose.int"))
def _transpose(c, x, a, b):
    axes = list(range(x.ndim))
    if axes:
        axes[a], axes[b] = axes[b], axes[a]
    return lang.transpose(x, axes)


@converter(overload("t.default"))
def _t(c, x):
    return lang.transpose(x)


@converter(overload("expand.default"))
def _expand(c, x, shape, implicit=False):
    return lang.broadcast_to(x, c.shape)


@converter(overload("copy.default"))
def _copy(c, into, source, non_blocking=False):
    return lang.broadcast_to(c.array(source), c.shape)


def _from_front(index, size, default):
    if index is None:
        return default
    if isinstance(index, Dim) or isinstance(size, Dim):
        if isinstance(index, int) and index >= 2**62:
            return size
        if index == size or isinstance(index, int) and index >= 0:
            return index
        if isinstance(size, Dim) and isinstance(index, int):
            return size + index
        if isinstance(size, Dim) and isinstance(size - index, int):
            return index
        raise Unsupported(f"a slice of the dynamic dim {size} at {index}")
    return min(max(index + size if index < 0 else index, 0), size)


def _bounds(x, axis, start, end):
    axis = axis % x.ndim
    size = x.shape[axis]
    start = _from_front(start, size, 0)
    if isinstance(start, Dim):
        raise Unsupported(f"a slice from the dynamic index {start}")
    return axis, start, _from_front(end, size, size)


@converter(overload("slice.Tensor"))
def _slice(c, x, dim=0, start=None, end=None, step=1):
    axis, start, end = _bounds(x, dim, start, end)
    return lang.slice(x, axis, start, end, step)


@converter(overload("select.int"))
def _select(c, x, dim, index):
    axis, size = dim % x.ndim, x.shape[dim % x.ndim]
    if isinstance(size, Dim) or isinstance(index, Dim):
        raise Unsupported(f"an index into the dynamic dim {size}")
    start = index % size
    return lang.squeeze(lang.slice(x, axis, start, start + 1), [axis])


def _pieces(x, axis, sizes):
    start, result = 0, []
    for size in sizes:
        result.append(lang.slice(x, axis, start, start + size))
        start += size
    return tuple(result)


@converter(overload("split.Tensor"), overload("split_with_sizes.default"))
def _split(c, x, size, dim=0):
    axis = dim % x.ndim
    total = x.shape[axis]
    if isinstance(total, Dim):
        raise Unsupported(f"a split of the dynamic dim {total}")
    if not isinstance(size, list):
        size = [min(size, total - i) for i in range(0, total, size)]
    return _pieces(x, axis, size)


@converter(overload("unbind.int"))
def _unbind(c, x, dim=0):
    axis = dim % x.ndim
    if isinstance(x.shape[axis], Dim):
        raise Unsupported(f"a split of the dynamic dim {x.shape[axis]}")
    pieces = _pieces(x, axis, [1] * x.shape[axis])
    return tuple(lang.squeeze(p, [axis]) for p in pieces)


@converter(overload("cat.default"))
def _cat(c, tensors, dim=0):
    return lang.concat([c.array(x) for x in tensors], dim)


@converter(overload("stack.default"))
def _stack(c, tensors, dim=0):
    axis = dim % len(c.shape)
    return lang.concat([lang.expand_dims(c.array(x), axis) for x in tensors], axis)


@converter(overload("constant_pad_nd.default"))
def _pad(c, x, pads, value=0):
    if any(isinstance(p, Dim) or p < 0 for p in pads):
        raise Unsupported("a pad by dynamic or negative numbers")
    low, high = [0] * x.ndim, [0] * x.ndim
    for i in range(len(pads) // 2):
        low[-1 - i], high[-1 - i] = pads[2 * i], pads[2 * i + 1]
    return lang.pad(x, low, high, value)


@converter(overload("slice_backward.default"))
def _slice_backward(c, gradient, sizes, dim, start, end, step):
    axis = dim % len(sizes)
    size = c.shape[axis]
    if step != 1 or isinstance(size, Dim):
        raise Unsupported("the gradient of a slice with steps or of a dynamic dim")
    start, end = _from_front(start, size, 0), _from_front(end, size, size)
    return _padded(gradient, axis, start, size - max(end, start))


@converter(overload("select_backward.default"))
def _select_backward(c, gradient, sizes, dim, index):
    axis = dim % len(sizes)
    size = c.shape[axis]
    if isinstance(size, Dim) or isinstance(index, Dim):
        raise Unsupported(f"the gradient of an index into the dynamic dim {size}")
    index %= size
    return _padded(lang.expand_dims(gradient, axis), axis, index, size - index - 1)


def _padded(x, axis, before, after):
    low, high = [0] * x.ndim, [0] * x.ndim
    low[axis], high[axis] = before, after
    return lang.pad(x, low, high)


@converter(overload("slice_scatter.default"))
def _slice_scatter(c, x, source, dim=0, start=None, end=None, step=1):
    if isinstance(x.shape[dim % x.ndim], Dim) or step != 1:
        raise Unsupported("a slice with steps or of a dynamic dim that is replaced")
    axis, start, end = _bounds(x, dim, start, end)
    parts = [lang.slice(x, axis, 0, start), c.array(source), lang.slice(x, axis, end)]
    return lang.concat([p for p in parts if p.shape[axis] != 0], axis)


@converter(overload("flip.default"))
def _flip(c, x, dims):
    return lang.flip(x, dims)


@converter(overload("embedding.default"))
def _embedding(c, weight, ids, *_, **__):
    return lang.take(weight, ids, 0)


@converter(overload("index_select.default"))
def _index_select(c, x, dim, ids):
    return lang.take(x, ids, dim)


@converter(overload("index.Tensor"))
def _index(c, x, indices):
    given = [(axis, i) for axis, i in enumerate(indices) if i is not None]
    if any(i.dtype not in ("i32", "i64") for _, i in given):
        raise Unsupported("a mask to index with")
    axes = [axis for axis, _ in given]
    if axes != list(range(axes[0], axes[-1] + 1)):
        raise Unsupported("indices of dims that do not follow each other")
    sizes = [x.shape[axis] for axis in axes]
    if any(isinstance(size, Dim) for size in sizes):
        raise Unsupported("indices into a dynamic dim, which may be negative")
    # Of all elements along these axes the number of each, in row-major order.
    number = None
    for size, (_, ids) in zip(sizes, given):
        ids = lang.cast(ids, "i64")
        ids = lang.where(ids < 0, ids + size, ids)
        number = ids if number is None else number * size + ids
    joined = (*x.shape[: axes[0]], math.prod(sizes), *x.shape[axes[-1] + 1 :])
    return lang.take(lang.reshape(x, joined), number, axes[0])


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
    return lang.sum(chosen, dim, keepdims=True)


@converter(overload("scatter.value"), overload("scatter.src"))
def _scatter(c, x, dim, index, value):
    rows = [1 if i == dim % x.ndim else d for i, d in enumerate(x.shape)]
    if list(index.shape) != rows:
        values = lang.broadcast_to(c.array(value), index.shape)
        return lang.put_along_axis(x, index, values, dim)
    chosen = _one_of_row(c, x, dim, index)
    return lang.where(chosen, c.operand(value), x)


@converter(
    overload("full.default"),
    overload("full_like.default"),
    overload("new_full.default"),
)
def _full(c, *args, **_):
    value = args[-1]
    if isinstance(value, Dim):
        raise Unsupported("a size as a value")
    return lang.full(c.builder, c.shape, value, c.dtype)


def _constant(names, value):
    @converter(*(overload(f"{n}.default") for n in names.split()))
    def convert(c, *_, **__):
        return lang.full(c.builder, c.shape, value, c.dtype)


_constant("zeros zeros_like new_zeros", 0)
_constant("ones ones_like new_ones", 1)


@converter(overload("scalar_tensor.default"))
def _scalar(c, value, **_):
    if isinstance(value, Dim):
        raise Unsupported("a size as a value")
    return c.builder.constant(value, c.dtype)


@converter(
    overload("arange.default"), overload("arange.start"), overload("arange.start_step")
)
def _arange(c, *numbers, **_):
    start = numbers[0] if len(numbers) > 1 else 0
    return _progression(c, start, numbers[2] if len(numbers) > 2 else 1)


@converter(getattr(torch.ops.prims.iota, "default", None))
def _iota(c, length, start, step, **_):
    return _progression(c, start, step)


def _progression(c, start, step):
    if any(isinstance(x, Dim) for x in (start, step)):
        raise Unsupported("a range that starts at a size")
    if not all(isinstance(x, int) for x in (start, step)) or c.dtype not in (
        "i32",
        "i64",
    ):
        raise Unsupported("a range of floats")
    numbers = lang.iota(c.builder, c.shape, 0, c.dtype)
    numbers = numbers * step if step != 1 else numbers
    return numbers + start if start else numbers


@converter(overload("tril.default"), overload("triu.default"))
def _triangle(c, x, diagonal=0):
    rank = x.ndim
    rows = [d if i == rank - 2 else 1 for i, d in enumerate(x.shape)]
    columns = [d if i == rank - 1 else 1 for i, d in enumerate(x.shape)]
    row = lang.iota(c.builder, rows, rank - 2, "i64") + diagonal
    column = lang.iota(c.builder, columns, rank - 1, "i64")
    lower = "tril" in c.node.target.overloadpacket.__name__
    kept = lang.compare("le" if lower else "ge", column, row)
    zero = c.array(0)
    return lang.where(kept, x, zero)
