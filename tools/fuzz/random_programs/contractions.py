"""Matrix products, contractions, attention."""

import string

from .pointwise import emit_reduce
from .program import FLOATS

SIZES = [1, 2, 3, 4, 5, 8, 16, 17, 32, 33, 64, 100]
# The oracle walks every product.
MOST_PRODUCTS = 400_000


def matmul(g):
    value = g.float_value(lambda v: v.rank >= 2)
    if not value:
        return
    is_lhs, transposed = g.chance(0.7), g.chance(0.4)
    # The summed axis of the value, and the one that stays.
    summed, kept = value.shape[-1], value.shape[-2]
    if is_lhs == transposed:
        summed, kept = kept, summed
    new = g.choice(SIZES)
    batch = value.shape[:-2]
    other = matching_batch(g, batch)
    if not g.is_named(summed):
        return
    other_transposed = g.chance(0.4)
    matrix = [summed, new] if is_lhs != other_transposed else [new, summed]
    result = [*batch, *([kept, new] if is_lhs else [new, kept])]
    products = g.count(result) * g.size(summed)
    if not g.fits(result, [*other, *matrix]) or products > MOST_PRODUCTS:
        return
    operand = g.argument([*other, *matrix], value.element)
    emit_matmul(g, value, operand, is_lhs, transposed, other_transposed, result)


def scaled_matmul(g):
    """A matrix product whose operand has a factor of rows, columns or batches."""
    value = g.of_elements(["bf16", "f32", "bf16", "f64"], lambda v: v.rank >= 2)
    if not value or not all(map(g.is_named, value.shape[-2:])):
        return
    is_lhs, transposed = g.chance(0.7), g.chance(0.4)
    axis = -1 if is_lhs != transposed else -2
    shape = [1 if g.chance(0.2) else size for size in value.shape]
    shape = [size if g.is_named(size) else 1 for size in shape]
    shape[axis] = 1
    new = g.choice(SIZES)
    kept = value.shape[-3 - axis]
    result = [*value.shape[:-2], *([kept, new] if is_lhs else [new, kept])]
    products = g.count(result) * g.size(value.shape[axis])
    if not g.fits(result) or products > MOST_PRODUCTS:
        return
    kind = g.choice(["mul", "mul", "div"])
    scaled = g.emit(
        kind,
        f"fuse.{kind} {{o[0]}}, {{o[1]}} : {{t[0]}}, {{t[1]}} -> {{r}}",
        [value, factor_of(g, value, shape, axis)],
        value.shape,
        value.element,
    )
    matrix = [value.shape[axis], new] if is_lhs else [new, value.shape[axis]]
    operand = g.argument(matrix, value.element)
    emit_matmul(g, scaled, operand, is_lhs, transposed, False, result)


def linear(g):
    """What tensor cores run: 16 bits, TF32 or f64, rows in memory of whole 16 bytes."""
    element = g.choice(["bf16", "bf16", "f16", "f32", "f64"])
    rows, columns = (
        g.choice([1, 3, 16, 33, 65, 130]),
        g.choice([8, 16, 24, 40, 72, 136]),
    )
    summed = g.choice([8, 16, 40, 64, 72, 136])
    if g.chance(0.15):
        columns += 1
    while rows * columns * summed > MOST_PRODUCTS:
        rows = (rows + 1) // 2
    if g.chance(0.3):
        rows = g.new_dim(rows)
    batch = [g.choice([1, 2, 3])] if g.chance(0.2) else []
    result = [*batch, rows, columns]
    if not g.fits(result):
        return
    shapes = [[*batch, rows, summed], [summed, columns]]
    if g.chance(0.3):
        shapes[1] = [*batch, *shapes[1]]
    flags = g.chance(0.3), g.chance(0.5)
    for flag, shape in zip(flags, shapes):
        if flag:
            shape[-2:] = shape[:-3:-1]
    x, y = (g.argument(shape, element) for shape in shapes)
    emit_matmul(g, x, y, True, *flags, result)


def siblings(g):
    """Contractions of the same rows, some of whose results are combined."""
    element = g.choice(["bf16", "bf16", "f16", "f32", "f64"])
    rows, summed = g.choice([1, 3, 33, 65, 130]), g.choice([8, 40, 64, 72])
    widths = [g.choice([8, 16, 24, 40])]
    for _ in range(g.choice([1, 1, 2])):
        widths.append(widths[0] if g.chance(0.6) else g.choice([8, 24, 40]))
    while rows * sum(widths) * summed > MOST_PRODUCTS:
        rows = (rows + 1) // 2
    if g.chance(0.3):
        rows = g.new_dim(rows)
    batch = [g.choice([1, 2, 3])] if g.chance(0.2) else []
    if not all(g.fits([*batch, rows, width]) for width in widths):
        return
    x = g.argument([*batch, rows, summed], element)
    is_transposed = g.chance(0.5)
    made = {}
    for width in widths:
        transposed = is_transposed != g.chance(0.1)
        shape = [width, summed] if transposed else [summed, width]
        if g.chance(0.2):
            shape = [*batch, *shape]
        result = [*batch, rows, width]
        y = emit_matmul(
            g, x, g.argument(shape, element), True, False, transposed, result
        )
        if y and width in made and g.chance(0.7):
            kind = g.choice(["mul", "add", "sub"])
            y = g.emit(
                kind,
                f"fuse.{kind} {{o[0]}}, {{o[1]}} : {{t[0]}}",
                [made[width], y],
                result,
                element,
            )
        made[width] = y


def factor_of(g, value, shape, axis):
    """An argument, or what the rows of the value have in common."""
    if g.chance(0.5):
        return g.argument(shape, value.element)
    axis += value.rank
    kind = g.choice(["max", "sum", "mean"])
    return emit_reduce(g, kind, value, [axis], True)


def matching_batch(g, batch):
    batch = [1 if g.chance(0.3) or not g.is_named(size) else size for size in batch]
    return batch[g.random.randint(0, len(batch)) :] if g.chance(0.5) else batch


def emit_matmul(g, value, operand, is_lhs, transposed, other_transposed, result):
    flags = (transposed, other_transposed)
    operands = [value, operand]
    if not is_lhs:
        flags, operands = flags[::-1], operands[::-1]
    text = "fuse.matmul {o[0]}, {o[1]}"
    text += " transpose_lhs" if flags[0] else ""
    text += " transpose_rhs" if flags[1] else ""
    text += precision_of(g, value.element)
    return g.emit(
        "matmul",
        text + " : {t[0]}, {t[1]} -> {r}",
        operands,
        result,
        value.element,
        flags=flags,
    )


def precision_of(g, element):
    return " precision = tf32" if element == "f32" and g.chance(0.5) else ""


def contract(g):
    """Named axes in any order: some only in one operand, at least one summed."""
    value = g.float_value(lambda v: v.rank >= 1)
    if not value or value.rank > 4:
        return
    letters = g.random.sample(string.ascii_lowercase, value.rank + 2)
    lhs, extra = letters[: value.rank], letters[value.rank :]
    sizes = dict(zip(lhs, value.shape))
    named = [x for x in lhs if g.is_named(sizes[x])]
    if not named:
        return
    summed = g.random.sample(named, g.random.randint(1, min(2, len(named))))
    shared = [x for x in named if x not in summed and g.chance(0.4)]
    new = extra[: g.random.randint(0, 2)]
    sizes |= {x: g.choice(SIZES[:8]) for x in new}
    rhs, result = [*summed, *shared, *new], [*new, *(x for x in lhs if x not in summed)]
    g.random.shuffle(rhs)
    g.random.shuffle(result)
    # A size of 1 repeats, in an operand, where the other one has the axis too.
    shape = [1 if x in shared and g.chance(0.1) else sizes[x] for x in rhs]
    made = [sizes[x] for x in result]
    products = g.count(made) * g.count([sizes[x] for x in summed])
    if not g.fits(shape, made) or products > MOST_PRODUCTS:
        return
    operands = [value, g.argument(shape, value.element)]
    left, right = "".join(lhs), "".join(rhs)
    if g.chance(0.3):
        operands, left, right = operands[::-1], right, left
    spec = f"{left},{right}->{''.join(result)}"
    option = precision_of(g, value.element)
    g.emit(
        "contract",
        f'fuse.contract "{spec}" {{o[0]}}, {{o[1]}}{option} : {{t[0]}}, {{t[1]}} -> {{r}}',
        operands,
        made,
        value.element,
    )


def attention(g):
    order = g.choice(["tokens_heads", "heads_tokens"])
    element, heads = g.choice(FLOATS), g.choice([1, 2, 4, 6])
    key_heads = g.choice([h for h in (1, 2, 3, 4, 6) if heads % h == 0])
    queries, keys = (g.choice([1, 2, 5, 8, 17, 33]) for _ in range(2))
    batch, head = g.choice([1, 2, 3]), g.choice([1, 2, 8, 16, 64])
    if g.chance(0.3):
        keys = queries
    if g.chance(0.4):
        queries, keys = g.new_dim(queries), g.new_dim(keys)
    if g.chance(0.2):
        batch = g.new_dim(batch)

    def shape(tokens, count):
        if order == "tokens_heads":
            return [batch, tokens, count, head]
        return [batch, count, tokens, head]

    def same(v):
        return v.element == element and list(v.shape) == shape(queries, heads)

    query = g.pick(same) or g.argument(shape(queries, heads), element)
    key, value = (g.argument(shape(keys, key_heads), element) for _ in range(2))
    causal = " causal" if g.chance(0.5) else ""
    scale = f" scale = {g.choice(['0.125', '1.0', '0.5'])}" if g.chance(0.4) else ""
    option = precision_of(g, element)
    g.emit(
        "attention",
        f"fuse.attention {order}{causal} {{o[0]}}, {{o[1]}}, {{o[2]}}{scale}{option} "
        ": {t[0]}, {t[1]}, {t[2]}",
        [query, key, value],
        query.shape,
        element,
    )


MAKERS = [
    (1.5, matmul),
    (2, linear),
    (1, siblings),
    (0.7, scaled_matmul),
    (1, contract),
    (0.4, attention),
]
