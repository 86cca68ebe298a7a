"""Attention that tensor cores or a CPU stream: written out, with a number of keys for each
sequence, with heads of keys that are repeated by hand, a sink, scores that grow along the keys
or are sums of two products, or the logarithm of the sum beside it. Keys and values may lie in pages, be of 8-bit floats, or
one be features of the other, with heads that one consumer has no registers for."""

from .composites import emit_softmax
from .contractions import emit_matmul
from .movement import emit_concat, emit_expand, emit_slice, emit_transpose, ids_for
from .pointwise import emit_binary, emit_compare
from .quantized import FORMATS, times

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


def paged(g, element, ids, shape, rows):
    """[batch, heads, keys, size] that lies in pages of `rows` keys."""
    batch, heads, keys, size = shape
    pages, cached = keys // rows, g.choice([1, 3, 5])
    cache = g.argument([cached, heads, rows, size], element)
    found = g.emit(
        "gather",
        "fuse.gather {o[0]}, {o[1]} dim = 0 : {t[0]}, {t[1]} -> {r}",
        [cache, ids],
        [batch, pages, heads, rows, size],
        element,
    )
    by_heads = emit_transpose(g, found, [0, 2, 1, 3, 4])
    return emit_collapse(g, by_heads, [[0], [1], [2, 3], [4]], shape)


def scaled(g, value):
    """With a factor of the tensor, of heads, or of tokens; or none."""
    batch, heads, keys, _ = value.shape
    shape = g.choice([None, [1, 1, 1, 1], [1, heads, 1, 1], [batch, heads, keys, 1]])
    return times(g, value, shape) if shape else value


def keys_and_values(g, element, shape, width):
    """Values have the first `width` features, of the keys or of their own."""
    stored = g.choice(FORMATS) if g.chance(0.25) else element
    batch, _, keys, size = shape
    pages = [n for n in (5, 8, 16, 32, 64) if keys % n == 0]
    rows = g.choice(pages) if pages and g.chance(0.4) else None
    ids = ids_for(g, [batch, keys // rows]) if rows else None

    def make(features):
        its = [*shape[:-1], features]
        value = paged(g, stored, ids, its, rows) if rows else g.argument(its, stored)
        return value if stored == element else scaled(g, g.cast(value, element))

    key = make(size)
    if width <= size and g.chance(0.3):
        if width == size:
            return key, key
        cut = [*shape[:-1], width]
        return key, emit_slice(g, key, [0] * 4, cut, [1] * 4, cut)
    return key, make(width)


def of_two_parts(g, scores, query):
    """The scores plus those of more features, of whose keys heads may share one; in the order
    of casts, factors and the sum that people write."""
    batch, many, _, keys = scores.shape
    features = g.choice([8, 32, 64, 64])
    q = g.argument([*query[:-1], features], scores.element)
    k = g.argument([batch, g.choice([1, many]), keys, features], scores.element)
    parts = [scores, emit_matmul(g, q, k, True, False, True, scores.shape)]
    if g.chance(0.3):
        factor = g.constant("0.25", (), "f32")
        parts = [emit_binary(g, "mul", g.cast(part, "f32"), factor) for part in parts]
    if g.chance(0.5):
        parts.reverse()
    return g.cast(emit_binary(g, "add", *parts), "f32")


def widths(g):
    """Of keys and values; rarely wide."""
    if g.chance(0.15):
        return g.choice([(576, 512), (320, 320), (272, 64), (64, 264), (192, 128)])
    size = g.choice([8, 16, 64])
    return size, size


def streamed(g):
    element, (size, width) = g.choice(["bf16", "f16", "f32"]), widths(g)
    batch, heads, share = (
        g.choice([1, 2, 3]),
        g.choice([1, 2]),
        g.choice([1, 3, 4, 5]),
    )
    rows = g.choice([1, 2, 5, 70])
    keys = g.choice([1, 17, 64, 65, 80, 130, 192, 200, 600])

    def shapes():
        many = heads * share
        return (
            [batch, many, rows, size],
            [batch, heads, keys, size],
            [batch, many, keys, max(size, width)],
            [batch, many, rows, keys],
        )

    while not g.fits(*shapes()) and keys > 1:
        keys = (keys + 1) // 2
    if not g.fits(*shapes()):
        return
    query, key, _, scores = shapes()
    q = g.argument(query, element)
    k, v = keys_and_values(g, element, key, width)
    if share > 1:
        k, v = repeated(g, k, share), repeated(g, v, share)
    s = emit_matmul(g, q, k, True, False, True, scores)
    s = of_two_parts(g, s, query) if g.chance(0.3) else g.cast(s, "f32")
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
    emit_matmul(g, weights, v, True, False, False, [*query[:-1], width])


MAKERS = [(0.6, streamed)]
