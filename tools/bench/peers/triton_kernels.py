# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels that one would write in Triton first, as in its tutorials."""

import torch
import triton
import triton.language as tl


@triton.jit
def _gelu(x_ptr, y_ptr, size, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = at < size
    x = tl.load(x_ptr + at, mask=mask).to(tl.float32)
    inner = 0.7978845608028654 * (x + 0.044715 * x * x * x)
    # tanh(z) = 1 - 2 / (exp(2 z) + 1)
    y = 0.5 * x * (2 - 2 / (tl.exp(2 * inner) + 1))
    tl.store(y_ptr + at, y, mask=mask)


def gelu(x):
    y = torch.empty_like(x)
    _gelu[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
    return y


@triton.jit
def _softmax(x_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * columns
    at = tl.arange(0, BLOCK)
    mask = at < columns
    x = tl.load(x_ptr + start + at, mask=mask, other=float("-inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + start + at, e / tl.sum(e, axis=0), mask=mask)


def softmax(x):
    """One row a program."""
    rows, columns = x.shape
    y = torch.empty_like(x)
    block = triton.next_power_of_2(columns)
    warps = 4 if block < 2048 else 8 if block < 8192 else 16
    _softmax[(rows,)](x, y, columns, BLOCK=block, num_warps=warps)
    return y


@triton.jit
def _rope(x_ptr, cos_ptr, sin_ptr, heads: tl.constexpr, half: tl.constexpr):
    token = tl.program_id(0).to(tl.int64)
    head = tl.arange(0, heads)[:, None]
    pair = tl.arange(0, half)[None, :]
    c = tl.load(cos_ptr + token * half + pair)
    s = tl.load(sin_ptr + token * half + pair)
    at = x_ptr + (token * heads + head) * 2 * half + 2 * pair
    even = tl.load(at).to(tl.float32)
    odd = tl.load(at + 1).to(tl.float32)
    tl.store(at, even * c - odd * s)
    tl.store(at + 1, odd * c + even * s)


def rope_interleaved_in_place(x, cos, sin):
    tokens, heads, features = x.shape
    _rope[(tokens,)](x, cos, sin, heads=heads, half=features // 2)
    return x


@triton.jit
def _read(x_ptr, size, absent, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = at < size
    x = tl.load(x_ptr + at, mask=mask)
    # Never, but what is not used would not be loaded.
    tl.store(x_ptr + at, x, mask=mask & (x == absent))


def read(x):
    """Reads all of a tensor of int32, none of them -2^31, and does nothing with it."""
    _read[(triton.cdiv(x.numel(), 4096),)](x, x.numel(), -(2**31), BLOCK=4096)
