"""Rotary embedding: tables or angles, scaled or not; positions of every kind."""

import itertools

from .program import FLOATS, INTS

FACTORS = ["1.0", "1.5", "4.0", "32.0", "0.25"]


def rotary(g):
    order = g.choice(["tokens_heads", "heads_tokens"])
    least = 3 if order == "tokens_heads" else 2

    def fits(v):
        head = v.shape[-1] if v.rank >= least else None
        return isinstance(head, int) and head > 0 and head % 2 == 0

    value = g.float_value(fits) or new_heads(g, least)
    rank, head = value.rank, value.shape[-1]
    token_axis = rank - 3 if order == "tokens_heads" else rank - 2
    rotated = g.choice([head, head, g.random.randint(1, head // 2) * 2])
    layout = g.choice(["interleaved", "half"])

    op = Text(f"fuse.rotary {layout} {order}", value)
    clauses = position_clauses(g, value, token_axis)
    attributes, scaling, length = "", "", None
    if g.chance(0.5) and (clauses or g.is_named(value.shape[token_axis])):
        rows = g.choice([1, 5, 64]) if clauses else value.shape[token_axis]
        element = g.choice(["f32", value.element])
        op.clause("tables", *(g.argument([rows, rotated // 2], element) for _ in "cs"))
    else:
        base = g.choice(["1.0e4", "5.0e5", "1.5", "1.0"])
        attributes = f" base = {base}"
        scaling, length = scaling_for(g, base, rotated)
    for name, operand in clauses:
        op.clause(name, operand)
    if length:
        op.clause("length", length)
    if rotated != head or g.chance(0.1):
        attributes += f" dims = {rotated}"
    attributes += heads_text(g, value, token_axis, order) + scaling
    if g.chance(0.3):
        attributes += " inverse"
    g.emit("rotary", op.text(attributes), op.operands, value.shape, value.element)


class Text:
    """The op's text as far as it is known."""

    def __init__(self, start, value):
        self.start, self.operands, self.types = f"{start} {{o[0]}}", [value], [0]

    def clause(self, name, *operands):
        """With one type, since a clause's operands are of one."""
        first = len(self.operands)
        self.operands += operands
        self.types.append(first)
        names = ", ".join(f"{{o[{first + i}]}}" for i in range(len(operands)))
        self.start += f" {name}({names})"

    def text(self, attributes):
        types = ", ".join(f"{{t[{i}]}}" for i in self.types)
        return f"{self.start}{attributes} : {types}"


def heads_text(g, value, token_axis, order):
    """The first heads only."""
    axis = token_axis + 1 if order == "tokens_heads" else token_axis - 1
    if axis < 0 or not isinstance(value.shape[axis], int) or not g.chance(0.25):
        return ""
    heads = value.shape[axis]
    return f" heads = {g.random.randint(1, heads)}" if heads else ""


def new_heads(g, least):
    shape = g.base_shape(least - 1, 3)
    head = g.choice([2, 4, 6, 12, 16, 64, 128])
    while not g.fits([*shape, head]):
        shape[g.random.randrange(len(shape))] = g.choice([1, 2, 5])
    return g.argument([*shape, head], g.choice(FLOATS))


# Positions.


def position_clauses(g, value, token_axis):
    """Pairs of a clause's name and operand."""
    roll = g.random.random()
    if roll < 0.25:
        positions = positions_for(g, value, value.shape[token_axis])
        own = [("positions", positions)] if positions else []
        return own + offset_for(g, value, token_axis, 0.2)
    if roll < 0.45:
        cumulative, count = sequences_for(g, value, token_axis)
        offset = g.choice([None, [], [count - 1]])
        both = [("sequences", cumulative)]
        if offset is not None:
            both.append(("offset", g.argument(offset, g.choice(INTS))))
        return both
    return offset_for(g, value, token_axis, 0.3)


def positions_for(g, value, tokens):
    shape = [tokens]
    if value.rank > 3 and g.chance(0.5):
        shape = [value.shape[0], tokens]
    if not all(map(g.is_named, shape)):
        return None
    return g.argument(shape, g.choice(INTS))


def offset_for(g, value, token_axis, probability):
    if not g.chance(probability):
        return []
    batch = value.shape[:1] if token_axis > 0 and g.is_named(value.shape[0]) else []
    shape = g.choice([[], batch])
    return [("offset", g.argument(shape, g.choice(INTS)))]


def sequences_for(g, value, token_axis):
    """Cumulative lengths, which ascend, and their number."""
    element = g.choice(INTS)
    tokens = g.size(value.shape[token_axis])
    count = g.choice([1, 2, 3, 5, 9, 33])
    if g.chance(0.4):
        numbers = sorted(g.random.randint(0, tokens) for _ in range(count))
        return g.constant(str(numbers), [count], element), count
    # Equal lengths, in a tensor that a kernel has to read, or computes.
    steps = g.emit("iota", "fuse.iota dim = 0 : {r}", [], [count], element)
    length = g.constant(g.choice(["1", "3", "100"]), [], element)
    text = "fuse.mul {o[0]}, {o[1]} : {t[0]}, {t[1]} -> {r}"
    return g.emit("mul", text, [steps, length], [count], element), count


# Scaling.


def scaling_for(g, base, rotated):
    """The text of a scaling, empty for none, and the operand by which it chooses."""
    kinds = ["", "linear", "llama3", "longrope"]
    kinds += ["ntk"] * (rotated > 2) + ["yarn"] * (base != "1.0")
    kind = g.choice(kinds)
    if not kind:
        return "", None
    factor = g.choice(FACTORS)
    context = g.choice([2, 16, 512, 8192])
    parameters = [f"factor = {factor}"]
    if kind not in ("linear", "ntk"):
        parameters.append(f"original_max_position = {context}")
    length = None
    if kind == "llama3":
        parameters += [
            "low_freq_factor = 1.0",
            f"high_freq_factor = {g.choice(['4.0', '1.25'])}",
        ]
    elif kind == "yarn":
        parameters += some(g, ["beta_fast = 8.0", "beta_slow = 0.5"])
        parameters += some(g, ["attention_factor = 1.25", "truncate = false"])
    elif kind == "longrope":
        which = g.choice([["short"], ["long"], ["short", "long"]])
        for name in which:
            numbers = [g.choice(FACTORS) for _ in range(rotated // 2)]
            parameters.append(f"{name}_factors = [{', '.join(numbers)}]")
        parameters += some(g, ["attention_factor = 1.5"])
        length = g.argument([], g.choice(INTS)) if len(which) == 2 else None
    return f" scaling(#fuse.rope_{kind}<{', '.join(parameters)}>)", length


def some(g, options):
    return list(itertools.compress(options, [g.chance(0.3) for _ in options]))


MAKERS = [(3, rotary)]
