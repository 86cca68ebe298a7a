# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scaled dot-product attention, in primitives.

The letters of axes: h heads of keys, g query heads that share one, l queries, m keys,
d features, e columns of the values; others are batches.
"""

from fuse_compiler.lang._builder import Unsupported
from fuse_compiler.lang._pointwise import (
    abs_,
    add,
    cast,
    compare,
    div,
    exp,
    log,
    mul,
    sub,
    where,
)
from fuse_compiler.lang._reduce import einsum, look_through, max_, softmax, sum_
from fuse_compiler.lang._shapes import (
    broadcast_to,
    iota,
    reshape,
    squeeze,
    transpose,
)

_BATCH = "uvwxyz"


def attention(q, k, v, scale=None, causal=False, mask=None):
    """softmax(q k^T * scale + mask) v, with one softmax for each head and query.

    q, k, v  [.., heads, tokens, features]; with fewer key than query heads, each key head
             serves as many query heads that follow each other; values may have any columns
    scale    1 / sqrt(features) if None
    causal   whether query i sees the keys up to i only
    mask     i1, true where a query sees a key, or of floats, which are added; its shape
             repeats to [.., heads, queries, keys]

    A query that sees no key gives 0. Scores and weights are computed in f32.
    """
    q, v, wide, axes = _scores(q, k, v, scale, causal, mask)
    weights = softmax(wide) if mask is None else _softmax_and_sums(wide, True)[0]
    return _weighted(weights, q, v, axes)


def attention_and_sums(q, k, v, scale=None, causal=False, mask=None):
    """As attention, and the logarithms of the sums, [.., heads, queries], for gradients.

    A query's sum is of exp(score), so that its weights are exp(score - logarithm); the logarithm
    is 0 where a query sees no key.
    """
    q, v, wide, axes = _scores(q, k, v, scale, causal, mask)
    weights, most, total = _softmax_and_sums(wide, mask is not None)
    sums = add(most, log(total))
    if mask is not None:
        sums = where(compare("eq", total, 0.0), 0.0, sums)
    batch, _, heads = axes
    shape = (*wide.shape[: len(batch)], heads, wide.shape[-2])
    return _weighted(weights, q, v, axes), reshape(sums, shape)


def _scores(q, k, v, scale, causal, mask):
    """The queries by groups, the values without repetition, scores in f32, and what axes they have.

    Those are the letters of batches, of a row of scores, and the number of heads.
    """
    if q.ndim < 3 or k.ndim != q.ndim or v.ndim != q.ndim:
        raise Unsupported(
            f"expected [heads, tokens, features] and as many batch dims for each, but got ranks "
            f"{q.ndim}, {k.ndim} and {v.ndim}; reshape them"
        )
    heads, features = q.shape[-3], q.shape[-1]
    k, v = _without_repetition(k, v)
    groups = _groups(heads, k.shape[-3])
    if scale is None:
        if not isinstance(features, int):
            raise Unsupported(
                f"expected a scale where the features are {features}, but got none; give one"
            )
        scale = features**-0.5
    batch = _BATCH[: q.ndim - 3]
    rows = batch + ("hg" if groups != 1 else "h")
    queries, q = _split_heads(*look_through(f"{batch}hld", q), groups)
    scores = einsum(f"{queries},{batch}hmd->{rows}lm", q, k)
    wide = mul(scores if q.dtype == "f64" else cast(scores, "f32"), float(scale))
    wide = _masked(wide, mask, causal, len(batch), heads)
    return q, v, wide, (batch, rows, heads)


def _weighted(weights, q, v, axes):
    """The sums of values by their weights, [.., heads, queries, columns]."""
    batch, rows, heads = axes
    result = einsum(
        f"{rows}lm,{batch}hme->{batch}l{rows[len(batch) :]}e", cast(weights, q.dtype), v
    )
    return _merge_heads(result, len(batch), heads)


def _groups(heads, key_heads):
    """How many query heads share a key head."""
    if heads == key_heads:
        return 1
    numbers = isinstance(heads, int) and isinstance(key_heads, int)
    if not numbers or heads % key_heads:
        raise Unsupported(
            f"expected query heads that are a multiple of the key heads, but got {heads} and "
            f"{key_heads}; repeat the keys"
        )
    return heads // key_heads


def _without_repetition(k, v):
    """Keys and values as they were before each head was repeated for its queries."""
    bases = [_before_repetition(x) for x in (k, v)]
    if any(b is None for b in bases) or bases[0].shape[-3] != bases[1].shape[-3]:
        return k, v
    return bases


def _before_repetition(x):
    """[.., h, m, d] of what is [.., h, repeated, m, d] with two dims joined, or None."""
    if not x.source or x.source[0] != "reshape":
        return None
    repeated = x.source[1]
    if not repeated.source or repeated.source[0] != "repeated":
        return None
    base, axis = repeated.source[1], x.ndim - 2
    apart = repeated.ndim == x.ndim + 1 and repeated.shape[:axis] == base.shape[:axis]
    if not apart or repeated.shape[axis + 1 :] != base.shape[axis + 1 :]:
        return None
    return squeeze(base, [axis])


def _split_heads(letters, q, groups):
    """Query head h * groups + g as [h, g], where the heads lie in memory."""
    if groups == 1:
        return letters, q
    at = letters.index("h")
    split = (q.shape[at] // groups, groups)
    q = reshape(q, (*q.shape[:at], *split, *q.shape[at + 1 :]))
    return letters.replace("h", "hg"), q


def _merge_heads(result, batch, heads):
    """[.., l, h, g, e] as [.., heads, l, e]: the heads of a token lie together in memory."""
    shape = (*result.shape[: batch + 1], heads, result.shape[-1])
    order = [*range(batch), batch + 1, batch, batch + 2]
    return transpose(reshape(result, shape), order)


def _masked(scores, mask, causal, batch, heads):
    """Scores, -inf where a query must not see a key."""
    hidden, rank = float("-inf"), scores.ndim
    if causal:
        positions = [
            iota(scores.builder, scores.shape, axis, "i32")
            for axis in (rank - 2, rank - 1)
        ]
        scores = where(compare("le", positions[1], positions[0]), scores, hidden)
    if mask is None:
        return scores
    apart = scores.shape[batch:-2]
    whole = (*scores.shape[:batch], heads, *scores.shape[-2:])
    mask = broadcast_to(mask, whole)
    if len(apart) > 1:
        mask = reshape(mask, (*whole[:batch], *apart, *whole[-2:]))
    if mask.dtype == "i1":
        return where(mask, scores, hidden)
    return add(scores, cast(mask, scores.dtype))


def _softmax_and_sums(x, may_be_empty):
    """A softmax of the last axis, the largest elements, and the sums of exponentials.

    may_be_empty  whether there are rows of -inf alone, which give 0
    """
    most = max_(x, -1, keepdims=True)
    shift = most
    if may_be_empty:
        shift = where(compare("eq", abs_(most), float("inf")), 0.0, most)
    exponentials = exp(sub(x, shift))
    total = sum_(exponentials, -1, keepdims=True)
    inverse = div(_one(total), total)
    if may_be_empty:
        inverse = where(compare("eq", total, 0.0), 0.0, inverse)
    return mul(exponentials, inverse), most, total


def _one(like):
    return like.builder.constant(1.0, like.dtype)
