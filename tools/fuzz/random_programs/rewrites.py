"""Other programs that compute the same.

A rewrite takes an op and returns a value that equals its result, or None where it
does not apply. An insertion takes a value and returns its equal. What is computed
in another order rounds in another way: results agree within the bounds of both.
"""

from .movement import emit_concat, emit_expand, emit_reverse, emit_slice
from .movement import emit_transpose
from .pointwise import emit_binary, emit_compare, emit_reduce
from .program import FLOATS, STORAGE, Function, Op, Value


class Twin:
    """Emits ops into a new function; the generator's chance and sizes."""

    def __init__(self, generator, fill):
        self.generator, self.fill = generator, fill
        self.ops, self.new = [], {}

    def __getattr__(self, name):
        return getattr(self.generator, name)

    def emit(self, kind, template, operands, shape, element, **facts):
        value = Value(f"%w{len(self.ops)}", shape, element)
        self.ops.append(Op(kind, template, list(operands), value, facts))
        return value

    def cast(self, value, element):
        text = "fuse.cast {o[0]} : {t[0]} -> {r}"
        return self.emit("cast", text, [value], value.shape, element)

    def unary(self, op, value):
        text = f"fuse.{op} {{o[0]}} : {{t[0]}}"
        return self.emit(op, text, [value], value.shape, value.element)

    def scalar(self, text, element):
        return self.emit(
            "constant", f"fuse.constant dense<{text}> : {{r}}", [], (), element
        )

    def copy(self, op, operands):
        return self.emit(
            op.kind, op.template, operands, op.result.shape, op.result.element
        )


# Rewrites of one op. `o` are its operands in the new function.


def swap(t, op, o):
    return t.copy(op, [o[1], o[0]])


def subtract(t, op, o):
    """x - y = x + (-y)"""
    return t.emit(
        "add",
        "fuse.add {o[0]}, {o[1]} : {t[0]}, {t[1]} -> {r}",
        [o[0], t.unary("neg", o[1])],
        op.result.shape,
        op.result.element,
    )


def double(t, op, o):
    """x + x = 2 x"""
    if o[0] is not o[1]:
        return swap(t, op, o)
    number = "2.0" if o[0].element in FLOATS else "2"
    return emit_binary(t, "mul", o[0], t.scalar(number, o[0].element))


def larger(t, op, o):
    """max(x, y) = -min(-x, -y)"""
    if op.result.element not in FLOATS:
        return swap(t, op, o)
    other = {"max": "min", "min": "max"}[op.kind]
    inner = t.emit(
        other,
        f"fuse.{other} {{o[0]}}, {{o[1]}} : {{t[0]}}, {{t[1]}} -> {{r}}",
        [t.unary("neg", o[0]), t.unary("neg", o[1])],
        op.result.shape,
        op.result.element,
    )
    return t.unary("neg", inner)


def turn_comparison(t, op, o):
    opposite = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}
    predicate = op.facts["predicate"]
    turned = opposite.get(predicate, predicate)
    return emit_compare(t, turned, o[1], o[0], op.result.shape)


def turn_selection(t, op, o):
    return t.copy(op, [t.unary("not", o[0]), o[2], o[1]])


def relu(t, op, o):
    zero = "0.0" if o[0].element in FLOATS else "0"
    return emit_binary(t, "max", o[0], t.scalar(zero, o[0].element))


def silu(t, op, o):
    return emit_binary(t, "mul", o[0], t.unary("sigmoid", o[0]))


def magnitude(t, op, o):
    if o[0].element == "ui8":
        return None
    return emit_binary(t, "max", o[0], t.unary("neg", o[0]))


def clamp(t, op, o):
    return emit_binary(t, "min", emit_binary(t, "max", o[0], o[1]), o[2])


def split_reduction(t, op, o):
    """Over two dimensions: first over the last, then over the other ones."""
    kind, dims, keep = (op.facts[x] for x in ("reduction", "dims", "keep"))
    if len(dims) < 2 or kind == "mean":
        return None
    inner = emit_reduce(t, kind, o[0], dims[-1:], keep)
    return emit_reduce(t, kind, inner, dims[:-1], keep)


def reduce_transposed(t, op, o):
    """The reduced dimensions first, or last."""
    kind, dims, keep = (op.facts[x] for x in ("reduction", "dims", "keep"))
    if keep or not dims:
        return None
    rest = [i for i in range(o[0].rank) if i not in dims]
    permutation = [*dims, *rest] if t.chance(0.5) else [*rest, *dims]
    moved = emit_transpose(t, o[0], permutation)
    return emit_reduce(t, kind, moved, sorted(map(permutation.index, dims)), False)


def mean(t, op, o):
    """The sum, divided by a constant."""
    dims, keep = op.facts["dims"], op.facts["keep"]
    sizes = [o[0].shape[i] for i in dims]
    if op.facts["reduction"] != "mean" or not all(isinstance(s, int) for s in sizes):
        return None
    total = emit_reduce(t, "sum", o[0], dims, keep)
    count = t.scalar(f"{float(t.count(sizes))!r}", o[0].element)
    return emit_binary(t, "div", total, count)


def reduction(t, op, o):
    options = [split_reduction, reduce_transposed, mean]
    t.random.shuffle(options)
    for rewrite in options:
        if rewrite.__name__ not in t.banned and (value := rewrite(t, op, o)):
            return value
    return None


def wide(t, value):
    return t.cast(value, "f32") if value.element in ("f16", "bf16") else value


def softmax(t, op, o):
    x, dims = wide(t, o[0]), op.facts["dims"]
    shifted = emit_binary(t, "sub", x, emit_reduce(t, "max", x, dims, True))
    powers = t.unary("exp", shifted)
    total = emit_reduce(t, "sum", powers, dims, True)
    if op.kind == "softmax":
        result = emit_binary(t, "div", powers, total)
    else:
        result = emit_binary(t, "sub", shifted, t.unary("log", total))
    return result if result.element == o[0].element else t.cast(result, o[0].element)


def rms_norm(t, op, o):
    """Only where nothing overflows."""
    if t.fill not in ("normal", "small"):
        return None
    x = wide(t, o[0])
    squares = emit_reduce(t, "mean", emit_binary(t, "mul", x, x), [x.rank - 1], True)
    eps = t.scalar(op.facts["eps"], x.element)
    scale = t.unary("rsqrt", emit_binary(t, "add", squares, eps))
    result = emit_binary(t, "mul", x, scale)
    if len(o) > 1:
        result = emit_binary(t, "mul", result, wide(t, o[1]))
    return result if result.element == o[0].element else t.cast(result, o[0].element)


def matmul(t, op, o):
    """As a contraction; without batches, which may broadcast."""
    if o[0].rank != 2 or o[1].rank != 2:
        return None
    spec = ("km" if op.facts["flags"][0] else "mk") + ","
    spec += ("nk" if op.facts["flags"][1] else "kn") + "->mn"
    return t.emit(
        "contract",
        f'fuse.contract "{spec}" {{o[0]}}, {{o[1]}} : {{t[0]}}, {{t[1]}} -> {{r}}',
        o,
        op.result.shape,
        op.result.element,
    )


REWRITES = {
    "add": double,
    "mul": swap,
    "and": swap,
    "or": swap,
    "sub": subtract,
    "min": larger,
    "max": larger,
    "compare": turn_comparison,
    "select": turn_selection,
    "relu": relu,
    "silu": silu,
    "abs": magnitude,
    "clamp": clamp,
    "reduce": reduction,
    "softmax": softmax,
    "log_softmax": softmax,
    "rms_norm": rms_norm,
    "matmul": matmul,
}

# Insertions: what a value equals.


def through_cast(t, value):
    """Every number of the type is one of the wider type."""
    wider = {"f16": "f32", "bf16": "f32", "f32": "f64", "i32": "i64", "i1": "i32"}
    wider |= {"i8": "i16", "i16": "i32", "ui8": "i16"}
    if value.element not in wider:
        return None
    return t.cast(t.cast(value, wider[value.element]), value.element)


def through_reshape(t, value):
    if not value.is_static() or not value.rank:
        return None
    groups = [list(range(value.rank))]
    text = f"tensor.collapse_shape {{o[0]}} {groups} : {{t[0]}} into {{r}}"
    flat = t.emit("collapse", text, [value], [t.count(value.shape)], value.element)
    return emit_expand(t, flat, groups, list(value.shape))


def through_transpose(t, value):
    if not value.rank:
        return None
    permutation = t.random.sample(range(value.rank), value.rank)
    inverse = [permutation.index(i) for i in range(value.rank)]
    return emit_transpose(t, emit_transpose(t, value, permutation), inverse)


def through_reverse(t, value):
    if not value.rank:
        return None
    dims = [t.random.randrange(value.rank)]
    return emit_reverse(t, emit_reverse(t, value, dims), dims)


def through_slices(t, value):
    """Two parts, put together again."""
    axes = [i for i, size in enumerate(value.shape) if isinstance(size, int)]
    if not axes:
        return None
    axis = t.choice(axes)
    size = value.shape[axis]
    cut = t.random.randint(0, size)
    parts = []
    for first, length in ((0, cut), (cut, size - cut)):
        offsets = [first if i == axis else 0 for i in range(value.rank)]
        sizes = [length if i == axis else -1 for i in range(value.rank)]
        shape = [length if i == axis else s for i, s in enumerate(value.shape)]
        parts.append(emit_slice(t, value, offsets, sizes, [1] * value.rank, shape))
    return emit_concat(t, parts, axis)


INSERTIONS = [through_cast, through_reshape, through_transpose, through_reverse]
INSERTIONS += [through_slices]
# The makers whose ops a rewrite needs.
NEEDS = {
    "reduce_transposed": ["transpose"],
    "through_transpose": ["transpose"],
    "through_reverse": ["reverse"],
    "through_slices": ["slice_", "concat"],
}


def make_twin(generator, function, fill):
    """A function of the same results as `function`; None if nothing changed."""
    twin = Twin(generator, fill)
    absent = set(generator.without)
    twin.banned = {name for name, needs in NEEDS.items() if absent & set(needs)}
    insertions = [x for x in INSERTIONS if x.__name__ not in twin.banned]
    new, changed = {id(v): v for v in function.arguments}, False
    for op in function.ops:
        operands = [new[id(v)] for v in op.operands]
        value = None
        if op.kind in REWRITES and twin.chance(0.6):
            value = REWRITES[op.kind](twin, op, operands)
        changed |= value is not None
        value = value or twin.copy(op, operands)
        if op.result.element not in STORAGE and twin.chance(0.1):
            inserted = twin.choice(insertions)(twin, value)
            changed |= inserted is not None
            value = inserted or value
        new[id(op.result)] = value
    if not changed:
        return None
    results = [new[id(v)] for v in function.results]
    return Function("twin", function.arguments, twin.ops, results).live()
