# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order of elements along an axis: scans, the largest k, sorting, choices of each line.

Ops work along the last axis; another one is transposed there and back.
"""

from fuse_compiler.lang._builder import Array, Unsupported
from fuse_compiler.lang._pointwise import cast, compare, logical_and, logical_or, where
from fuse_compiler.lang._reduce import sum_
from fuse_compiler.lang._shapes import (
    expand_dims,
    iota,
    normalized,
    transpose,
)
from fuse_compiler.lang._types import FLOATS, tensor_type

_NUMBERS = (*FLOATS, "i32", "i64")
# The most elements that fuse.top_k finds, and of a line that is sorted by ranks.
_MOST_FOUND, _MOST_RANKED = 64, 1024


def _last(x, axis):
    """The array with an axis last, and the axes that bring it back."""
    axis = normalized(axis, x.ndim)
    there = [a for a in range(x.ndim) if a != axis] + [axis]
    return transpose(x, there), [there.index(a) for a in range(x.ndim)]


def _check(op, x):
    if x.dtype not in _NUMBERS or x.ndim == 0:
        raise Unsupported(
            f"expected {op} of {', '.join(_NUMBERS)} along an axis, but got {x}; use astype()"
        )


def _scan(kind, doc):
    def apply(x, axis=-1, exclusive=False, reverse=False):
        _check(kind, x)
        moved, back = _last(x, axis)
        moved = x.builder.materialize(moved)
        words = " exclusive" * exclusive + " reverse" * reverse
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
    """The k largest elements along an axis, the largest first, and their places as i64.

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
    """The places, as i64, of the elements along an axis in ascending order; stable.

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
    # The place whose element has each rank.
    place = iota(x.builder, (size,), 0, "i64")
    is_here = compare("eq", expand_dims(ranks, -1), place)
    places = iota(x.builder, (size, 1), 0, "i64")
    zero = x.builder.constant(0, "i64")
    found = where(is_here, places, zero)
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
    place = iota(x.builder, (size, 1), 0, "i32")
    earlier = compare("lt", iota(x.builder, (size,), 0, "i32"), place)
    before = logical_or(before, logical_and(equal, earlier))
    return cast(sum_(cast(before, "i32"), -1), "i64")


def sort(x, axis=-1, descending=False):
    """The elements along an axis in ascending order, and the places where they were."""
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
            f"expected ids of the sizes of {table} but for axis {axis}, but got {ids}; slice or "
            "broadcast the table"
        )
    table, ids = builder.materialize(table), builder.materialize(ids)
    return builder.emit(
        f"fuse.take_along {table.name}, {ids.name} dim = {axis} : {table.type}, {ids.type} -> "
        f"{tensor_type(shape, table.dtype)}",
        shape,
        table.dtype,
    )
