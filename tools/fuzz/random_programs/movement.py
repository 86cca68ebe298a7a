"""Reshapes, movement, random numbers, argmax, storage types."""

import math

from .pointwise import NUMBERS, reduced_shape
from .program import FLOATS, INTS, STORAGE


def one_of(g, condition=lambda v: True):
    return g.pick(lambda v: v.rank > 0 and condition(v))


# Reshapes.


def collapse(g):
    value = one_of(g)
    if not value:
        return
    groups, axis = [], 0
    while axis < value.rank:
        length = min(g.choice([1, 1, 2, 3]), value.rank - axis)
        groups.append(list(range(axis, axis + length)))
        axis += length
    shape = [product(g, [value.shape[i] for i in group]) for group in groups]
    if all(size == 1 for size in value.shape) and g.chance(0.5):
        groups, shape = [], []
    g.emit(
        "collapse",
        f"tensor.collapse_shape {{o[0]}} {groups} : {{t[0]}} into {{r}}",
        [value],
        shape,
        value.element,
        groups=groups,
    )


def product(g, sizes):
    """The product of sizes, as a dimension."""
    names = [size for size in sizes if isinstance(size, str)]
    number = math.prod(size for size in sizes if isinstance(size, int))
    if not names:
        return number
    if number == 1 and len(names) == 1:
        return names[0]
    text = "*".join([*(f"({name})" for name in names), str(number)])
    return g.derived_dim(text, number * g.count(names))


def expand(g):
    value = g.pick()
    groups, shape = [], []
    for size in value.shape:
        parts = [size]
        if isinstance(size, int) and size > 1 and g.chance(0.5):
            divisor = g.choice([d for d in range(1, size + 1) if size % d == 0])
            parts = [divisor, size // divisor]
        elif g.chance(0.2):
            parts = g.choice([[1, size], [size, 1]])
        groups.append(list(range(len(shape), len(shape) + len(parts))))
        shape += parts
    if not value.shape:
        shape = [1] * g.random.randint(0, 2)
    emit_expand(g, value, groups, shape)


def emit_expand(g, value, groups, shape):
    lines, sizes = "", []
    for number, size in enumerate(shape):
        if isinstance(size, int):
            sizes.append(str(size))
            continue
        axis = next(i for i, group in enumerate(groups) if number in group)
        lines += f"{{n}}_c{number} = arith.constant {axis} : index\n"
        lines += f"{{n}}_d{number} = tensor.dim {{o[0]}}, {{n}}_c{number} : {{t[0]}}\n"
        sizes.append(f"{{n}}_d{number}")
    return g.emit(
        "expand",
        f"{lines}tensor.expand_shape {{o[0]}} {groups} "
        f"output_shape [{', '.join(sizes)}] : {{t[0]}} into {{r}}",
        [value],
        shape,
        value.element,
    )


# Movement.


def transpose(g):
    value = one_of(g)
    if value:
        emit_transpose(g, value, g.random.sample(range(value.rank), value.rank))


def emit_transpose(g, value, permutation):
    return g.emit(
        "transpose",
        f"fuse.transpose {{o[0]}} permutation = {permutation} : {{t[0]}} -> {{r}}",
        [value],
        [value.shape[i] for i in permutation],
        value.element,
        permutation=permutation,
    )


def reverse(g):
    value = one_of(g)
    if value:
        dims = g.random.sample(range(value.rank), g.random.randint(1, value.rank))
        emit_reverse(g, value, sorted(dims))


def emit_reverse(g, value, dims):
    return g.emit(
        "reverse",
        f"fuse.reverse {{o[0]}} dims = {dims} : {{t[0]}}",
        [value],
        value.shape,
        value.element,
    )


def slice_range(g, size):
    """Offset, size (-1 - k: all but the last k), step, and the size of the result."""
    length = g.size(size)
    if g.chance(0.5):
        return 0, -1, 1, size
    offset = g.random.randint(0, min(length, 5) if isinstance(size, str) else length)
    step = g.choice([1, 1, 2, 3])
    left_out = g.random.randint(0, min(length - offset, 3)) if g.chance(0.4) else 0
    most = -(-(length - offset - left_out) // step)
    if isinstance(size, str):
        if offset == left_out == 0 and step == 1:
            return 0, -1, 1, size
        missing = offset + left_out
        dim = g.derived_dim(f"({size}-{missing})/{step}", most)
        return offset, -1 - left_out, step, dim
    if g.chance(0.3):
        return offset, -1 - left_out, step, most
    most = -(-(length - offset) // step)
    taken = g.random.randint(min(1, most), most)
    return offset, taken, step, taken


def slice_(g):
    value = one_of(g)
    if not value:
        return
    ranges = [slice_range(g, size) for size in value.shape]
    emit_slice(g, value, *map(list, zip(*ranges)))


def emit_slice(g, value, offsets, sizes, steps, shape):
    suffix = "" if all(step == 1 for step in steps) else f" steps = {steps}"
    return g.emit(
        "slice",
        f"fuse.slice {{o[0]}} offsets = {offsets} sizes = {sizes}{suffix} "
        ": {t[0]} -> {r}",
        [value],
        shape,
        value.element,
    )


def extract_slice(g):
    """MLIR's spelling of a slice."""
    value = one_of(g, lambda v: v.is_static())
    if not value:
        return
    ranges = [slice_range(g, size) for size in value.shape]
    offsets, _, steps, shape = map(list, zip(*ranges))
    # MLIR's verifier wants each offset inside.
    if any(o >= size for o, size in zip(offsets, value.shape)):
        return
    kept = [s for s in shape if s != 1] if g.chance(0.3) else shape
    g.emit(
        "extract_slice",
        f"tensor.extract_slice {{o[0]}}{offsets} {shape} {steps} : {{t[0]}} to {{r}}",
        [value],
        kept,
        value.element,
    )


def fill_text(g, element):
    if element.startswith("f8"):
        return g.choice(["0.0", "1.0", "-2.0"])
    if element in FLOATS and g.chance(0.3):
        return g.choice(["inf", "-inf", "nan"])
    return g.number(element)


def padded(g, size, low, high):
    if isinstance(size, int):
        return size + low + high
    added = low + high
    return g.derived_dim(f"({size})+{added}", g.size(size) + added) if added else size


def pad(g):
    value = one_of(g)
    if not value:
        return
    low, high = ([g.choice([0, 0, 1, 3]) for _ in value.shape] for _ in range(2))
    shape = [padded(g, *each) for each in zip(value.shape, low, high)]
    if not g.fits(shape):
        return
    if value.element in (*FLOATS, *INTS) and value.is_static() and g.chance(0.3):
        emit_tensor_pad(g, value, low, high, shape)
        return
    g.emit(
        "pad",
        f"fuse.pad {{o[0]}} low = {low} high = {high} "
        f"value = {fill_text(g, value.element)} : {{t[0]}} -> {{r}}",
        [value],
        shape,
        value.element,
    )


def emit_tensor_pad(g, value, low, high, shape):
    """MLIR's spelling of a pad."""
    names = ", ".join(f"%i{i}: index" for i in range(value.rank))
    number = g.number(value.element)
    g.emit(
        "tensor_pad",
        f"{{n}}_c = arith.constant {number} : {value.element}\n"
        f"tensor.pad {{o[0]}} low{low} high{high} {{{{ ^bb0({names}): "
        f"tensor.yield {{n}}_c : {value.element} }}}} : {{t[0]}} to {{r}}",
        [value],
        shape,
        value.element,
    )


def concat(g):
    value = one_of(g)
    if not value:
        return
    axis, operands = g.random.randrange(value.rank), [value]
    rest = value.shape[:axis] + value.shape[axis + 1 :]
    for _ in range(g.choice([0, 1, 1, 1, 2, 3])):
        found = g.pick(
            lambda v: v.element == value.element
            and v.rank == value.rank
            and v.shape[:axis] + v.shape[axis + 1 :] == rest
        )
        if all(map(g.is_named, rest)) and g.chance(0.4):
            size = g.choice([1, 2, 3, 8, 31])
            size = g.new_dim(size) if g.chance(0.2) else size
            shape = [*value.shape[:axis], size, *value.shape[axis + 1 :]]
            found = g.argument(shape, value.element) if g.fits(shape) else found
        operands.append(found)
    is_fuse = g.chance(0.8) or not all(v.is_static() for v in operands)
    emit_concat(g, operands, axis, is_fuse)


def emit_concat(g, operands, axis, is_fuse=True):
    sizes = [v.shape[axis] for v in operands]
    total = sum(size for size in sizes if isinstance(size, int))
    names = sorted(f"({size})" for size in sizes if isinstance(size, str))
    if names and (len(names) > 1 or total):
        count = sum(g.size(size) for size in sizes)
        total = g.derived_dim("+".join([*names, str(total)]), count)
    elif names:
        total = next(size for size in sizes if isinstance(size, str))
    shape = [*operands[0].shape[:axis], total, *operands[0].shape[axis + 1 :]]
    if not g.fits(shape):
        return None
    names = ", ".join(f"{{o[{i}]}}" for i in range(len(operands)))
    types = ", ".join(f"{{t[{i}]}}" for i in range(len(operands)))
    text = f"fuse.concat {names} dim = {axis} : {types} -> {{r}}"
    if not is_fuse:
        text = f"tensor.concat dim({axis}) {names} : ({types}) -> {{r}}"
    return g.emit("concat", text, operands, shape, operands[0].element)


def broadcast(g):
    """To the shape of another value, or to a static one."""
    like = g.pick(lambda v: v.rank > 0)
    if not like:
        return

    def fits(v):
        pairs = zip(reversed(v.shape), reversed(like.shape))
        return v.rank <= like.rank and all(a in (1, b) for a, b in pairs)

    value = g.pick(fits)
    if like.is_static() and g.chance(0.5):
        text, operands = "fuse.broadcast {o[0]} : {t[0]} -> {r}", [value]
    else:
        text = "fuse.broadcast {o[0]} like {o[1]} : {t[0]}, {t[1]} -> {r}"
        operands = [value, like]
    g.emit("broadcast", text, operands, like.shape, value.element)


def ids_for(g, shape):
    """Indices, some of them outside."""
    return g.argument(shape, g.choice(INTS))


def gather(g):
    table = one_of(g)
    if not table:
        return
    axis = g.random.randrange(table.rank)
    ids = g.pick(lambda v: v.element in INTS and v.rank <= 2)
    if not ids or g.chance(0.5):
        ids = ids_for(g, g.choice([[], [1], [5], [8], [2, 3], [33]]))
    shape = [*table.shape[:axis], *ids.shape, *table.shape[axis + 1 :]]
    if not g.fits(shape) or len(shape) > 6:
        return
    g.emit(
        "gather",
        f"fuse.gather {{o[0]}}, {{o[1]}} dim = {axis} : {{t[0]}}, {{t[1]}} -> {{r}}",
        [table, ids],
        shape,
        table.element,
    )


def dynamic_slice(g):
    """Starting inside or outside."""
    value = one_of(g)
    if not value:
        return
    axis = g.random.randrange(value.rank)
    start = g.pick(lambda v: v.element in INTS and not v.shape)
    if not start or g.chance(0.5):
        start = ids_for(g, [])
    like = g.pick(lambda v: v.rank == 1) if g.chance(0.4) else None
    size = like.shape[0] if like else g.choice([0, 1, 3, 8, 33])
    shape = [*value.shape[:axis], size, *value.shape[axis + 1 :]]
    if not g.fits(shape):
        return
    words = "like {o[2]}" if like else f"size = {size}"
    types = "{t[0]}, {t[1]}, {t[2]}" if like else "{t[0]}, {t[1]}"
    g.emit(
        "dynamic_slice",
        f"fuse.dynamic_slice {{o[0]}}, {{o[1]}} dim = {axis} {words} : {types} -> {{r}}",
        [value, start, *([like] if like else [])],
        shape,
        value.element,
    )


def scatter(g):
    """With ids that differ: which of equal ones wins is not specified."""
    into = one_of(g, lambda v: all(map(g.is_named, v.shape)))
    if not into:
        return
    axis, count = g.random.randrange(into.rank), g.choice([1, 2, 5, 8])
    rest = into.shape[:axis], into.shape[axis + 1 :]
    if not g.fits([*rest[0], count, *rest[1]]):
        return
    ids = ids_for(g, [1])
    if count > 1:
        ids = g.emit("iota", "fuse.iota dim = 0 : {r}", [], [count], g.choice(INTS))
        if g.chance(0.5):
            ids = emit_reverse(g, ids, [0])
    updates = g.argument([*rest[0], ids.shape[0], *rest[1]], into.element)
    g.emit(
        "scatter",
        f"fuse.scatter {{o[0]}}, {{o[1]}}, {{o[2]}} dim = {axis} "
        ": {t[0]}, {t[1]}, {t[2]} -> {r}",
        [into, ids, updates],
        into.shape,
        into.element,
    )


# Random numbers, argmax, storage types.


def seed_of(g):
    found = g.pick(lambda v: v.element == "i64" and not v.shape)
    return found or g.argument([], "i64")


def random_(g):
    like, seed = g.pick(), seed_of(g)
    text, operands = f"fuse.random {{o[0]}} stream = {g.choice([0, 1, 77])}", [seed]
    if like.is_static() and g.chance(0.5):
        text += " : {t[0]} -> {r}"
    else:
        text += " like {o[1]} : {t[0]}, {t[1]} -> {r}"
        operands.append(like)
    g.emit("random", text, operands, like.shape, "f32")


def dropout(g):
    value, seed = g.float_value(), seed_of(g)
    g.emit(
        "dropout",
        f"fuse.dropout {{o[0]}}, {{o[1]}} p = {g.choice(['0.0', '0.1', '0.5'])} "
        f"stream = {g.choice([0, 1, 2])} : {{t[0]}}, {{t[1]}}",
        [value, seed],
        value.shape,
        value.element,
    )


def argmax(g):
    value = one_of(g, lambda v: v.element in NUMBERS)
    if not value:
        return
    axes = [i for i in range(value.rank) if g.size(value.shape[i]) > 0]
    if not axes:
        return
    axis, keep = g.choice(axes), g.chance(0.4)
    g.emit(
        "argmax",
        f"fuse.{g.choice(['argmax', 'argmin'])} {{o[0]}} dim = {axis}"
        f"{' keep' if keep else ''} : {{t[0]}} -> {{r}}",
        [value],
        reduced_shape(value.shape, [axis], keep),
        g.choice(INTS),
    )


def storage(g):
    """Down to 8 bits, and mostly up again."""
    value = g.pick(lambda v: v.element in (*FLOATS, *INTS))
    if not value:
        return
    options = STORAGE if value.element in FLOATS else ("i8", "ui8")
    value = g.cast(value, g.choice(STORAGE if g.chance(0.2) else options))
    if g.chance(0.7):
        g.cast(value, g.choice(["f32", "bf16", "f16", "i32"]))


MAKERS = [
    (1, collapse),
    (1, expand),
    (1.5, transpose),
    (1, reverse),
    (1.5, slice_),
    (0.5, extract_slice),
    (1, pad),
    (1.5, concat),
    (0.7, broadcast),
    (1, gather),
    (0.6, dynamic_slice),
    (0.4, scatter),
    (0.4, random_),
    (0.4, dropout),
    (0.7, argmax),
    (0.7, storage),
]
