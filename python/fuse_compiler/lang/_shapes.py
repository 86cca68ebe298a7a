# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes and movement: reshape, transpose, slices, concatenation, gather."""

from fuse_compiler.lang._builder import Array, Unsupported, infer_size, reshape_groups
from fuse_compiler.lang._dims import Dim
from fuse_compiler.lang._types import is_float, literal, tensor_type


def normalized(axis, rank):
    """An axis counted from the front; an error if there is none."""
    if not -rank <= axis < max(rank, 1):
        raise Unsupported(
            f"expected an axis from {-rank} to {rank - 1}, but got {axis}; choose one"
        )
    return axis % max(rank, 1)


def reshape(x, shape):
    """The elements in row-major order in another shape, of which one size may be -1."""
    shape = infer_size(x.shape, shape)
    if shape == x.shape:
        return x
    if x.source and x.source[0] == "reshape":
        # What was joined and is split again, or the reverse.
        return reshape(x.source[1], shape)
    groups = reshape_groups(x.shape, shape)
    stored = _stored_after(x, groups, shape)
    if stored is None:
        return reshape(x.builder.materialize(x), shape)
    return _regroup(x, groups, stored).with_shape(shape, stored)


def _stored_after(x, groups, shape):
    """What is stored after a reshape, or None where repetitions have to be written down."""
    stored = []
    for old, new in groups:
        if all(x.stored[i] == x.shape[i] for i in old):
            stored += [shape[j] for j in new]
        elif all(x.stored[i] == 1 for i in old):
            # No array tells a size that is computed of several.
            known = [x.shape[i] for i in old]
            if any(isinstance(shape[j], Dim) and shape[j] not in known for j in new):
                return None
            stored += [1] * len(new)
        else:
            return None
    return stored


def _regroup(x, groups, stored):
    joined = [[x.stored[i] for i in old] for old, _ in groups]
    split = [[stored[j] for j in new] for _, new in groups]
    if any(not part for part in (*joined, *split)):
        # To or from rank 0.
        return (
            _expand(_collapse(x, joined, []), split, [])
            if joined[0]
            else _expand(x, split, [])
        )
    same = [a if a == b else None for a, b in zip(joined, split)]
    middle = [a or [_product(b)] for a, b in zip(same, joined)]
    if middle != joined:
        x = _collapse(x, _parts(joined, same), sum(middle, []))
    if middle != split:
        x = _expand(x, _parts(split, same), sum(split, []))
    return x


def _product(dims):
    result = 1
    for dim in dims:
        result = dim * result
    return result


def _parts(groups, same):
    """The groups, where one that stays as it is becomes groups of single dims."""
    return [
        part
        for group, kept in zip(groups, same)
        for part in ([[d] for d in kept] if kept else [group])
    ]


def _reassociation(groups):
    start, parts = 0, []
    for group in groups:
        parts.append("[" + ", ".join(str(start + i) for i in range(len(group))) + "]")
        start += len(group)
    return "[" + ", ".join(parts) + "]"


def _source(x, op):
    """What a reshape of a reshape starts from: with nothing repeated only."""
    return (op, x) if x.stored == x.shape else None


def _collapse(x, groups, shape):
    text = "[]" if not shape else _reassociation(groups)
    return x.builder.emit(
        f"tensor.collapse_shape {x.name} {text} : {x.type} into {tensor_type(shape, x.dtype)}",
        shape,
        x.dtype,
        source=_source(x, "reshape"),
    )


def _expand(x, groups, shape):
    shape = shape or sum(groups, [])
    if not shape:
        return x
    text = "[]" if not x.stored else _reassociation(groups)
    sizes = ", ".join(
        x.builder.dim_value(d) if isinstance(d, Dim) else str(d) for d in shape
    )
    return x.builder.emit(
        f"tensor.expand_shape {x.name} {text} output_shape [{sizes}] : {x.type} into "
        f"{tensor_type(shape, x.dtype)}",
        shape,
        x.dtype,
        source=_source(x, "reshape"),
    )


def transpose(x, axes=None):
    """The dims in another order: dim i of the result is dim axes[i]; None reverses them."""
    axes = tuple(axes) if axes is not None else tuple(range(x.ndim))[::-1]
    axes = tuple(normalized(a, x.ndim) for a in axes)
    if sorted(axes) != list(range(x.ndim)):
        raise Unsupported(
            f"expected each of {x.ndim} axes once, but got {axes}; name all of them"
        )
    if axes == tuple(range(x.ndim)):
        return x
    if x.source and x.source[0] == "transpose":
        # One permutation after another is one, and often none.
        _, base, before = x.source
        return transpose(base, [before[a] for a in axes])
    shape, stored = [x.shape[a] for a in axes], [x.stored[a] for a in axes]
    numbers = ", ".join(map(str, axes))
    return x.builder.emit(
        f"fuse.transpose {x.name} permutation = [{numbers}] : {x.type} -> "
        f"{tensor_type(stored, x.dtype)}",
        stored,
        x.dtype,
        source=("transpose", x, axes),
    ).with_shape(shape, stored)


def expand_dims(x, axis):
    """A dim of size 1 more, at `axis` of the result, or at each of several."""
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    rank = x.ndim + len(axes)
    places = {normalized(a, rank) for a in axes}
    if len(places) != len(axes):
        raise Unsupported(f"expected different axes, but got {axes}; name each once")
    sizes = iter(x.shape)
    return reshape(x, [1 if i in places else next(sizes) for i in range(rank)])


def squeeze(x, axes):
    """Without some dims, which must be 1."""
    axes = {normalized(a, x.ndim) for a in axes}
    return reshape(x, [d for i, d in enumerate(x.shape) if i not in axes])


def broadcast_to(x, shape):
    """The array repeated along dims of size 1; more dims come first."""
    shape, more = tuple(shape), len(shape) - x.ndim
    base = reshape(x, (1,) * more + x.shape) if more else x
    for have, want in zip(base.shape, shape):
        if have not in (1, want):
            raise Unsupported(
                f"expected sizes of 1 or {want} to repeat, but got {have}; reshape it"
            )
    return base.with_shape(shape, base.stored)


def slice_(x, axis, start=0, stop=None, step=1):
    """Every step-th element along an axis; indices count from the front.

    Of a dynamic dim the slice reaches up to its end, or leaves out as many of its last
    elements as a negative `stop` says.
    """
    axis = normalized(axis, x.ndim)
    size = x.shape[axis]
    left_out = 0
    if not isinstance(size, int):
        left_out = _left_out(stop, size)
    if isinstance(size, int):
        stop = size if stop is None else min(stop, size)
        start = min(start, stop)
        length = -(-(stop - start) // step)
    else:
        if step != 1:
            raise Unsupported(
                f"expected step 1 along the dynamic dim {size}; slice it outside"
            )
        length = size - (start + left_out)
    if length == size:
        return x
    shape = (*x.shape[:axis], length, *x.shape[axis + 1 :])
    if x.stored[axis] == 1:
        return x.with_shape(shape, x.stored)
    stored = (*x.stored[:axis], length, *x.stored[axis + 1 :])
    offsets = ", ".join(str(start if i == axis else 0) for i in range(x.ndim))
    sizes = ", ".join(
        str(d) if isinstance(d, int) else str(-1 - left_out if i == axis else -1)
        for i, d in enumerate(stored)
    )
    steps = ", ".join(str(step if i == axis else 1) for i in range(x.ndim))
    return x.builder.emit(
        f"fuse.slice {x.name} offsets = [{offsets}] sizes = [{sizes}] steps = [{steps}] : "
        f"{x.type} -> {tensor_type(stored, x.dtype)}",
        stored,
        x.dtype,
    ).with_shape(shape, stored)


def _checked_start(start):
    if not isinstance(start, Array) or start.ndim or start.dtype not in ("i32", "i64"):
        raise Unsupported(
            f"expected a start of i32 or i64 and rank 0, but got {start}; use slice() for numbers, "
            "and astype() and reshape() for arrays"
        )
    return start.builder.materialize(start)


def dynamic_slice(x, start, size, axis=0):
    """x[start : start + size] along an axis, where `start` is an array of rank 0.

    Places that the axis does not have give NaN, 0 or false.
    """
    axis, start = normalized(axis, x.ndim), _checked_start(start)
    builder, shape = x.builder, (*x.shape[:axis], size, *x.shape[axis + 1 :])
    x = builder.materialize(x)
    if isinstance(size, int):
        words, like_type = f"size = {size}", ""
    else:
        like = builder.like((size,))
        words, like_type = f"like {like.name}", f", {like.type}"
    return builder.emit(
        f"fuse.dynamic_slice {x.name}, {start.name} dim = {axis} {words} : {x.type}, "
        f"{start.type}{like_type} -> {tensor_type(shape, x.dtype)}",
        shape,
        x.dtype,
    )


def dynamic_update_slice(into, update, start, axis=0):
    """`into` with the elements from `start` on along an axis, an array of rank 0, replaced.

    What would be outside of the axis is dropped.
    """
    axis, start = normalized(axis, into.ndim), _checked_start(start)
    builder, size = into.builder, update.shape[axis]
    steps = builder.materialize(iota(builder, (size,), 0, start.dtype))
    ids = builder.emit(
        f"fuse.add {steps.name}, {start.name} : {steps.type}, {start.type} -> {steps.type}",
        steps.shape,
        start.dtype,
    )
    return put(into, ids, update, axis)


def _left_out(stop, size):
    """How many of the last elements of a dynamic dim a slice to `stop` has not."""
    if stop is None:
        return 0
    left_out = -stop if isinstance(stop, int) else size - stop
    if not isinstance(left_out, int) or left_out < 0 or stop == 0:
        raise Unsupported(
            f"expected a slice up to the end of the dynamic dim {size}, or a number before it, "
            f"but got one to {stop}; slice it outside"
        )
    return left_out


def concat(arrays, axis):
    """Arrays of one type one after the other along an axis."""
    axis = normalized(axis, arrays[0].ndim)
    arrays = [_stored_alike(x, arrays, axis) for x in arrays]
    total = sum((x.shape[axis] for x in arrays[1:]), arrays[0].shape[axis])
    first = arrays[0]
    shape = (*first.shape[:axis], total, *first.shape[axis + 1 :])
    stored = (*first.stored[:axis], total, *first.stored[axis + 1 :])
    names, types = ", ".join(x.name for x in arrays), ", ".join(x.type for x in arrays)
    return first.builder.emit(
        f"fuse.concat {names} dim = {axis} : {types} -> {tensor_type(stored, first.dtype)}",
        stored,
        first.dtype,
    ).with_shape(shape, stored)


def _stored_alike(x, arrays, axis):
    """With repetitions written down, unless all arrays repeat the same dims."""
    others = [i for i in range(x.ndim) if i != axis]
    alike = all(
        [a.stored[i] for i in others] == [x.stored[i] for i in others] for a in arrays
    )
    return x if alike and x.stored[axis] == x.shape[axis] else x.builder.materialize(x)


def pad(x, low, high, value=0):
    """`low` elements of a value before each dim, `high` after it."""
    x = x.builder.materialize(x)
    shape = [d + a + b for d, a, b in zip(x.shape, low, high)]
    number = literal(value, x.dtype)
    if is_float(x.dtype) and number.startswith("0x"):
        number = {"inf": "inf", "-inf": "-inf"}.get(str(float(value)), "nan")
    return x.builder.emit(
        f"fuse.pad {x.name} low = {list(low)} high = {list(high)} value = {number} : {x.type} "
        f"-> {tensor_type(shape, x.dtype)}",
        shape,
        x.dtype,
    )


def flip(x, axes):
    """Elements in the opposite order along some axes."""
    axes = sorted(normalized(a, x.ndim) for a in axes)
    real = [a for a in axes if x.stored[a] != 1]
    if not real:
        return x
    return x.builder.emit(
        f"fuse.reverse {x.name} dims = {real} : {x.type}", x.stored, x.dtype
    ).with_shape(x.shape, x.stored)


def take(table, ids, axis=0):
    """Slices of a table along an axis, chosen by ids of i32 or i64, which may have any rank.

    An id out of range gives NaN, 0 or false.
    """
    axis = normalized(axis, table.ndim)
    builder = table.builder
    table, ids = builder.materialize(table), builder.materialize(ids)
    shape = (*table.shape[:axis], *ids.shape, *table.shape[axis + 1 :])
    return builder.emit(
        f"fuse.gather {table.name}, {ids.name} dim = {axis} : {table.type}, {ids.type} -> "
        f"{tensor_type(shape, table.dtype)}",
        shape,
        table.dtype,
    )


def put(into, ids, updates, axis=0):
    """`into` with slices along an axis, chosen by ids of any rank, replaced by those of `updates`.

    An id out of range drops its slice; of equal ones any may remain.
    """
    axis = normalized(axis, into.ndim)
    builder = into.builder
    into, ids = builder.materialize(into), builder.materialize(ids)
    updates = builder.materialize(updates)
    return builder.emit(
        f"fuse.scatter {into.name}, {ids.name}, {updates.name} dim = {axis} : {into.type}, "
        f"{ids.type}, {updates.type} -> {into.type}",
        into.shape,
        into.dtype,
    )


def iota(builder, shape, axis, dtype):
    """The index along one axis, for each element of a shape."""
    axis = normalized(axis, len(shape))
    size = shape[axis]
    result = tensor_type((size,), dtype)
    if isinstance(size, Dim):
        like = builder.like((size,))
        text = f"fuse.iota dim = 0 like {like.name} : {like.type} -> {result}"
    else:
        text = f"fuse.iota dim = 0 : {result}"
    flat = builder.emit(text, (size,), dtype)
    alone = reshape(flat, [size if i == axis else 1 for i in range(len(shape))])
    return broadcast_to(alone, shape)


def full(builder, shape, value, dtype):
    """A number in each element of a shape."""
    return broadcast_to(builder.constant(value, dtype), shape)
