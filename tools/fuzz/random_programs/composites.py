"""Softmax and its kin, norms."""

from .movement import emit_expand, emit_transpose
from .pointwise import emit_binary, emit_reduce, reduced_shape, some_dims

EPSILONS = ["1.0e-5", "1.0e-6", "0.0", "0.5"]


def emit_softmax(g, kind, value, dims):
    return g.emit(
        kind,
        f"fuse.{kind} {{o[0]}} dims = {dims} : {{t[0]}}",
        [value],
        value.shape,
        value.element,
        dims=dims,
    )


def softmax(g):
    value = g.float_value(lambda v: v.shape)
    if not value:
        return
    dims = some_dims(g, value.rank)
    emit_softmax(g, g.choice(["softmax", "log_softmax"]), value, dims)


def siblings(g):
    """Rows of two shapes, neither of which needs the other."""
    value = g.float_value(lambda v: v.shape and all(map(g.is_named, v.shape)))
    if not value or len(g.arguments) >= 7:
        return
    shape = list(value.shape)
    shape[g.random.randrange(value.rank)] = g.choice([1, 2, 3, 4, 8, 16, 32])
    if not g.fits(shape):
        return
    last = [value.rank - 1]
    for rows in (value, g.argument(shape, value.element)):
        if g.chance(0.5):
            emit_softmax(g, "softmax", rows, last)
        else:
            emit_reduce(g, g.choice(["sum", "max"]), rows, last, g.chance(0.5))


def logsumexp(g):
    value = g.float_value(lambda v: v.shape)
    if not value:
        return
    dims, keep = some_dims(g, value.rank), g.chance(0.5)
    g.emit(
        "logsumexp",
        f"fuse.logsumexp {{o[0]}} dims = {dims}{' keep' if keep else ''} "
        ": {t[0]} -> {r}",
        [value],
        reduced_shape(value.shape, dims, keep),
        value.element,
    )


def norm(g):
    value = g.float_value(lambda v: v.shape)
    if not value:
        return
    kind = g.choice(["rms_norm", "layer_norm"])
    most = (1 if kind == "rms_norm" else 2) if g.is_named(value.shape[-1]) else 0
    operands = [value]
    for _ in range(g.random.randint(0, most)):
        operands.append(weight_like(g, value))
    names = ", ".join(f"{{o[{i}]}}" for i in range(len(operands)))
    types = ", ".join(f"{{t[{i}]}}" for i in range(len(operands)))
    eps = g.choice(EPSILONS)
    g.emit(
        kind,
        f"fuse.{kind} {names} eps = {eps} : {types}",
        operands,
        value.shape,
        value.element,
        eps=eps,
    )


def weight_like(g, value):
    def fits(other):
        return other.shape == value.shape[-1:] and other.element == value.element

    found = g.pick(fits) if g.chance(0.3) else None
    return found or g.argument(value.shape[-1:], value.element)


def across_rows(g):
    """What is computed from reduced rows, and what the rows are reduced to, reduced
    over all of them."""
    value = g.float_value(lambda v: v.rank > 1)
    shape = [g.new_dim(g.choice([0, 1, 3, 8, 33, 100])), g.choice([8, 32, 64, 100])]
    if g.fits(shape) and len(g.arguments) < 7:
        value = g.argument(shape, g.choice(["f32", "f16", "bf16"]))
    if not value:
        return
    first = g.random.randint(1, value.rank - 1)
    rows, columns = list(range(first)), list(range(first, value.rank))
    kinds = ["sum", "max", "mean"]
    if g.chance(0.7):
        wide = emit_softmax(g, g.choice(["softmax", "log_softmax"]), value, columns)
        emit_reduce(g, g.choice(kinds), wide, rows, g.chance(0.5))
    if g.chance(0.5):
        keep = g.chance(0.5)
        each = emit_reduce(g, g.choice(kinds), value, columns, keep)
        emit_reduce(g, g.choice(kinds), each, rows, g.chance(0.5))


def variance(g):
    """A mean and a variance over some dimensions."""
    value = g.float_value(lambda v: v.shape)
    if not value:
        return
    dims = some_dims(g, value.rank)
    mean = emit_reduce(g, "mean", value, dims, True)
    far = emit_binary(g, "sub", value, mean, g.chance(0.2))
    square = emit_binary(g, "mul", far, far)
    emit_reduce(g, g.choice(["mean", "sum"]), square, dims, g.chance(0.9))


def split(g, value):
    """A dimension of known size as two."""
    axes = [i for i, n in enumerate(value.shape) if isinstance(n, int) and n > 1]
    if not axes:
        return value
    axis = g.choice(axes)
    size = value.shape[axis]
    outer = g.choice([n for n in range(1, size + 1) if size % n == 0])
    groups = [[i + (i > axis)] for i in range(value.rank)]
    groups[axis] = [axis, axis + 1]
    shape = [*value.shape[:axis], outer, size // outer, *value.shape[axis + 1 :]]
    return emit_expand(g, value, groups, shape)


def moved_rows(g):
    """Rows that are reduced in one order or shape, and needed in another."""
    value = g.float_value(lambda v: 2 <= v.rank <= 4)
    if not value:
        return
    last = [value.rank - 1]
    if g.chance(0.5):
        value = emit_softmax(g, "softmax", value, last)
    else:
        total = emit_reduce(g, g.choice(["sum", "max"]), value, last, True)
        value = emit_binary(g, "mul", value, total)
    if g.chance(0.5):
        value = split(g, value)
    rows = g.random.sample(range(value.rank - 1), value.rank - 1)
    emit_transpose(g, value, [*rows, value.rank - 1])


MAKERS = [
    (2, softmax),
    (1, siblings),
    (1, logsumexp),
    (2, norm),
    (1.5, across_rows),
    (1.5, variance),
    (1.5, moved_rows),
]
