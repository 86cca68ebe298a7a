# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rotary position embeddings in all forms of fuse.rotary."""

import json

import torch

from fuse_compiler import lang
from fuse_compiler._library import Error
from fuse_compiler.ops._define import differentiate, empty_like, refuse_forward_mode
from fuse_compiler.ops._run import run
from fuse_compiler.torch._convert import converter

_SCHEMA = (
    "(Tensor x, Tensor? cos, Tensor? sin, Tensor? positions, Tensor? sequences, Tensor? offset, "
    "Tensor? length, str layout, str order, float? base, int? dims, int? heads, str scaling, "
    "bool inverse) -> Tensor"
)


def _formula(
    x, cos, sin, positions, sequences, offset, length, layout, order, base, dims, heads, scaling,
    inverse,
):  # fmt: skip
    return lang.rotary(
        x,
        layout=layout,
        order=order,
        tables=None if cos is None else (cos, sin),
        base=base,
        positions=positions,
        sequences=sequences,
        offset=offset,
        length=length,
        dims=dims,
        heads=heads,
        scaling=json.loads(scaling) if scaling else None,
        inverse=inverse,
    )


def _specs(x, cos, positions, sequences, order):
    """Names of the dims that may have any size: tokens, and what comes before."""
    rank = x.ndim
    tokens = rank - 3 if order == "tokens_heads" else rank - 2
    names = [f"d{i}" if i < rank - 3 or i == tokens else None for i in range(rank)]
    table_rows = (
        "rows" if positions is not None or sequences is not None else names[tokens]
    )
    batch = names[0] if tokens else "batch"
    return {
        "x": tuple(names),
        "cos": (table_rows, None),
        "sin": (table_rows, None),
        "positions": (batch, names[tokens])[
            2 - (positions.ndim if positions is not None else 1) :
        ],
        "sequences": ("bounds",),
    }


def _compute(*arguments):
    refuse_forward_mode("fuse::rope")
    x, cos, _, positions, sequences = arguments[:5]
    specs = _specs(x, cos, positions, sequences, arguments[8])
    # Sizes of offset and length are static: they are few.
    return run(_formula, specs, *arguments)


torch.library.define("fuse::rope", _SCHEMA, tags=(torch.Tag.pt2_compliant_tag,))
torch.library.impl("fuse::rope", ("cpu", "cuda"))(_compute)
torch.library.register_fake("fuse::rope")(lambda x, *_: empty_like(x))
_rope = torch.ops.fuse.rope.default
converter(_rope)(lambda context, *arguments: _formula(*arguments))


def _save(context, inputs, output):
    context.save_for_backward(*inputs[1:7])
    context.more = inputs[7:]


def _gradient(context, dy):
    *more, inverse = context.more
    return (_rope(dy, *context.saved_tensors, *more, not inverse), *(None,) * 13)


differentiate(_rope, _gradient, _save)


def rope(
    x,
    *,
    cos=None,
    sin=None,
    base=None,
    positions=None,
    sequences=None,
    offset=None,
    length=None,
    layout="half",
    order="tokens_heads",
    dims=None,
    heads=None,
    scaling=None,
):
    """Rotary position embedding: pairs of features turned by the angle of their token.

    x          [.., tokens, heads, D], or [.., heads, tokens, D] if order is "heads_tokens",
               of a float type, D even
    cos, sin   tables [rows, R/2] of float32 or x's type, a row for each position; or
    base       for angles that are computed: position * base^(-2i/R), such as 5e5
    positions  [tokens] or [batch, tokens] of int32 or int64; default: 0, 1, 2, ..
    sequences  [n + 1] cumulative lengths, from 0, of packed sequences
    offset     added to positions: 0-d, or one for each of the first axis or sequence
    length     0-d: the sequence length by which LongRoPE chooses
    layout     "half" pairs features i and i + R/2 (NeoX), "interleaved" 2i and 2i + 1
    dims       R, how many features are turned; default: all
    heads      how many heads are turned; default: all
    scaling    {"kind": "linear" | "ntk" | "llama3" | "yarn" | "longrope", "factor": ..} and the
               other parameters of that kind (docs/dialect.md)

    Returns a tensor like x. Differentiable in x. Su et al., arXiv:2104.09864.
    """
    if (cos is None) != (sin is None) or (cos is None) == (base is None):
        raise Error(
            "expected cos and sin, or base, but got neither or both; give one of them"
        )
    text = json.dumps(scaling, sort_keys=False) if scaling else ""
    return _rope(
        x, cos, sin, positions, sequences, offset, length, layout, order, base, dims, heads, text,
        False,
    )  # fmt: skip
