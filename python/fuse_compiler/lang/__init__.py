# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs written in Python: functions on symbolic arrays.

    >>> import fuse_compiler as fuse
    >>> from fuse_compiler import lang
    >>> @fuse.jit(dims={"x": ("rows", None)})
    ... def gated(x, gate):
    ...     return lang.silu(gate) * x

The functions are NumPy's in name and meaning where NumPy has them. An Array also has
+ - * / ** // on numbers, comparisons, indexing with slices, astype, reshape, sum, mean,
max and min.
"""

from fuse_compiler.lang import _operators
from fuse_compiler.lang._activations import (
    elu,
    hardsigmoid,
    hardswish,
    leaky_relu,
    log_sigmoid,
    mish,
    softplus,
)
from fuse_compiler.lang._attention import attention, attention_and_sums
from fuse_compiler.lang._builder import Array, Builder, Unsupported
from fuse_compiler.lang._dims import Dim, divide, symbol
from fuse_compiler.lang._pointwise import (
    abs_ as abs,
)
from fuse_compiler.lang._pointwise import (
    add,
    bitwise_and,
    bitwise_not,
    bitwise_or,
    bitwise_xor,
    broadcast_shapes,
    cast,
    ceil,
    clip,
    compare,
    cos,
    div,
    erf,
    exp,
    exp2,
    expm1,
    floor,
    fmod,
    gelu,
    left_shift,
    log,
    log1p,
    log2,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    minimum,
    mul,
    neg,
    power,
    recip,
    relu,
    remainder,
    right_shift,
    round,
    rsqrt,
    sigmoid,
    sign,
    silu,
    sin,
    sqrt,
    sub,
    tanh,
    trunc,
    where,
)
from fuse_compiler.lang._order import (
    argsort,
    cummax,
    cummin,
    cumprod,
    cumsum,
    put_along_axis,
    scatter_add,
    segment_sum,
    sort,
    take_along_axis,
    top_k,
)
from fuse_compiler.lang._reduce import (
    all_ as all,
)
from fuse_compiler.lang._reduce import (
    any_ as any,
)
from fuse_compiler.lang._reduce import (
    add_to_product,
    argmax,
    argmin,
    einsum,
    group_norm,
    layer_norm,
    log_softmax,
    logsumexp,
    matmul,
    mean,
    prod,
    rms_norm,
    softmax,
    var_mean,
)
from fuse_compiler.lang._reduce import (
    max_ as max,
)
from fuse_compiler.lang._reduce import (
    min_ as min,
)
from fuse_compiler.lang._reduce import (
    sum_ as sum,
)
from fuse_compiler.lang._rotary import rotary
from fuse_compiler.lang._shapes import (
    broadcast_to,
    concat,
    expand_dims,
    flip,
    full,
    iota,
    pad,
    reshape,
    squeeze,
    take,
    transpose,
)
from fuse_compiler.lang._shapes import (
    slice_ as slice,
)

from fuse_compiler.lang._types import is_exact

_operators.install(Array)

__all__ = [
    "Array",
    "Builder",
    "Dim",
    "Unsupported",
    "abs",
    "add",
    "add_to_product",
    "all",
    "any",
    "argmax",
    "argmin",
    "argsort",
    "attention",
    "attention_and_sums",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "broadcast_shapes",
    "broadcast_to",
    "cast",
    "ceil",
    "clip",
    "compare",
    "concat",
    "cos",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "div",
    "divide",
    "einsum",
    "elu",
    "erf",
    "exp",
    "exp2",
    "expand_dims",
    "expm1",
    "flip",
    "floor",
    "fmod",
    "full",
    "gelu",
    "group_norm",
    "hardsigmoid",
    "hardswish",
    "iota",
    "is_exact",
    "layer_norm",
    "leaky_relu",
    "left_shift",
    "log",
    "log1p",
    "log2",
    "log_sigmoid",
    "log_softmax",
    "logical_and",
    "logical_not",
    "logical_or",
    "logsumexp",
    "matmul",
    "max",
    "maximum",
    "mean",
    "min",
    "minimum",
    "mish",
    "mul",
    "neg",
    "pad",
    "power",
    "prod",
    "put_along_axis",
    "recip",
    "relu",
    "remainder",
    "reshape",
    "right_shift",
    "rms_norm",
    "rotary",
    "round",
    "rsqrt",
    "scatter_add",
    "segment_sum",
    "sigmoid",
    "sign",
    "silu",
    "sin",
    "slice",
    "softmax",
    "softplus",
    "sort",
    "sqrt",
    "squeeze",
    "sub",
    "sum",
    "symbol",
    "take",
    "take_along_axis",
    "tanh",
    "top_k",
    "transpose",
    "trunc",
    "var_mean",
    "where",
]
