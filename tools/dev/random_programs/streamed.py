"""Attention that tensor cores stream, with few queries: written out, with a number of keys
for each sequence, or with heads of keys that are repeated by hand."""

from .composites import emit_softmax
from .contractions import emit_matmul
from .movement import emit_expand
from .pointwise import emit_compare

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


def visible(g, scores, batch):
    """The first scores of each sequence, as many as an argument says."""
    places = g.emit("iota", "fuse.iota dim = 3 : {r}", [], scores.shape, "i32")
    length = g.argument([batch, 1, 1, 1], "i32")
    shown = emit_compare(g, g.choice(["le", "lt", "ge"]), places, length)
    hidden = g.constant("0xFF800000", (), "f32")
    return g.emit(
        "select",
        "fuse.select {o[0]}, {o[1]}, {o[2]} : {t[0]}, {t[1]}, {t[2]} -> {r}",
        [shown, scores, hidden],
        scores.shape,
        "f32",
    )


def streamed(g):
    element, size = g.choice(["bf16", "f16"]), g.choice([8, 16, 64])
    batch, heads, share = (
        g.choice([1, 2, 3]),
        g.choice([1, 2]),
        g.choice([1, 3, 4, 5]),
    )
    rows, keys = g.choice([1, 2, 5]), g.choice([1, 17, 64, 65, 130, 200, 600])

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
    weights = g.cast(emit_softmax(g, "softmax", s, [3]), element)
    emit_matmul(g, weights, v, True, False, False, query)


MAKERS = [(0.6, streamed)]
