"""Attention whose softmax is written out, or whose weights each score gives alone. Softmaxes
are to base e or 2, below a maximum, a number of the row that is given, or nothing; masked before
the exponentials or behind them; with a number beside the sum; divided before the second product
or behind it."""

from .contractions import emit_matmul
from .pointwise import emit_binary, emit_compare, emit_reduce


def emit_function(g, name, value):
    text = f"fuse.{name} {{o[0]}} : {{t[0]}}"
    return g.emit("unary", text, [value], value.shape, value.element)


def emit_select(g, flag, shown, hidden):
    wide = shown if shown.shape else hidden
    return g.emit(
        "select",
        "fuse.select {o[0]}, {o[1]}, {o[2]} : {t[0]}, {t[1]}, {t[2]} -> {r}",
        [flag, shown, hidden],
        wide.shape,
        wide.element,
    )


def places(g, scores, axis, divisor=None):
    value = g.emit("iota", f"fuse.iota dim = {axis} : {{r}}", [], scores.shape, "i32")
    if divisor is None:
        return value
    return emit_binary(g, "div", value, g.constant(str(divisor), (), "i32"))


def visible(g, scores):
    """Keys up to the query, of its chunk, near it, or of a mask in memory."""
    last = len(scores.shape) - 1
    kind = g.choice(["causal", "chunks", "near", "given"])
    if kind == "given":
        flags = g.argument([1, *scores.shape[1:]], "f32")
        zero = g.constant("0.0", (), "f32")
        return emit_compare(g, "gt", flags, zero)
    divisor = g.choice([3, 16, 48]) if kind == "chunks" else None
    keys, queries = (places(g, scores, axis, divisor) for axis in (last, last - 1))
    if kind == "chunks":
        return emit_compare(g, g.choice(["eq", "le", "lt", "ge"]), keys, queries)
    if kind == "near":
        queries = emit_binary(
            g, "add", queries, g.constant(str(g.choice([-2, 5, 40])), (), "i32")
        )
    return emit_compare(g, g.choice(["le", "lt"]), keys, queries)


def below(g, scores, shown):
    """The exponent, masked before or behind the difference or not at all."""
    hidden = g.constant("0xFF800000", (), "f32")
    kind = g.choice(["maximum", "maximum", "nothing", "given"])
    is_first = shown is not None and g.chance(0.5)
    value = emit_select(g, shown, scores, hidden) if is_first else scores
    if kind == "maximum":
        most = emit_reduce(g, "max", value, [len(scores.shape) - 1], True)
        value = emit_binary(g, "sub", value, most)
    elif kind == "given":
        value = emit_binary(g, "sub", value, g.argument([*scores.shape[:-1], 1], "f32"))
    if shown is not None and not is_first:
        value = emit_select(g, shown, value, hidden)
    return value


def masked(g, weights, shown):
    """Exponentials where the mask shows them, else 0."""
    if shown.shape != weights.shape or g.chance(0.5):
        flags = g.cast(shown, g.choice(["f32", "f32", "bf16"]))
        if flags.element != "f32":
            flags = g.cast(flags, "f32")
        return emit_binary(g, "mul", weights, flags)
    return emit_select(g, shown, weights, g.constant("0.0", (), "f32"))


def total(g, weights):
    """The sum, with a number beside it or 1 in place of 0."""
    value = emit_reduce(g, "sum", weights, [len(weights.shape) - 1], True)
    kind = g.choice(["plain", "plain", "beside", "guarded", "again"])
    if kind == "again":
        other = emit_binary(g, "mul", weights, value)
        other = emit_reduce(g, "sum", other, [len(weights.shape) - 1], True)
        return emit_binary(g, "add", other, g.constant("1.0", (), "f32"))
    if kind == "beside":
        beside = g.constant(g.choice(["1.0", "1.0e-3"]), (), "f32")
        return emit_binary(g, "add", value, beside)
    if kind == "guarded":
        is_zero = emit_compare(g, "eq", value, g.constant("0.0", (), "f32"))
        return emit_select(g, is_zero, g.constant("1.0", (), "f32"), value)
    return value


def divided(g, value, by):
    if g.chance(0.3):
        return emit_binary(g, "mul", value, emit_function(g, "recip", by))
    return emit_binary(g, "div", value, by)


def alone(g, scores):
    """Weights without a softmax."""
    kind = g.choice(["sigmoid", "tanh", "exp", "relu", "scores"])
    if kind == "scores":
        return scores
    if kind == "relu":
        positive = emit_binary(g, "max", scores, g.constant("0.0", (), "f32"))
        return emit_binary(g, "mul", positive, positive)
    return emit_function(g, kind, scores)


def grow(g):
    element, size = g.choice(["bf16", "f16", "f32"]), g.choice([8, 16, 64])
    batch, rows = g.choice([1, 2, 3]), g.choice([1, 2, 5, 70])
    keys = g.choice([1, 17, 64, 65, 80, 130, 200])
    g.emulated = True
    # A factor of the row that replaces a maximum keeps sums finite that are not in the
    # program, and what a mask hides counts as not there.
    g.fills = ["normal"]
    q, k, v = (g.argument([batch, n, size], element) for n in (rows, keys, keys))
    scores = [batch, rows, keys]
    product = g.cast(emit_matmul(g, q, k, True, False, True, scores), "f32")
    scale = g.constant(g.choice(["0.125", "0.35", "1.0"]), (), "f32")
    x = emit_binary(g, "mul", product, scale)
    shown = visible(g, x) if g.chance(0.7) else None
    if g.chance(0.25):
        weights = alone(g, x)
        weights = weights if shown is None else masked(g, weights, shown)
        weights = g.cast(weights, element)
        emit_matmul(g, weights, v, True, False, False, [batch, rows, size])
        return
    is_before = shown is not None and shown.shape == x.shape and g.chance(0.4)
    exponent = below(g, x, shown if is_before else None)
    weights = emit_function(g, g.choice(["exp", "exp", "exp2"]), exponent)
    if shown is not None and not is_before:
        weights = masked(g, weights, shown)
    by = total(g, weights)
    is_late = g.chance(0.4)
    if not is_late:
        weights = divided(g, weights, by)
    weights = g.cast(weights, element)
    o = emit_matmul(g, weights, v, True, False, False, [batch, rows, size])
    if is_late:
        o = divided(g, g.cast(o, "f32"), by)
        g.cast(o, element)
    if g.chance(0.3):
        emit_function(g, "log", by)
