"""Contractions of elements of 8 and 4 bits, with scales."""

from .contractions import MOST_PRODUCTS, emit_matmul
from .pointwise import emit_reduce

FORMATS = ["f8E4M3FN", "f8E4M3FN", "f8E5M2"]


def fewer(rows, others):
    """So few rows that the oracle can walk all products."""
    while rows * others > MOST_PRODUCTS:
        rows = (rows + 1) // 2
    return rows


def times(g, value, shape):
    """The value, with a factor of a shape that repeats along it."""
    return g.emit(
        "mul",
        "fuse.mul {o[0]}, {o[1]} : {t[0]}, {t[1]} -> {r}",
        [value, g.argument(shape, value.element)],
        value.shape,
        value.element,
    )


def reshape(g, kind, value, groups, shape):
    op = "expand" if len(shape) > value.rank else "collapse"
    size = f" output_shape {list(shape)}" if op == "expand" else ""
    return g.emit(
        kind,
        f"tensor.{op}_shape {{o[0]}} {groups}{size} : {{t[0]}} into {{r}}",
        [value],
        shape,
        value.element,
    )


def unpack(g, value, shape):
    sign = g.choice(["", "unsigned "])
    text = f"fuse.unpack {sign}{{o[0]}} : {{t[0]}} -> {{r}}"
    return g.emit("unpack", text, [value], shape, "i8")


def dequantised(g, columns, groups, group, stored, element, is_along):
    """Weights of [columns, groups * group], or of these exchanged, with a zero point and
    scales of the tensor, of columns, or of groups; None if they are too large."""
    summed = groups * group
    shape = [columns, summed] if is_along else [summed, columns]
    packed = stored == "packed"
    in_memory = [shape[0], shape[1] // 2] if packed else shape
    if not g.fits(shape) or (packed and shape[1] % 2):
        return None
    value = g.argument(in_memory, "i8" if packed else stored)
    if packed:
        value = unpack(g, value, shape)
    by = g.choice(["group", "group", "column", "tensor", "nothing"])
    parts = [columns, groups, group] if is_along else [groups, group, columns]
    joined = "[[0], [1, 2]]" if is_along else "[[0, 1], [2]]"
    if by == "group":
        value = reshape(g, "grouped", value, joined, parts)
    scales = {
        "group": [columns, groups, 1] if is_along else [groups, 1, columns],
        "column": [columns, 1] if is_along else [1, columns],
        "tensor": [1, 1],
    }
    wide = g.choice([element, element, "f32"])
    value = g.cast(value, wide)
    if by != "nothing":
        if g.chance(0.4):
            zero = g.cast(g.argument(scales[by], "i8"), wide)
            value = g.emit(
                "sub",
                "fuse.sub {o[0]}, {o[1]} : {t[0]}, {t[1]} -> {r}",
                [value, zero],
                value.shape,
                wide,
            )
        value = times(g, value, scales[by])
    value = g.cast(value, element)
    if by == "group":
        value = reshape(g, "ungrouped", value, joined, shape)
    return value


def weights(g):
    """Rows times weights of 8 or 4 bits, which may meet those of a second product."""
    element = g.choice(["bf16", "bf16", "bf16", "f16", "f32"])
    stored = g.choice(["i8", "packed", "packed", "ui8", *FORMATS])
    rows = g.choice([1, 2, 8, 9, 16, 33, 65, 130])
    columns = g.choice([1, 5, 8, 16, 24, 40, 72])
    groups, group = g.choice([1, 2, 3, 5]), g.choice([2, 8, 16, 32, 40, 64, 128])
    rows = fewer(rows, columns * groups * group)
    if g.chance(0.4):
        rows = g.new_dim(rows)
    if not g.fits([rows, columns], [rows, groups * group]):
        return
    is_along = g.chance(0.7)
    x = g.argument([rows, groups * group], g.choice([element] * 4 + FORMATS[:1]))
    x = g.cast(x, element)
    made = []
    for _ in range(2 if g.chance(0.25) else 1):
        w = dequantised(g, columns, groups, group, stored, element, is_along)
        if w is None:
            return
        y = emit_matmul(g, x, w, True, False, is_along, [rows, columns])
        made.append(y)
    if len(made) == 2:
        g.emit("mul", "fuse.mul {o[0]}, {o[1]} : {t[0]}", made, made[0].shape, element)


def float8(g):
    """Products of 8-bit floats, with scales of the tensors, of rows and of columns behind."""
    rows, columns = g.choice([1, 16, 33, 65, 130]), g.choice([8, 16, 24, 40, 72])
    summed = g.choice([16, 32, 128, 144, 272, 400])
    rows = fewer(rows, columns * summed)
    if g.chance(0.3):
        rows = g.new_dim(rows)
    made = [rows, columns]
    if not g.fits(made, [rows, summed], [columns, summed]):
        return
    x = g.argument([rows, summed], g.choice(FORMATS))
    w = g.argument([columns, summed], g.choice(FORMATS))
    value = g.emit(
        "contract",
        'fuse.contract "mk,nk->mn" {o[0]}, {o[1]} : {t[0]}, {t[1]} -> {r}',
        [x, w],
        made,
        "f32",
    )
    for shape in ([1, 1], [rows, 1], [1, columns]):
        if g.chance(0.5):
            value = times(g, value, shape)
    g.cast(value, g.choice(["bf16", "f16", "f32"]))


def block_sums(g):
    """Products of 8-bit floats, and something done to the sums of each block."""
    rows, columns = g.choice([3, 16, 33, 65]), g.choice([8, 16, 24, 40])
    blocks, size = g.choice([1, 2, 3]), g.choice([128, 128, 128, 64])
    rows = fewer(rows, columns * blocks * size)
    if g.chance(0.3):
        rows = g.new_dim(rows)
    made = [blocks, rows, columns]
    if not g.fits(made, [rows, blocks, size], [columns, blocks, size]):
        return
    x = g.argument([rows, blocks, size], g.choice(FORMATS))
    w = g.argument([columns, blocks, size], g.choice(FORMATS))
    value = g.emit(
        "contract",
        'fuse.contract "mbk,nbk->bmn" {o[0]}, {o[1]} : {t[0]}, {t[1]} -> {r}',
        [x, w],
        made,
        "f32",
    )
    for shape in ([blocks, rows, 1], [blocks, 1, columns]):
        if g.chance(0.8):
            value = times(g, value, shape)
    emit_reduce(g, "sum", value, [0], g.chance(0.2))


MAKERS = [
    (1, weights),
    (0.5, float8),
    (0.4, block_sums),
]
