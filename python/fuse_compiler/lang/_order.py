# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order of elements along an axis: scans, the largest k, sorting, choices of each line.

Scans walk any axis. Other ops work along the last one; another is transposed there and back.
"""

from fuse_compiler.lang._builder import Array, Unsupported
from fuse_compiler.lang._dims import product
from fuse_compiler.lang._pointwise import (
    add,
    cast,
    compare,
    logical_and,
    logical_or,
    mul,
    where,
)
from fuse_compiler.lang._reduce import sum_
from fuse_compiler.lang._shapes import (
    expand_dims,
    iota,
    normalized,
    reshape,
    take,
    transpose,
)
from fuse_compiler.lang._types import FLOATS, INTEGERS, tensor_type

_NUMBERS = (*FLOATS, *INTEGERS)
# The most elements that fuse.top_k finds, and of a line that is sorted by ranks.
_MOST_FOUND, _MOST_RANKED = 64, 1024


def _last(x, axis):
    """The array with an axis last, and the axes that bring it back."""
    axis = normalized(axis, x.ndim)
    there = [a for a in range(x.ndim) if a != axis] + [axis]
    return transpose(x, there), [there.index(a) for a in range(x.ndim)]


def _is_row(x, axis):
    """Whether what lies along an axis lies side by side: behind it are only ones, or it is
    the last one of what x transposes."""
    if product(x.shape[axis + 1 :]) == 1:
        return True
    if not x.source or x.source[0] != "transpose":
        return False
    return x.source[2][axis] == x.ndim - 1


def _check(op, x):
    if x.dtype not in _NUMBERS or x.ndim == 0:
        raise Unsupported(
            f"expected {op} of {', '.join(_NUMBERS)} along an axis, but got {x}; use astype()"
        )


def _scan(kind, doc):
    def apply(x, axis=-1, exclusive=False, reverse=False):
        _check(kind, x)
        axis = normalized(axis, x.ndim)
        is_row = _is_row(x, axis)
        moved, back = _last(x, axis) if is_row else (x, range(x.ndim))
        moved = x.builder.materialize(moved)
        words = "" if is_row else f" dim = {axis}"
        words += " exclusive" * exclusive + " reverse" * reverse
        result = x.builder.emit(
            f"fuse.scan {kind} {moved.name}{words} : {moved.type}", moved.shape, x.dtype
        )
        return transpose(result, back)

    apply.__name__ = apply.__qualname__ = f"cum{kind}"
    apply.__doc__ = f"""{doc} of all elements up to each along an axis.

    exclusive  of those before it
    reverse    from the axis's end
    """
    return apply


cumsum = _scan("sum", "The sum")
cumprod = _scan("prod", "The product")
cummax = _scan("max", "The largest")
cummin = _scan("min", "The smallest")


def top_k(x, k, axis=-1, largest=True):
    """The k largest elements along an axis, the largest first, and their indices as i64.

    Of equal ones the first come first. NaN is larger than all others. k is 64 at most.
    """
    _check("top_k", x)
    moved, back = _last(x, axis)
    moved = x.builder.materialize(moved)
    size = moved.shape[-1]
    if not 1 <= k <= _MOST_FOUND or (isinstance(size, int) and k > size):
        raise Unsupported(
            f"expected k from 1 to {_MOST_FOUND} and at most the {size} elements of a line, but "
            f"got {k}; ask for fewer"
        )
    shape = (*moved.shape[:-1], k)
    word = "" if largest else " smallest"
    values, ids = x.builder.emit_all(
        f"fuse.top_k {moved.name} k = {k}{word} : {moved.type} -> "
        f"{tensor_type(shape, x.dtype)}, {tensor_type(shape, 'i64')}",
        [(shape, x.dtype), (shape, "i64")],
    )
    return transpose(values, back), transpose(ids, back)


def argsort(x, axis=-1, descending=False):
    """The indices, as i64, that put the elements along an axis in ascending order; stable.

    NaN comes last, and first where it is descending. Lines are of static size: up to 64
    elements are found one after the other, up to 1024 by counting what comes before each.
    """
    _check("argsort", x)
    size = x.shape[normalized(axis, x.ndim)]
    if not isinstance(size, int) or size > _MOST_RANKED:
        raise Unsupported(
            f"expected lines of a static size up to {_MOST_RANKED}, but got {size}; sort outside"
        )
    if size <= _MOST_FOUND:
        return top_k(x, size, axis, largest=descending)[1]
    moved, back = _last(x, axis)
    ranks = _ranks(moved, size, descending)
    # The index of the element that has each rank.
    rank = iota(x.builder, (size,), 0, "i64")
    is_here = compare("eq", expand_dims(ranks, -1), rank)
    indices = iota(x.builder, (size, 1), 0, "i64")
    zero = x.builder.constant(0, "i64")
    found = where(is_here, indices, zero)
    return transpose(sum_(found, -2), back)


def _ranks(x, size, descending):
    """How many elements of its line come before each."""
    own, other = expand_dims(x, -1), expand_dims(x, -2)
    before = compare("gt" if descending else "lt", other, own)
    equal = compare("eq", other, own)
    if x.dtype in FLOATS:
        own_nan, other_nan = compare("ne", own, own), compare("ne", other, other)
        # Against a number NaN is larger.
        first, second = (other_nan, own_nan) if descending else (own_nan, other_nan)
        before = logical_or(before, logical_and(first, ~second))
        equal = logical_or(equal, logical_and(own_nan, other_nan))
    index = iota(x.builder, (size, 1), 0, "i32")
    earlier = compare("lt", iota(x.builder, (size,), 0, "i32"), index)
    before = logical_or(before, logical_and(equal, earlier))
    return cast(sum_(cast(before, "i32"), -1), "i64")


def sort(x, axis=-1, descending=False):
    """The elements along an axis in ascending order, and the indices that they had."""
    size = x.shape[normalized(axis, x.ndim)] if x.ndim else 0
    if isinstance(size, int) and 0 < size <= _MOST_FOUND:
        return top_k(x, size, axis, largest=descending)
    ids = argsort(x, axis, descending)
    return take_along_axis(x, ids, axis), ids


def take_along_axis(table, ids, axis):
    """Elements of each line along an axis, chosen by ids of i32 or i64.

    The other sizes are equal. An id out of range gives NaN, 0 or false.
    """
    axis = normalized(axis, table.ndim)
    if not isinstance(ids, Array) or ids.ndim != table.ndim:
        raise Unsupported(
            f"expected ids of rank {table.ndim}, as the table, but got {ids}; reshape them"
        )
    builder = table.builder
    shape = tuple(
        i if a == axis else t for a, (t, i) in enumerate(zip(table.shape, ids.shape))
    )
    if shape != ids.shape:
        raise Unsupported(
            f"expected ids of the sizes of {table} except along axis {axis}, but got {ids}; slice or "
            "broadcast the table"
        )
    table, ids = builder.materialize(table), builder.materialize(ids)
    return builder.emit(
        f"fuse.take_along {table.name}, {ids.name} dim = {axis} : {table.type}, {ids.type} -> "
        f"{tensor_type(shape, table.dtype)}",
        shape,
        table.dtype,
    )


def put_along_axis(into, ids, values, axis):
    """`into` with elements of each line along an axis, chosen by ids, replaced by `values`.

    ids and values have one shape, with the sizes of `into` except along the axis, which is static.
    Values whose id is out of range are dropped; where ids are equal any of their values may remain.
    """
    axis = normalized(axis, into.ndim)
    builder = into.builder
    moved, back = _last(into, axis)
    ids, values = _last(cast(ids, "i64"), axis)[0], _last(values, axis)[0]
    size = moved.shape[-1]
    if (
        not isinstance(size, int)
        or ids.shape != values.shape
        or ids.shape[:-1] != moved.shape[:-1]
    ):
        raise Unsupported(
            f"expected lines of a static size, and ids and values of their number, but got "
            f"{into}, {ids} and {values}; slice or broadcast them"
        )
    rows = product(moved.shape[:-1])
    flat = builder.materialize(reshape(moved, (rows * size,)))
    ids = reshape(ids, (rows, ids.shape[-1]))
    # Where the line begins among all elements.
    first = expand_dims(iota(builder, (rows,), 0, "i64"), -1)
    inside = logical_and(compare("ge", ids, 0), compare("lt", ids, size))
    flat_ids = builder.materialize(where(inside, add(ids, mul(first, size)), -1))
    values = builder.materialize(reshape(values, flat_ids.shape))
    result = builder.emit(
        f"fuse.scatter {flat.name}, {flat_ids.name}, {values.name} dim = 0 : {flat.type}, "
        f"{flat_ids.type}, {values.type} -> {flat.type}",
        flat.shape,
        flat.dtype,
    )
    return transpose(reshape(result, moved.shape), back)


def segment_sum(x, offsets):
    """Sums of runs of rows: result[i] is x[offsets[i]] + .. + x[offsets[i + 1] - 1], added up
    in this order; offsets, of i32 or i64, are one more than the runs.
    """
    if offsets.ndim != 1 or x.ndim == 0 or x.dtype not in _NUMBERS:
        raise Unsupported(
            f"expected rows of numbers and offsets of rank 1, but got {x} and {offsets}; reshape "
            "them"
        )
    x, offsets = x.builder.materialize(x), x.builder.materialize(offsets)
    shape = (offsets.shape[0] - 1, *x.shape[1:])
    return x.builder.emit(
        f"fuse.segment_sum {x.name}, {offsets.name} : {x.type}, {offsets.type} -> "
        f"{tensor_type(shape, x.dtype)}",
        shape,
        x.dtype,
    )


def scatter_add(into, ids, updates):
    """The rows of `into`, with each row of `updates` added to the row that its id names.

    Rows of one id are added up in their order, so that results are the same in every run; rows
    whose id is out of range are dropped. The time grows with the square of the number of ids, and
    with its product with that of the rows: for some ten thousand ids, as a batch has tokens.
    """
    rows = into.shape[0] if into.ndim else None
    if (
        not isinstance(rows, int)
        or updates.shape != (*ids.shape, *into.shape[1:])
        or ids.ndim == 0
    ):
        raise Unsupported(
            f"expected a static number of rows, and a row of updates for each id, but got {into}, "
            f"{ids} and {updates}; reshape them"
        )
    builder = into.builder
    count = product(ids.shape)
    ids = cast(builder.materialize(reshape(ids, (count,))), "i64")
    updates = reshape(updates, (count, *into.shape[1:]))
    # Where each row goes if the rows are sorted by their ids, and the rows in that order.
    ranks = builder.materialize(_ranks(ids, count, descending=False))
    numbers = builder.materialize(iota(builder, (count,), 0, "i64"))
    order = builder.emit(
        f"fuse.scatter {numbers.name}, {ranks.name}, {numbers.name} dim = 0 : {numbers.type}, "
        f"{ranks.type}, {numbers.type} -> {numbers.type}",
        numbers.shape,
        "i64",
    )
    ends = iota(builder, (rows + 1, 1), 0, "i64")
    offsets = sum_(cast(compare("lt", ids, ends), "i32"), -1)
    return add(into, segment_sum(take(updates, order), offsets))
