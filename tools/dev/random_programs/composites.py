"""Softmax and its kin, norms, rotary embedding."""

from .program import FLOATS, INTS
from .pointwise import reduced_shape, some_dims

EPSILONS = ["1.0e-5", "1.0e-6", "0.0", "0.5"]


def softmax(g):
    value = g.float_value(lambda v: v.shape)
    if not value:
        return
    dims = some_dims(g, value.rank)
    kind = g.choice(["softmax", "log_softmax"])
    g.emit(
        kind,
        f"fuse.{kind} {{o[0]}} dims = {dims} : {{t[0]}}",
        [value],
        value.shape,
        value.element,
        dims=dims,
    )


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


def rotary(g):
    order = g.choice(["tokens_heads", "heads_tokens"])
    least = 3 if order == "tokens_heads" else 2

    def fits(v):
        head = v.shape[-1] if v.rank >= least else None
        return isinstance(head, int) and head > 0 and head % 2 == 0

    value = g.float_value(fits)
    if not value:
        value = new_heads(g, least)
    rank, head = value.rank, value.shape[-1]
    token_axis = rank - 3 if order == "tokens_heads" else rank - 2
    tokens = value.shape[token_axis]
    rotated = g.choice([head, head, g.random.randint(1, head // 2) * 2])
    layout = g.choice(["interleaved", "half"])
    text, operands = f"fuse.rotary {layout} {order} {{o[0]}}", [value]
    positions = positions_for(g, value, tokens) if g.chance(0.4) else None
    types = [0]
    if g.chance(0.5) and (positions or g.is_named(tokens)):
        rows = g.choice([1, 5, 64]) if positions else tokens
        element = g.choice(["f32", value.element])
        operands += [g.argument([rows, rotated // 2], element) for _ in range(2)]
        text += " tables({o[1]}, {o[2]})"
        types.append(1)
        base = ""
    else:
        base = f" base = {g.choice(['1.0e4', '5.0e5', '1.5', '1.0'])}"
    if positions:
        types.append(len(operands))
        text += f" positions({{o[{len(operands)}]}})"
        operands.append(positions)
    text += base
    if rotated != head or g.chance(0.1):
        text += f" dims = {rotated}"
    if g.chance(0.3):
        text += " inverse"
    text += " : " + ", ".join(f"{{t[{i}]}}" for i in types)
    g.emit("rotary", text, operands, value.shape, value.element)


def new_heads(g, least):
    shape = g.base_shape(least - 1, 3)
    head = g.choice([2, 4, 6, 12, 16, 64, 128])
    while not g.fits([*shape, head]):
        shape[g.random.randrange(len(shape))] = g.choice([1, 2, 5])
    return g.argument([*shape, head], g.choice(FLOATS))


def positions_for(g, value, tokens):
    shape = [tokens]
    if value.rank > 3 and g.chance(0.5):
        shape = [value.shape[0], tokens]
    if not all(map(g.is_named, shape)):
        return None
    return g.argument(shape, g.choice(INTS))


MAKERS = [(2, softmax), (1, logsumexp), (2, norm), (2, rotary)]
