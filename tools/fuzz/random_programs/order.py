"""Scans, selections, elements of rows by ids; remainders and bits."""

from .movement import ids_for, one_of
from .pointwise import NUMBERS, emit_binary
from .program import INTS, SMALL, tensor


def scan(g):
    value = g.of_elements(NUMBERS, lambda v: v.rank > 0)
    if not value:
        return
    words = f" dim = {g.random.randrange(value.rank)}" * g.chance(0.5)
    words += " exclusive" * g.chance(0.3) + " reverse" * g.chance(0.3)
    kind = g.choice(["sum", "sum", "max", "min", "prod"])
    g.emit(
        "scan",
        f"fuse.scan {kind} {{o[0]}}{words} : {{t[0]}}",
        [value],
        value.shape,
        value.element,
    )


def top_k(g):
    """One of its results; the other is not used."""
    value = g.of_elements(NUMBERS, lambda v: v.rank > 0 and g.size(v.shape[-1]))
    if not value:
        return
    k = g.random.randint(1, min(g.size(value.shape[-1]), 64))
    k = min(k, g.choice([1, 2, 8, 64]))
    shape = [*value.shape[:-1], k]
    types = tensor(shape, value.element), tensor(shape, g.choice(INTS))
    wanted = g.random.randrange(2)
    element = types[wanted].removesuffix(">").split("x")[-1].removeprefix("tensor<")
    word = " smallest" if g.chance(0.3) else ""
    g.emit(
        "top_k",
        f"{{n}}_v, {{n}}_i = fuse.top_k {{o[0]}} k = {k}{word} : {{t[0]}} -> "
        f"{', '.join(types)}\n"
        f"fuse.reverse {{n}}_{'vi'[wanted]} dims = [] : {{r}}",
        [value],
        shape,
        element,
    )


def take_along(g):
    table = one_of(g, lambda v: all(map(g.is_named, v.shape)))
    if not table:
        return
    axis = g.random.randrange(table.rank)
    shape = [*table.shape]
    shape[axis] = g.choice([1, 3, 8, shape[axis]])
    if not g.fits(shape):
        return
    ids = ids_for(g, shape)
    g.emit(
        "take_along",
        f"fuse.take_along {{o[0]}}, {{o[1]}} dim = {axis} : {{t[0]}}, {{t[1]}} -> {{r}}",
        [table, ids],
        shape,
        table.element,
    )


def segment_sum(g):
    value = g.of_elements(NUMBERS, lambda v: v.rank > 0)
    if not value:
        return
    count = g.choice([2, 3, 9])
    shape = [count - 1, *value.shape[1:]]
    if not g.fits(shape):
        return
    offsets = g.argument([count], g.choice(INTS))
    if g.chance(0.7):
        offsets = g.emit(
            "iota", "fuse.iota dim = 0 : {r}", [], [count], offsets.element
        )
    g.emit(
        "segment_sum",
        "fuse.segment_sum {o[0]}, {o[1]} : {t[0]}, {t[1]} -> {r}",
        [value, offsets],
        shape,
        value.element,
    )


def remainder(g):
    value = g.of_elements(NUMBERS)
    op = g.choice(["fmod", "remainder"])
    emit_binary(g, op, value, g.partner(value), g.chance(0.3))


def bits(g):
    value = g.of_elements(INTS + SMALL)
    if g.chance(0.2):
        g.emit("not", "fuse.not {o[0]} : {t[0]}", [value], value.shape, value.element)
        return
    op = g.choice(["and", "or", "xor", "shl", "shr"])
    emit_binary(g, op, value, g.partner(value), g.chance(0.3))


MAKERS = [
    (1, scan),
    (0.7, top_k),
    (0.5, take_along),
    (0.4, segment_sum),
    (0.6, remainder),
    (0.6, bits),
]
