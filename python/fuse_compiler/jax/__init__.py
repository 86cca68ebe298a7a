# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fuse in JAX, by XLA's foreign function interface: under jit, grad and vmap.

    from fuse_compiler import jax as fuse_jax

    y = jax.jit(fuse_jax.rms_norm)(x, weight)
    z = fuse_jax.call(program, x, weight)          # a fuse.Program, or its text

    capped = fuse_jax.define(formula, gradient)    # of your own, on symbolic arrays

Results are computed where JAX computes: on the CPU, or on a GPU.
"""

from fuse_compiler.jax._call import call
from fuse_compiler.jax._define import define
from fuse_compiler.jax._ops import (
    cross_entropy,
    gated,
    gelu,
    layer_norm,
    rms_norm,
    silu,
    softmax,
)

__all__ = [
    "call",
    "cross_entropy",
    "define",
    "gated",
    "gelu",
    "layer_norm",
    "rms_norm",
    "silu",
    "softmax",
]
