# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention that is compared with torch's: as an op, and written out with score arithmetic.

Queries are batch x heads x tokens x head size, keys and values likewise, in bf16. Nothing
here needs torch to be imported.
"""

import math
from dataclasses import dataclass

WINDOW_TOKENS, SOFT_CAP = 1024, 20.0


@dataclass(frozen=True)
class Case:
    """`scores` is "", for the op, or what is done to scores; `density` the share of them that
    is not masked; `rows` the queries of a head where they are fewer than the keys, as in
    decoding; `width` the features of the keys that are values, as in a latent cache; `second`
    those of a second product, whose keys all heads share, and which the scores are summed with."""

    name: str
    batch: int
    heads: int
    key_heads: int
    tokens: int
    head: int
    causal: bool
    scores: str = ""
    density: float = 1.0
    rows: int | None = None
    width: int | None = None
    second: int = 0

    @property
    def values(self):
        """Features of the values."""
        return self.width or self.head - self.second

    @property
    def queries(self):
        return self.rows or self.tokens

    @property
    def flops(self):
        pairs = self.batch * self.heads * self.queries * self.tokens * self.density
        return 2 * pairs * (self.head + self.values)

    @property
    def key_bytes(self):
        """Of keys and values, in bf16."""
        tensors = 1 if self.width else 2
        return 2 * tensors * self.batch * self.key_heads * self.tokens * self.head

    @property
    def program(self):
        if self.second:
            return _joined(self)
        if self.width:
            return _latent(self)
        return _written_out(self) if self.scores else _op(self)


def _dense(batch, heads, key_heads, tokens, head, causal):
    kind = "causal" if causal else "full"
    name = f"{kind} {batch} x {tokens}, {heads}/{key_heads} heads of {head}"
    density = 0.5 if causal else 1.0
    return Case(name, batch, heads, key_heads, tokens, head, causal, density=density)


DENSE = tuple(
    _dense(*shape, causal)
    for shape in (
        (4, 32, 8, 4096, 128),
        (1, 32, 8, 8192, 128),
        (8, 32, 8, 1024, 128),
        (1, 32, 8, 16384, 128),
        (4, 32, 32, 4096, 64),
    )
    for causal in (True, False)
    if shape[3] < 16384 or causal
)
SCORED = tuple(
    Case(name, 1, 16, 16, 4096, 128, name != "bias", name, density)
    for name, density in (
        ("window", 0.22),
        ("soft cap", 0.5),
        ("alibi", 0.5),
        ("bias", 1.0),
    )
)


def decoded(batch, heads, key_heads, rows, tokens, head=128):
    queries = "1 query" if rows == 1 else f"{rows} queries"
    name = f"{queries}, {batch} x {tokens} keys, {heads}/{key_heads} heads of {head}"
    return Case(name, batch, heads, key_heads, tokens, head, False, rows=rows)


DECODED = tuple(
    decoded(*shape)
    for shape in (
        (1, 32, 8, 1, 8192),
        (16, 32, 8, 1, 8192),
        (64, 32, 8, 1, 8192),
        (1, 32, 8, 1, 65536),
        (16, 32, 8, 4, 8192),
        (64, 64, 8, 1, 1024),
        (5, 28, 4, 1, 3000),
    )
)


LATENT = tuple(
    Case(
        f"1 query, {batch} x {tokens} latent keys, {heads} heads of 576/512",
        *(batch, heads, 1, tokens, 576, False),
        rows=1,
        width=512,
    )
    for batch, heads, tokens in ((1, 128, 8192), (16, 16, 8192), (32, 128, 4096))
)


# DeepSeek's, with keys of their own in prefill, and with a cache that is not expanded.
JOINED = (
    Case(
        "two products, causal 2 x 4096, 16 heads of 128 + 64",
        *(2, 16, 16, 4096, 192, True, "joined", 0.5),
        second=64,
    ),
    Case(
        "two products, 1 query, 16 x 8192 latent keys, 16 heads of 512 + 64",
        *(16, 16, 1, 8192, 576, False, "joined"),
        rows=1,
        width=512,
        second=64,
    ),
)


def all_cases():
    return DENSE + SCORED + DECODED + LATENT + JOINED


def _types(case):
    return (
        f"tensor<{case.batch}x{case.heads}x{case.queries}x{case.head}xbf16>",
        f"tensor<{case.batch}x{case.key_heads}x{case.tokens}x{case.head}xbf16>",
    )


def _op(case):
    q, k = _types(case)
    causal = "causal" if case.causal else ""
    return f"""func.func @attention(%q: {q}, %k: {k}, %v: {k}) -> {q} {{
  %r = fuse.attention heads_tokens {causal} %q, %k, %v : {q}, {k}, {k}
  return %r : {q}
}}"""


def _latent(case):
    q, k = _types(case)
    v, r = (
        each.replace(f"x{case.head}xbf16", f"x{case.width}xbf16") for each in (k, q)
    )
    return f"""func.func @attention(%q: {q}, %k: {k}) -> {r} {{
  %v = fuse.slice %k offsets = [0, 0, 0, 0] sizes = [-1, -1, -1, {case.width}] : {k} -> {v}
  %r = fuse.attention heads_tokens %q, %k, %v : {q}, {k}, {v}
  return %r : {r}
}}"""


# What makes %x of the scores %s in f32, of the shape $S; %seen is the causal mask.
_CAUSAL = """
  %i = fuse.iota dim = 2 : tensor<$Sxi32>
  %j = fuse.iota dim = 3 : tensor<$Sxi32>
  %seen = fuse.compare le %j, %i : tensor<$Sxi32>"""
_SCORES = {
    "window": _CAUSAL
    + f"""
  %width = fuse.constant dense<{WINDOW_TOKENS}> : tensor<i32>
  %back = fuse.sub %i, %j : tensor<$Sxi32>
  %near = fuse.compare lt %back, %width : tensor<$Sxi32>, tensor<i32>
  %both = fuse.and %seen, %near : tensor<$Sxi1>
  %x = fuse.select %both, %s, %nothing : tensor<$Sxi1>, tensor<$Sxf32>, tensor<f32>""",
    "soft cap": _CAUSAL
    + f"""
  %cap = fuse.constant dense<{SOFT_CAP}> : tensor<f32>
  %r0 = fuse.div %s, %cap : tensor<$Sxf32>, tensor<f32>
  %r1 = fuse.tanh %r0 : tensor<$Sxf32>
  %r2 = fuse.mul %r1, %cap : tensor<$Sxf32>, tensor<f32>
  %x = fuse.select %seen, %r2, %nothing : tensor<$Sxi1>, tensor<$Sxf32>, tensor<f32>""",
    "alibi": _CAUSAL
    + """
  %fi = fuse.cast %i : tensor<$Sxi32> -> tensor<$Sxf32>
  %fj = fuse.cast %j : tensor<$Sxi32> -> tensor<$Sxf32>
  %away = fuse.sub %fj, %fi : tensor<$Sxf32>
  %less = fuse.mul %away, %extra : tensor<$Sxf32>, tensor<1x16x1x1xf32>
  %y = fuse.add %s, %less : tensor<$Sxf32>
  %x = fuse.select %seen, %y, %nothing : tensor<$Sxi1>, tensor<$Sxf32>, tensor<f32>""",
    "bias": """
  %wide = fuse.cast %extra : tensor<$Sxbf16> -> tensor<$Sxf32>
  %x = fuse.add %s, %wide : tensor<$Sxf32>""",
}


def _written_out(case):
    q, k = _types(case)
    shape = f"{case.batch}x{case.heads}x{case.tokens}x{case.tokens}"
    extra = {
        "alibi": f", %extra: tensor<1x{case.heads}x1x1xf32>",
        "bias": f", %extra: tensor<{shape}xbf16>",
    }.get(case.scores, "")
    return f"""func.func @attention(%q: {q}, %k: {k}, %v: {k}{extra}) -> {q} {{
  %p = fuse.matmul %q, %k transpose_rhs : {q}, {k} -> tensor<{shape}xbf16>
  %wide_p = fuse.cast %p : tensor<{shape}xbf16> -> tensor<{shape}xf32>
  %scale = fuse.constant dense<{1 / math.sqrt(case.head)}> : tensor<f32>
  %nothing = fuse.constant dense<0xFF800000> : tensor<f32>
  %s = fuse.mul %wide_p, %scale : tensor<{shape}xf32>, tensor<f32>{_SCORES[case.scores].replace("$S", shape)}
  %w32 = fuse.softmax %x dims = [3] : tensor<{shape}xf32>
  %w = fuse.cast %w32 : tensor<{shape}xf32> -> tensor<{shape}xbf16>
  %o = fuse.matmul %w, %v : tensor<{shape}xbf16>, {k} -> {q}
  return %o : {q}
}}"""


def _joined(case):
    """Values of their own, or the first part of the keys."""

    def tensor(*shape, element="bf16"):
        return f"tensor<{'x'.join(map(str, (case.batch, *shape)))}x{element}>"

    first, second = case.head - case.second, case.second
    q1, q2 = (tensor(case.heads, case.queries, part) for part in (first, second))
    k1, k2 = tensor(case.key_heads, case.tokens, first), tensor(1, case.tokens, second)
    v, r = (
        tensor(heads, rows, case.values)
        for heads, rows in (
            (case.key_heads, case.tokens),
            (case.heads, case.queries),
        )
    )
    s16, s32, i32, i1 = (
        tensor(case.heads, case.queries, case.tokens, element=element)
        for element in ("bf16", "f32", "i32", "i1")
    )
    values = "%k1" if case.width else "%v"
    mask = f"""
  %i = fuse.iota dim = 2 : {i32}
  %j = fuse.iota dim = 3 : {i32}
  %seen = fuse.compare le %j, %i : {i32}
  %x = fuse.select %seen, %s, %nothing : {i1}, {s32}, tensor<f32>"""
    return f"""func.func @attention(%q1: {q1}, %q2: {q2}, %k1: {k1}, %k2: {k2}{"" if case.width else f", %v: {v}"}) -> {r} {{
  %p1 = fuse.contract "bhqd,bhkd->bhqk" %q1, %k1 : {q1}, {k1} -> {s16}
  %p2 = fuse.contract "bhqd,bhkd->bhqk" %q2, %k2 : {q2}, {k2} -> {s16}
  %p = fuse.add %p1, %p2 : {s16}
  %wide_p = fuse.cast %p : {s16} -> {s32}
  %scale = fuse.constant dense<{1 / math.sqrt(case.head)}> : tensor<f32>
  %nothing = fuse.constant dense<0xFF800000> : tensor<f32>
  %s = fuse.mul %wide_p, %scale : {s32}, tensor<f32>{mask if case.causal else ""}
  %w32 = fuse.softmax {"%x" if case.causal else "%s"} dims = [3] : {s32}
  %w = fuse.cast %w32 : {s32} -> {s16}
  %o = fuse.contract "bhqk,bhkd->bhqd" %w, {values} : {s16}, {v} -> {r}
  return %o : {r}
}}"""
