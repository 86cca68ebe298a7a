# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fused ops on torch tensors, with gradients: norms, activations, losses, rotary embeddings.

    from fuse_compiler import ops
    y, h = ops.add_rms_norm(x, residual, weight)

Each is one program, on a CPU or a GPU, one for all batches. They work under
torch.compile with any backend and under torch.export; with backend="fuse" they fuse
with what is around them. Formulas are computed in float32 and rounded once. define() makes
one of your own formula.
"""

from fuse_compiler.ops._activations import (
    cross_entropy,
    gated,
    gelu,
    quantize_rows,
    silu,
)
from fuse_compiler.ops._linear_loss import linear_cross_entropy
from fuse_compiler.ops._norms import add_rms_norm, layer_norm, rms_norm, softmax
from fuse_compiler.ops._own import define
from fuse_compiler.ops._rope import rope

__all__ = [
    "add_rms_norm",
    "cross_entropy",
    "define",
    "gated",
    "gelu",
    "layer_norm",
    "linear_cross_entropy",
    "quantize_rows",
    "rms_norm",
    "rope",
    "silu",
    "softmax",
]
