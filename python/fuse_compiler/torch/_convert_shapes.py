# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converters of views, movement and what is made from nothing.

VIEWS are the operators whose result shares its input's memory: left outside of a
region they cost nothing, so a region never ends with one.
"""

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
        "diagonal.default",
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


@converter(overload("diagonal.default"), overload("diagonal_copy.default"))
def _diagonal(c, x, offset=0, dim1=0, dim2=1):
    """Elements that lie a row and one more apart."""
    first, second = dim1 % x.ndim, dim2 % x.ndim
    rest = [axis for axis in range(x.ndim) if axis not in (first, second)]
    x = lang.transpose(x, [*rest, first, second])
    rows, columns = x.shape[-2:]
    if not isinstance(rows, int) or not isinstance(columns, int):
        raise Unsupported("the diagonal of dynamic dims")
    flat = lang.reshape(x, (*x.shape[:-2], rows * columns))
    begin = offset if offset >= 0 else -offset * columns
    last = begin + (c.shape[-1] - 1) * (columns + 1)
    return lang.slice(flat, flat.ndim - 1, begin, last + 1, columns + 1)


@converter(overload("t.default"))
def _t(c, x):
    return lang.transpose(x)


@converter(overload("expand.default"))
def _expand(c, x, shape, implicit=False):
    return lang.broadcast_to(x, c.shape)


@converter(overload("repeat.default"))
def _repeat(c, x, repeats):
    more = len(repeats) - x.ndim
    sizes = (*[1] * more, *x.shape)
    split = [d for size in sizes for d in (1, size)]
    wide = [d for pair in zip(repeats, sizes) for d in pair]
    return lang.reshape(lang.broadcast_to(lang.reshape(x, split), wide), c.shape)


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
    axis = dim % x.ndim
    try:
        axis, first, last = _bounds(x, axis, start, end)
        return lang.slice(x, axis, first, last, step)
    except Unsupported:
        first = _dynamic_start(c, x.shape[axis], c.shape[axis], start, end, step)
    return lang.dynamic_slice(x, first, c.shape[axis], axis)


def _dynamic_start(c, size, length, start, end, step):
    """Where a slice begins, as an array of rank 0; its length proves that nothing is clamped."""
    first = _place(size, 0 if start is None else start)
    whole = end is None or isinstance(end, int) and end >= 2**62
    last = size if whole else _place(size, end)
    if step != 1 or first is None or last is None or last - first != length:
        raise Unsupported(f"a slice of {length} from {start} to {end} of {size}")
    return c.array(first, "i64")


def _place(size, index):
    """An index from the front, or None where its sign is unknown."""
    if isinstance(index, int):
        return index if index >= 0 else size + index
    if isinstance(size - index, int):
        # So many from the end, where torch has found an element.
        return index
    signs = {coefficient > 0 for _, coefficient in index.terms}
    return (index if True in signs else size + index) if len(signs) == 1 else None


@converter(overload("select.int"))
def _select(c, x, dim, index):
    axis, size = dim % x.ndim, x.shape[dim % x.ndim]
    place = _place(size, index)
    if isinstance(place, Dim):
        part = lang.dynamic_slice(x, c.array(place, "i64"), 1, axis)
    elif place is None:
        raise Unsupported(f"the index {index} into {size}, whose sign is unknown")
    else:
        part = lang.slice(x, axis, place, place + 1)
    return lang.squeeze(part, [axis])


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
    axis, length = dim % len(sizes), gradient.shape[dim % len(sizes)]
    size = c.shape[axis]
    if any(isinstance(d, Dim) for d in (size, start, end)):
        return _into_zeros(
            c, gradient, axis, _dynamic_start(c, size, length, start, end, step)
        )
    start = _from_front(start, size, 0)
    if step != 1:
        gradient = _spread(gradient, axis, step)
        length = min(length * step, size - start)
        gradient = lang.slice(gradient, axis, 0, length)
    return _padded(gradient, axis, start, size - start - length)


def _spread(x, axis, step):
    """With step - 1 zeros behind each element along an axis."""
    apart = lang.expand_dims(x, axis + 1)
    apart = _padded(apart, axis + 1, 0, step - 1)
    shape = (*x.shape[:axis], x.shape[axis] * step, *x.shape[axis + 1 :])
    return lang.reshape(apart, shape)


def _into_zeros(c, part, axis, start):
    zeros = lang.full(c.builder, c.shape, 0, c.dtype)
    return lang.dynamic_update_slice(zeros, part, start, axis)


@converter(overload("select_backward.default"))
def _select_backward(c, gradient, sizes, dim, index):
    axis = dim % len(sizes)
    size = c.shape[axis]
    gradient = lang.expand_dims(gradient, axis)
    place = _place(size, index)
    if place is None:
        raise Unsupported(f"the index {index} into {size}, whose sign is unknown")
    if any(isinstance(d, Dim) for d in (size, place)):
        return _into_zeros(c, gradient, axis, c.array(place, "i64"))
    return _padded(gradient, axis, place, size - place - 1)


@converter(overload("roll.default"))
def _roll(c, x, shifts, dims=()):
    if not dims:
        flat = lang.reshape(x, (-1,))
        return lang.reshape(_rolled(flat, 0, shifts[0]), x.shape)
    for shift, axis in zip(shifts, dims):
        x = _rolled(x, axis % x.ndim, shift)
    return x


def _rolled(x, axis, shift):
    size = x.shape[axis]
    if not isinstance(size, int) or not isinstance(shift, int):
        raise Unsupported(f"a rotation by {shift} of {size}")
    first = -shift % size
    if not first:
        return x
    return lang.concat(
        [lang.slice(x, axis, first, size), lang.slice(x, axis, 0, first)], axis
    )


def _padded(x, axis, before, after):
    low, high = [0] * x.ndim, [0] * x.ndim
    low[axis], high[axis] = before, after
    return lang.pad(x, low, high)


@converter(overload("slice_scatter.default"))
def _slice_scatter(c, x, source, dim=0, start=None, end=None, step=1):
    axis = dim % x.ndim
    if step != 1:
        raise Unsupported("a slice with steps that is replaced")
    if any(isinstance(d, Dim) for d in (x.shape[axis], start, end)):
        first = _dynamic_start(c, x.shape[axis], source.shape[axis], start, end, step)
        return lang.dynamic_update_slice(x, c.array(source), first, axis)
    axis, start, end = _bounds(x, dim, start, end)
    parts = [lang.slice(x, axis, 0, start), c.array(source), lang.slice(x, axis, end)]
    return lang.concat([p for p in parts if p.shape[axis] != 0], axis)


@converter(overload("flip.default"))
def _flip(c, x, dims):
    return lang.flip(x, dims)


@converter(
    overload("full.default"),
    overload("full_like.default"),
    overload("new_full.default"),
)
def _full(c, *args, **_):
    value = args[-1]
    if isinstance(value, Dim):
        return lang.broadcast_to(c.array(value), c.shape)
    return lang.full(c.builder, c.shape, value, c.dtype)


def _constant(names, value):
    @converter(*(overload(f"{n}.default") for n in names.split()))
    def convert(c, *_, **__):
        return lang.full(c.builder, c.shape, value, c.dtype)


_constant("zeros zeros_like new_zeros", 0)
# Whatever their elements are, nobody may rely on it.
_constant("new_empty empty_like", 0)
_constant("ones ones_like new_ones", 1)


@converter(overload("scalar_tensor.default"))
def _scalar(c, value, **_):
    return c.array(value)


@converter(
    overload("arange.default"), overload("arange.start"), overload("arange.start_step")
)
def _arange(c, *numbers, **_):
    start = numbers[0] if len(numbers) > 1 else 0
    return _progression(c, start, numbers[2] if len(numbers) > 2 else 1)


@converter(getattr(torch.ops.prims.iota, "default", None))
def _iota(c, length, start, step, **_):
    return _progression(c, start, step)


def _whole(x):
    return int(x) if isinstance(x, float) and x.is_integer() else x


def _progression(c, start, step):
    start, step = map(_whole, (start, step))
    if not all(isinstance(x, (int, Dim)) for x in (start, step)):
        raise Unsupported("a range of fractions")
    dtype = c.dtype if c.dtype in ("i32", "i64") else "i64"
    numbers = lang.iota(c.builder, c.shape, 0, dtype)
    numbers = numbers if step == 1 else numbers * c.operand(step, dtype)
    numbers = numbers if start == 0 else numbers + c.operand(start, dtype)
    return numbers if dtype == c.dtype else lang.cast(numbers, c.dtype)


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
