# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops as NumPy users write them, for comparisons on a CPU."""

import numpy as np


def gelu(x):
    root = np.float32(np.sqrt(2 / np.pi))
    return (
        np.float32(0.5)
        * x
        * (1 + np.tanh(root * (x + np.float32(0.044715) * x * x * x)))
    )


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)
