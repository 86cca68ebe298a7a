# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The grid: families of cases over the length of their rows, in every element type.

Nine sets of shapes:

    stream  rows of 64 to 262144 elements, as many of them as move 512 MiB
    hidden  the same of lengths that models have between powers of two
    short   the same of what vision models have: windows, tokens of an image or a text
    decode  a few rows, as in generating one token; timed in a CUDA graph
    square  4096 x 4096
    layer   a few thousand tokens, as in a layer of a model, and the logits of 64
    middle  rows of 1024 to 32768 elements, as many as move 48 and 96 MiB: about what an
            L2 cache holds
    read    1 GiB, for families that read far more than they write
    chain   512 MiB, for what no example and no library has (chains.py)

A case's `turn` orders the measurements, so that a run that is cut short has looked at
every family before it looks closer at one. Nothing here needs torch.
"""

from collections.abc import Callable
from dataclasses import dataclass

from . import cases, chains, gradients, reductions
from .cases import Case

STREAM_BYTES = 512 << 20
READ_BYTES = 1 << 30
MIDDLE_BYTES = (48 << 20, 96 << 20)
MIDDLE_LENGTHS = (1024, 2048, 3072, 5120, 8192, 11008, 14336, 32768)
POWERS = tuple(1 << power for power in range(6, 19))
ODD = (197, 1000, 4097, 12288, 50257, 128256)
LENGTHS = tuple(sorted(POWERS + ODD))
# Measured first, in this order.
FIRST_LENGTHS = (4096, 16384, 1024, 65536, 128256, 64, 4097, 262144)
# Where competitors that compile for seconds take part.
COSTLY_LENGTHS = (1024, 4096, 16384, 65536, 128256)
DECODE_SHAPES = tuple(
    (rows, columns) for columns in (4096, 8192) for rows in (1, 4, 16, 64)
)
LAYER_SHAPES = ((4096, 5120), (2048, 8192), (2048, 16384), (64, 128256))
LAYER_DTYPES = ("bf16", "f32")
# ViT and BERT, Whisper, Phi-2, Llama 3.2 3B, Qwen 2.5 7B, Llama 2 13B, DeepSeek-V3,
# Llama 2 7B's and Llama 3 8B's inner ones.
HIDDEN = (768, 1280, 2560, 3072, 3584, 5120, 7168, 11008, 14336)
# Swin's windows, CLIP's texts, DETR's queries, 150 classes of a pixel, and ViT's images
# of 14 by 14 patches, of 16 by 16 with a class and of 24 by 24.
SHORT = (49, 77, 100, 150, 196, 257, 577)
CHAIN_LENGTHS = (1000, 4096, 5120, 8192, 16384)
SETS = (
    "stream",
    "decode",
    "square",
    "layer",
    "middle",
    "read",
    "hidden",
    "short",
    "chain",
)
DTYPES = ("bf16", "f32", "f16")


@dataclass(frozen=True)
class Family:
    name: str
    # (dtype, rows, columns) -> Case
    make: Callable
    lengths: tuple = LENGTHS
    dtypes: tuple = DTYPES
    # Whether it reads far more than it writes.
    reads: bool = False
    # Whether one token's worth of it is a case of its own.
    decodes: bool = True
    # Whether the length of a row decides how it is computed.
    reduces_rows: bool = True


@dataclass(frozen=True)
class GridCase:
    family: str
    set: str
    dtype: str
    # Of the first input, which is the largest.
    shape: tuple
    case: Case
    # "events", or "graph": a CUDA graph of many calls.
    timing: str
    # Whether competitors that compile for seconds take part.
    costly: bool
    turn: tuple

    @property
    def jit(self):
        """Whether competitors that compile for half a second take part."""
        return self.dtype == "bf16"

    @property
    def reads(self):
        """Whether it reads far more than it writes."""
        known = (*FAMILIES, *CHAINS)
        return any(each.name == self.family and each.reads for each in known)

    @property
    def key(self):
        return (self.family, self.set, self.dtype, self.shape)


def _rope_interleaved(dtype, rows, columns):
    return cases.rope_interleaved(rows, dtype, features=columns)


def _rope_qk(dtype, rows, columns):
    return cases.rope_qk(1, rows, dtype, features=columns)


def _rope_computed(dtype, rows, columns):
    return cases.rope_neox_computed(128, rows, columns)


HEADS = (64, 128, 256)
# Up to what registers hold sums of all columns for.
WEIGHTS = (1024, 2048, 4096, 8192, 16384)
FAMILIES = (
    Family("softmax", cases.softmax),
    Family("rms_norm", cases.rms_norm),
    Family("add+rms_norm", cases.add_rms_norm),
    Family("layer_norm", cases.layer_norm),
    Family("logsumexp", reductions.logsumexp, reads=True),
    Family("cross_entropy", reductions.cross_entropy, reads=True),
    # The sum of half a billion bytes is beyond f16's largest number.
    Family(
        "sum",
        reductions.full_sum,
        dtypes=("bf16", "f32"),
        reads=True,
        decodes=False,
        reduces_rows=False,
    ),
    Family("column_sum", reductions.column_sum, reads=True, decodes=False),
    Family(
        "rms_norm_backward",
        gradients.rms_norm_backward,
        WEIGHTS,
        ("bf16", "f32"),
        decodes=False,
    ),
    Family(
        "mean_cross_entropy",
        gradients.mean_cross_entropy,
        (4096, 16384, 32768, 65536, 128256),
        ("bf16", "f32"),
        decodes=False,
    ),
    Family("gelu", cases.gelu, reduces_rows=False),
    Family("swiglu", cases.swiglu, reduces_rows=False),
    Family("bias+gelu+residual", cases.bias_gelu_residual, reduces_rows=False),
    Family("quantize_f8", reductions.quantize_f8),
    Family("rope_interleaved", _rope_interleaved, HEADS, decodes=False),
    Family("rope_qk", _rope_qk, HEADS, decodes=False),
    Family("rope_computed", _rope_computed, HEADS, ("f32",), decodes=False),
)
# In the set of that name only.
CHAINS = tuple(
    Family(
        each.name,
        each.make,
        CHAIN_LENGTHS,
        LAYER_DTYPES,
        reads=each.name in ("entropy", "kl_divergence"),
    )
    for each in chains.FAMILIES
)


def rows_for(family, dtype, columns, num_bytes):
    """How many rows move about `num_bytes`, weights not counted; at least 1."""
    one, two = (family.make(dtype, rows, columns).bytes for rows in (1, 2))
    return max(1, num_bytes // (two - one))


def _turn(name, dtype, columns, first):
    """Sorts by what is wanted first, then by element type, set and length: families come
    one after another at the same length."""
    ranked = columns in FIRST_LENGTHS
    length = FIRST_LENGTHS.index(columns) if ranked else len(FIRST_LENGTHS) + columns
    return (not first, DTYPES.index(dtype), SETS.index(name), length)


def _case(family, name, dtype, rows, columns, *, first, costly=False):
    case = family.make(dtype, rows, columns)
    return GridCase(
        family.name,
        name,
        dtype,
        case.inputs[0].shape,
        case,
        "graph" if name == "decode" else "events",
        costly and dtype == "bf16",
        _turn(name, dtype, columns, first),
    )


def _stream(family, dtype):
    for columns in family.lengths:
        rows = rows_for(family, dtype, columns, STREAM_BYTES)
        first = columns in FIRST_LENGTHS or family.lengths is not LENGTHS
        costly = columns in COSTLY_LENGTHS or columns == 128
        yield _case(family, "stream", dtype, rows, columns, first=first, costly=costly)


def _hidden(family, dtype):
    fits = family.lengths is LENGTHS and family.reduces_rows
    for columns in HIDDEN if fits else ():
        rows = rows_for(family, dtype, columns, STREAM_BYTES)
        yield _case(family, "hidden", dtype, rows, columns, first=False)


def _short(family, dtype):
    fits = family.lengths is LENGTHS and family.decodes and family.reduces_rows
    for columns in SHORT if fits and dtype in LAYER_DTYPES else ():
        rows = rows_for(family, dtype, columns, STREAM_BYTES)
        yield _case(family, "short", dtype, rows, columns, first=False)


def _read(family, dtype):
    for columns in (4096, 128256) if family.reads else ():
        rows = rows_for(family, dtype, columns, READ_BYTES)
        yield _case(family, "read", dtype, rows, columns, first=False)


def _square(family, dtype):
    if family.lengths is LENGTHS:
        yield _case(family, "square", dtype, 4096, 4096, first=True, costly=True)


def _layer(family, dtype):
    fits = family.lengths is not HEADS and dtype in LAYER_DTYPES
    for rows, columns in LAYER_SHAPES if fits else ():
        if columns <= max(family.lengths):
            yield _case(family, "layer", dtype, rows, columns, first=True)


def _middle(family, dtype):
    fits = family.lengths is LENGTHS and family.decodes and family.reduces_rows
    for num_bytes in MIDDLE_BYTES if fits and dtype in LAYER_DTYPES else ():
        for columns in MIDDLE_LENGTHS:
            rows = rows_for(family, dtype, columns, num_bytes)
            yield _case(family, "middle", dtype, rows, columns, first=False)


def _chain(family, dtype):
    for columns in family.lengths:
        rows = rows_for(family, dtype, columns, STREAM_BYTES)
        yield _case(family, "chain", dtype, rows, columns, first=False)


def _decode(family, dtype):
    for rows, columns in DECODE_SHAPES if family.decodes else ():
        costly = (rows, columns) == (1, 4096)
        yield _case(family, "decode", dtype, rows, columns, first=True, costly=costly)


_SHAPES = {
    "stream": _stream,
    "decode": _decode,
    "square": _square,
    "layer": _layer,
    "middle": _middle,
    "read": _read,
    "hidden": _hidden,
    "short": _short,
    "chain": _chain,
}


def grid_cases(families=(), dtypes=DTYPES, sets=SETS):
    """All cases of some families (all if none is named), those to measure first first."""
    found = [
        case
        for name in sets
        for dtype in dtypes
        for family in (CHAINS if name == "chain" else FAMILIES)
        if dtype in family.dtypes and (not families or family.name in families)
        for case in _SHAPES[name](family, dtype)
    ]
    return sorted(found, key=lambda case: case.turn)
