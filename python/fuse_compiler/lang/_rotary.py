# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rotary position embeddings."""

from fuse_compiler.lang._builder import Unsupported
from fuse_compiler.lang._pointwise import cast, cos, mul, sin
from fuse_compiler.lang._shapes import concat, reshape, slice_
from fuse_compiler.lang._types import literal

# By kind, the fields that are whole numbers; the others are floats or lists of floats.
_WHOLE = ("original_max_position",)
KINDS = ("linear", "ntk", "llama3", "yarn", "longrope")


def scaling_attribute(scaling):
    """A dict such as {"kind": "linear", "factor": 8.0} as the attribute of the op.

    kind    linear, ntk, llama3, yarn or longrope
    others  the attribute's parameters by name (docs/dialect.md)
    """
    fields = dict(scaling)
    kind = fields.pop("kind", None)
    if kind not in KINDS:
        raise Unsupported(
            f"expected a scaling of {', '.join(KINDS)}, but got {kind!r}; give it as 'kind'"
        )
    parts = ", ".join(f"{name} = {_field(name, v)}" for name, v in fields.items())
    return f"#fuse.rope_{kind}<{parts}>"


def _field(name, value):
    if isinstance(value, bool):
        return str(value).lower()
    if name in _WHOLE:
        return str(int(value))
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(literal(v, "f64") for v in value) + "]"
    return literal(value, "f64")


def rotary(
    x,
    *,
    layout="half",
    order="tokens_heads",
    tables=None,
    base=None,
    positions=None,
    sequences=None,
    offset=None,
    length=None,
    dims=None,
    heads=None,
    scaling=None,
    inverse=False,
):
    """Rotates pairs of features by the angle of their token (fuse.rotary).

    x          [.., tokens, heads, D], or [.., heads, tokens, D] if order is heads_tokens
    layout     "half" pairs features i and i + R/2, "interleaved" 2i and 2i + 1
    tables     (cos, sin), each [rows, R/2]; or
    base       angles are position * base^(-2i/R)
    positions  [tokens] or [batch, tokens] of i32 or i64; default: the token's number
    sequences  cumulative lengths, from 0, of packed sequences
    offset     added to positions: a number, or one for each of the first axis or sequence
    length     the length by which LongRoPE chooses
    dims       R, how many features are rotated; default: all
    heads      how many heads are rotated; default: all
    scaling    a dict, see scaling_attribute()
    inverse    turn the other way, which is the gradient
    """
    x = x.builder.materialize(x)
    text, operands = "", [x]
    if tables is not None:
        text += f" tables({tables[0].name}, {tables[1].name})"
        # The tables have one type, which is written once.
        operands.append(tables[0])
    for name, value in (
        ("positions", positions),
        ("sequences", sequences),
        ("offset", offset),
        ("length", length),
    ):
        if value is not None:
            value = x.builder.materialize(value)
            text += f" {name}({value.name})"
            operands.append(value)
    if base is not None:
        text += f" base = {literal(base, 'f64')}"
    for name, value in (("dims", dims), ("heads", heads)):
        if value is not None:
            text += f" {name} = {value}"
    if scaling is not None:
        text += f" scaling({scaling_attribute(scaling)})"
    text += " inverse" if inverse else ""
    types = ", ".join(o.type for o in operands)
    return x.builder.emit(
        f"fuse.rotary {layout} {order} {x.name}{text} : {types}", x.shape, x.dtype
    )


def m_rope_tables(positions, sections, base=10000.0):
    """cos and sin, each [tokens, R/2] in f32, of positions in several streams, as of time, height
    and width: `tables` of rotary().

    positions  [streams, tokens] of i32 or i64
    sections   how many features of R/2, from the first on, follow each stream

    Qwen2-VL, arXiv:2409.12191.
    """
    if positions.ndim != 2 or positions.shape[0] != len(sections):
        raise Unsupported(
            f"expected positions of {len(sections)} streams, one for each section, but got "
            f"{positions}; stack them along the first axis"
        )
    builder, half, first, parts = positions.builder, sum(sections), 0, []
    for stream, count in enumerate(sections):
        numbers = [base ** (-i / half) for i in range(first, first + count)]
        listed = ", ".join(literal(number, "f32") for number in numbers)
        frequencies = builder.emit(
            f"fuse.constant dense<[{listed}]> : tensor<{count}xf32>", (count,), "f32"
        )
        of_stream = slice_(positions, 0, stream, stream + 1)
        tokens = reshape(cast(of_stream, "f32"), (positions.shape[1], 1))
        parts.append(mul(tokens, frequencies))
        first += count
    angles = concat(parts, 1)
    return cos(angles), sin(angles)
