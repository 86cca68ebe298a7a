"""Pointwise ops, casts, sources, and reductions."""

from .program import FLOATS, INTS, SMALL, STORAGE

UNARY = (
    "exp exp2 expm1 sqrt rsqrt recip sin cos tanh erf sigmoid floor ceil round trunc"
)
UNARY = [*UNARY.split(), *"log log2 log1p silu".split()]
UNARY_NUMBER = "neg abs sign relu".split()
BINARY = "add sub mul div min max".split()
PREDICATES = "eq ne lt le gt ge".split()
FORMS = "tanh erf sigmoid".split()
ELEMENTS = [*FLOATS, "f32", "i1", *INTS, *SMALL]
NUMBERS = (*FLOATS, *INTS, *SMALL)


def unary(g):
    if g.chance(0.25):
        value, op = g.of_elements(NUMBERS), g.choice(UNARY_NUMBER)
    else:
        value, op = g.float_value(), g.choice(UNARY)
    g.emit(op, f"fuse.{op} {{o[0]}} : {{t[0]}}", [value], value.shape, value.element)


def emit_binary(g, op, value, other, swap=False):
    operands = [other, value] if swap else [value, other]
    return g.emit(
        op.split()[0],
        f"fuse.{op} {{o[0]}}, {{o[1]}} : {{t[0]}}, {{t[1]}} -> {{r}}",
        operands,
        value.shape,
        value.element,
    )


def binary(g):
    value = g.of_elements(NUMBERS)
    other = g.partner(value)
    options = list(BINARY)
    if value.element in FLOATS:
        options += ["add", "mul", "sub", "pow", "swiglu", f"geglu {g.choice(FORMS)}"]
    emit_binary(g, g.choice(options), value, other, g.chance(0.3))


def logic(g):
    value = g.pick(lambda v: v.element == "i1")
    if not value:
        return compare(g)
    if g.chance(0.3):
        g.emit("not", "fuse.not {o[0]} : {t[0]}", [value], value.shape, "i1")
    else:
        emit_binary(
            g, g.choice(["and", "or", "xor"]), value, g.partner(value), g.chance(0.3)
        )


def compare(g):
    value = g.pick(lambda v: v.element not in STORAGE)
    return emit_compare(g, g.choice(PREDICATES), value, g.partner(value)), value


def emit_compare(g, predicate, value, other, shape=None):
    return g.emit(
        "compare",
        f"fuse.compare {predicate} {{o[0]}}, {{o[1]}} : {{t[0]}}, {{t[1]}} -> {{r}}",
        [value, other],
        value.shape if shape is None else shape,
        "i1",
        predicate=predicate,
    )


def select(g):
    value = g.pick(lambda v: v.element not in STORAGE)
    shapes = (value.shape, (), (1,) * min(1, value.rank))
    flag = g.pick(lambda v: v.element == "i1" and v.shape in shapes)
    if not flag and g.chance(0.5):
        flag = g.argument(g.broadcast_of(value.shape), "i1")
    elif not flag:
        flag, value = compare(g)
    other = g.partner(value)
    operands = [flag, other, value] if g.chance(0.3) else [flag, value, other]
    g.emit(
        "select",
        "fuse.select {o[0]}, {o[1]}, {o[2]} : {t[0]}, {t[1]}, {t[2]} -> {r}",
        operands,
        value.shape,
        value.element,
    )


def clamp(g):
    value = g.of_elements(NUMBERS)
    g.emit(
        "clamp",
        "fuse.clamp {o[0]}, {o[1]}, {o[2]} : {t[0]}, {t[1]}, {t[2]} -> {r}",
        [value, g.partner(value), g.partner(value)],
        value.shape,
        value.element,
    )


def gelu(g):
    value, form = g.float_value(), g.choice(FORMS)
    g.emit(
        "gelu",
        f"fuse.gelu {form} {{o[0]}} : {{t[0]}}",
        [value],
        value.shape,
        value.element,
    )


def casting(g):
    g.cast(g.pick(lambda v: v.element not in STORAGE), g.choice(ELEMENTS))


def table(g):
    """A constant with several elements."""
    element = g.choice(ELEMENTS)
    shape = g.choice([(3,), (1, 4), (2, 2), (8,)])
    value = g.pick(lambda v: v.shape and v.shape[-1] == shape[-1])
    if value and g.chance(0.7):
        element, shape = value.element, (shape[-1],)
    if element in STORAGE:
        return
    rows = [[g.number(element) for _ in range(shape[-1])] for _ in range(shape[0])]
    texts = ["[" + ", ".join(row) + "]" for row in rows]
    g.constant(texts[0] if len(shape) == 1 else f"[{', '.join(texts)}]", shape, element)


def iota(g):
    value = g.pick(lambda v: v.shape)
    if not value:
        return
    axis = g.random.randrange(value.rank)
    end = " from_end" if g.chance(0.3) else ""
    element = g.choice(["i32", "f32", "i64", "f64", "i16"])
    if value.is_static() and g.chance(0.4):
        text, operands = f"fuse.iota dim = {axis}{end} : {{r}}", []
    else:
        text = f"fuse.iota dim = {axis}{end} like {{o[0]}} : {{t[0]}} -> {{r}}"
        operands = [value]
    g.emit("iota", text, operands, value.shape, element)


def reduce(g):
    value = g.pick(lambda v: v.shape and v.element not in STORAGE)
    if not value:
        return
    kinds = ["sum", "max", "min", "prod", "sum", "max"]
    if value.element == "i1":
        kinds = ["any", "all"]
    elif value.element in FLOATS:
        kinds += ["mean", "mean"]
    emit_reduce(g, g.choice(kinds), value, some_dims(g, value.rank), g.chance(0.6))


def some_dims(g, rank):
    """Often the last ones, seldom none."""
    if g.chance(0.02):
        return []
    if g.chance(0.6):
        return list(range(rank - g.random.randint(1, min(2, rank)), rank))
    return sorted(g.random.sample(range(rank), g.random.randint(1, rank)))


def reduced_shape(shape, dims, keep):
    return [1 if i in dims else s for i, s in enumerate(shape) if keep or i not in dims]


def emit_reduce(g, kind, value, dims, keep):
    return g.emit(
        "reduce",
        f"fuse.reduce {kind} {{o[0]}} dims = {dims}{' keep' if keep else ''} "
        ": {t[0]} -> {r}",
        [value],
        reduced_shape(value.shape, dims, keep),
        value.element,
        reduction=kind,
        dims=dims,
        keep=keep,
    )


MAKERS = [
    (5, unary),
    (7, binary),
    (1, logic),
    (1, compare),
    (2, select),
    (1, clamp),
    (1, gelu),
    (2, casting),
    (0.4, table),
    (1, iota),
    (4, reduce),
]
