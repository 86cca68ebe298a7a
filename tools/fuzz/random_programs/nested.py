"""Programs of one kind: rows, groups inside of them, and groups of these.

What is reduced stays along some of the dimensions [n, a, b, c]; it is applied to what
has more of them, reduced further, joined, or padded where it leaves the program.
"""

from .movement import emit_expand, padded
from .pointwise import emit_reduce

KINDS = ["max", "min", "sum", "mean", "max", "sum"]
SHAPES = [(8, 32), (10, 24), (4, 64), (3, 7), (16, 16), (2, 512), (6, 4, 16), (5, 3, 8)]


def expanded(g, value, like):
    """The value with dimensions of size 1 for those that it lacks."""
    if value.rank == like.rank:
        return value
    shape = [*value.shape, *[1] * (like.rank - value.rank)]
    groups = [[i] for i in range(value.rank - 1)]
    groups.append(list(range(value.rank - 1, like.rank)))
    return emit_expand(g, value, groups, shape)


def reduced(g, value, start):
    """The value with one number for what begins at dimension `start`."""
    dims = list(range(start, value.rank))
    return emit_reduce(g, g.choice(KINDS), value, dims, g.chance(0.5))


def applied(g, value, other):
    if other.rank > value.rank:
        return function_of(g, value)
    other = expanded(g, other, value)
    op = g.choice(["sub", "mul", "add", "max"])
    return g.emit(
        op,
        f"fuse.{op} {{o[0]}}, {{o[1]}} : {{t[0]}}, {{t[1]}} -> {{r}}",
        [value, other],
        value.shape,
        value.element,
    )


def function_of(g, value):
    name = g.choice(["tanh", "abs", "neg", "sigmoid"])
    text = f"fuse.{name} {{o[0]}} : {{t[0]}}"
    return g.emit("unary", text, [value], value.shape, value.element)


def pad_rows(g, value):
    low, high = ([g.choice([0, 0, 1, 2]) for _ in value.shape] for _ in range(2))
    shape = [padded(g, *each) for each in zip(value.shape, low, high)]
    if not g.fits(shape):
        return
    g.emit(
        "pad",
        f"fuse.pad {{o[0]}} low = {low} high = {high} value = 0.5 : {{t[0]}} -> {{r}}",
        [value],
        shape,
        value.element,
    )


def grow(g):
    """Values by the number of their first dimensions that are not reduced."""
    inner = g.choice(SHAPES)
    rows = g.choice([1, 2, 3, 7, 8])
    shape = [g.new_dim(rows) if g.chance(0.5) else rows, *inner]
    rank = len(shape)
    g.emulated = True
    full = g.argument(shape, g.choice(["f32", "f32", "bf16", "f16"]))
    at = {rank: [g.cast(full, "f32")]}
    for _ in range(g.choice([2, 3, 4, 6, 8])):
        level = g.choice(list(at))
        value = g.choice(at[level][-2:])
        roll = g.random.random()
        if roll < 0.6 and level > 1:
            start = g.random.randrange(1, level)
            at.setdefault(start, []).append(reduced(g, value, start))
        elif roll < 0.9 and min(at) < level:
            smaller = g.choice([other for other in at if other < level])
            at[level].append(applied(g, value, g.choice(at[smaller])))
        else:
            at[level].append(function_of(g, value))
    for level, values in at.items():
        if level > 1 and g.chance(0.3):
            pad_rows(g, values[-1])
        elif level == rank and values[-1] is not full and g.chance(0.5):
            g.cast(values[-1], full.element)
