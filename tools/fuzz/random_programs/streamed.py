"""Attention that tensor cores or a CPU stream: written out, with a number of keys for each
sequence, with heads of keys that are repeated by hand, a sink, scores that grow along the keys,
or the logarithm of the sum beside it."""

from .composites import emit_softmax
from .contractions import emit_matmul
from .movement import emit_concat, emit_expand, emit_slice
from .pointwise import emit_binary, emit_compare

HEADS_AND_PARTS = [[0], [1, 2], [3], [4]]


def emit_collapse(g, value, groups, shape):
    return g.emit(
        "collapse",
        f"tensor.collapse_shape {{o[0]}} {groups} : {{t[0]}} into {{r}}",
        [value],
        shape,
        value.element,
        groups=groups,
    )


def repeated(g, value, times):
    """Each head, the second axis, so many times."""
    batch, heads, *rest = value.shape
    single = emit_expand(g, value, HEADS_AND_PARTS, [batch, heads, 1, *rest])
    many = g.emit(
        "broadcast",
        "fuse.broadcast {o[0]} : {t[0]} -> {r}",
        [single],
        [batch, heads, times, *rest],
        value.element,
    )
    return emit_collapse(g, many, HEADS_AND_PARTS, [batch, heads * times, *rest])


def positions(g, scores, dim):
    return g.emit("iota", f"fuse.iota dim = {dim} : {{r}}", [], scores.shape, "i32")


def visible(g, scores, batch):
    """The first scores of each sequence, as many as an argument says; or those up to the query's
    own position, or from one so far before it on."""
    keys = positions(g, scores, 3)
    if g.chance(0.6):
        length = g.argument([batch, 1, 1, 1], "i32")
        shown = emit_compare(g, g.choice(["le", "lt", "ge"]), keys, length)
    else:
        further = g.constant(str(g.choice([-3, 0, 40, 100])), (), "i32")
        bound = emit_binary(g, "add", positions(g, scores, 2), further)
        shown = emit_compare(g, g.choice(["le", "gt"]), keys, bound)
    hidden = g.constant("0xFF800000", (), "f32")
    return g.emit(
        "select",
        "fuse.select {o[0]}, {o[1]}, {o[2]} : {t[0]}, {t[1]}, {t[2]} -> {r}",
        [shown, scores, hidden],
        scores.shape,
        "f32",
    )


def steep(g, scores):
    """Neighbouring keys differ by so much that the maximum is another one soon."""
    keys = positions(g, scores, 3)
    slope = g.constant(g.choice(["0.1", "-0.1", "0.5", "-0.5"]), (), "f32")
    return emit_binary(
        g, "add", scores, emit_binary(g, "mul", g.cast(keys, "f32"), slope)
    )


def with_sink(g, scores):
    """Weights with a sink: a score of each head that has no value."""
    rows = [*scores.shape[:-1], 1]
    sink = g.emit(
        "broadcast",
        "fuse.broadcast {o[0]} : {t[0]} -> {r}",
        [g.argument([scores.shape[1], 1, 1], "f32")],
        rows,
        "f32",
    )
    both = emit_concat(g, [scores, sink], 3)
    if not both:
        return emit_softmax(g, "softmax", scores, [3])
    weights = emit_softmax(g, "softmax", both, [3])
    shape = list(scores.shape)
    return emit_slice(g, weights, [0] * 4, shape, [1] * 4, shape)


def streamed(g):
    element, size = g.choice(["bf16", "f16", "f32"]), g.choice([8, 16, 64])
    batch, heads, share = (
        g.choice([1, 2, 3]),
        g.choice([1, 2]),
        g.choice([1, 3, 4, 5]),
    )
    rows, keys = g.choice([1, 2, 5, 70]), g.choice([1, 17, 64, 65, 130, 200, 600])

    def shapes():
        many = heads * share
        return (
            [batch, many, rows, size],
            [batch, heads, keys, size],
            [batch, many, keys, size],
            [batch, many, rows, keys],
        )

    while not g.fits(*shapes()) and keys > 1:
        keys = (keys + 1) // 2
    if not g.fits(*shapes()):
        return
    query, key, _, scores = shapes()
    q, k, v = (g.argument(shape, element) for shape in (query, key, key))
    if share > 1:
        k, v = repeated(g, k, share), repeated(g, v, share)
    s = g.cast(emit_matmul(g, q, k, True, False, True, scores), "f32")
    if g.chance(0.5):
        s = visible(g, s, batch)
    if g.chance(0.2):
        s = steep(g, s)
    if g.chance(0.2):
        weights = with_sink(g, s)
    else:
        weights = emit_softmax(g, "softmax", s, [3])
        if g.chance(0.3):
            g.emit(
                "logsumexp",
                "fuse.logsumexp {o[0]} dims = [3] keep : {t[0]} -> {r}",
                [s],
                [*scores[:-1], 1],
                "f32",
            )
    weights = g.cast(weights, element)
    emit_matmul(g, weights, v, True, False, False, query)


MAKERS = [(0.6, streamed)]
