# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton kernels with one row a program, the form of Triton's tutorials: the whole row
is held, so it is read once. And two on elements, which know no rows."""

import torch
import triton
import triton.language as tl


def _launch(kernel, rows, columns, *arguments, **constants):
    block = triton.next_power_of_2(columns)
    warps = 4 if block < 2048 else 8 if block < 8192 else 16
    kernel[(rows,)](*arguments, columns, **constants, BLOCK=block, num_warps=warps)


@triton.jit
def _rms_norm(x_ptr, w_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * columns
    at = tl.arange(0, BLOCK)
    mask = at < columns
    x = tl.load(x_ptr + start + at, mask=mask, other=0).to(tl.float32)
    w = tl.load(w_ptr + at, mask=mask, other=0).to(tl.float32)
    scale = 1 / tl.sqrt(tl.sum(x * x, axis=0) / columns + 1e-5)
    tl.store(y_ptr + start + at, x * scale * w, mask=mask)


def rms_norm(x, w):
    y = torch.empty_like(x)
    _launch(_rms_norm, *x.shape, x, w, y)
    return y


@triton.jit
def _add_rms_norm(x_ptr, r_ptr, w_ptr, h_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * columns
    at = tl.arange(0, BLOCK)
    mask = at < columns
    x = tl.load(x_ptr + start + at, mask=mask, other=0).to(tl.float32)
    r = tl.load(r_ptr + start + at, mask=mask, other=0).to(tl.float32)
    w = tl.load(w_ptr + at, mask=mask, other=0).to(tl.float32)
    h = x + r
    tl.store(h_ptr + start + at, h, mask=mask)
    scale = 1 / tl.sqrt(tl.sum(h * h, axis=0) / columns + 1e-5)
    tl.store(y_ptr + start + at, h * scale * w, mask=mask)


def add_rms_norm(x, r, w):
    h, y = torch.empty_like(x), torch.empty_like(x)
    _launch(_add_rms_norm, *x.shape, x, r, w, h, y)
    return h, y


@triton.jit
def _layer_norm(x_ptr, w_ptr, b_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * columns
    at = tl.arange(0, BLOCK)
    mask = at < columns
    x = tl.load(x_ptr + start + at, mask=mask, other=0).to(tl.float32)
    w = tl.load(w_ptr + at, mask=mask, other=0).to(tl.float32)
    b = tl.load(b_ptr + at, mask=mask, other=0).to(tl.float32)
    mean = tl.sum(x, axis=0) / columns
    centred = tl.where(mask, x - mean, 0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / columns + 1e-5)
    tl.store(y_ptr + start + at, centred * scale * w + b, mask=mask)


def layer_norm(x, w, b):
    y = torch.empty_like(x)
    _launch(_layer_norm, *x.shape, x, w, b, y)
    return y


@triton.jit
def _logsumexp(x_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + at, mask=at < columns, other=float("-inf"))
    x = x.to(tl.float32)
    largest = tl.max(x, axis=0)
    tl.store(y_ptr + row, largest + tl.log(tl.sum(tl.exp(x - largest), axis=0)))


def logsumexp(x):
    y = torch.empty(x.shape[0], dtype=x.dtype, device=x.device)
    _launch(_logsumexp, *x.shape, x, y)
    return y


@triton.jit
def _cross_entropy(x_ptr, labels_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + at, mask=at < columns, other=float("-inf"))
    x = x.to(tl.float32)
    largest = tl.max(x, axis=0)
    total = tl.sum(tl.exp(x - largest), axis=0)
    own = tl.load(x_ptr + row * columns + tl.load(labels_ptr + row)).to(tl.float32)
    tl.store(y_ptr + row, largest + tl.log(total) - own)


def cross_entropy(x, labels):
    y = torch.empty(x.shape[0], dtype=torch.float32, device=x.device)
    _launch(_cross_entropy, *x.shape, x, labels, y)
    return y


@triton.jit
def _quantize_f8(x_ptr, y_ptr, scale_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    mask = at < columns
    x = tl.load(x_ptr + row * columns + at, mask=mask, other=0).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(x), axis=0), 1e-12) / 448
    tl.store(scale_ptr + row, scale)
    tl.store(y_ptr + row * columns + at, (x / scale).to(tl.float8e4nv), mask=mask)


def quantize_f8(x):
    y = torch.empty_like(x, dtype=torch.float8_e4m3fn)
    scale = torch.empty(x.shape[0], 1, dtype=torch.float32, device=x.device)
    _launch(_quantize_f8, *x.shape, x, y, scale)
    return y, scale


@triton.jit
def _swiglu(gate_ptr, up_ptr, y_ptr, size, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = at < size
    gate = tl.load(gate_ptr + at, mask=mask).to(tl.float32)
    up = tl.load(up_ptr + at, mask=mask).to(tl.float32)
    tl.store(y_ptr + at, gate * tl.sigmoid(gate) * up, mask=mask)


def swiglu(gate, up):
    y = torch.empty_like(gate)
    _swiglu[(triton.cdiv(y.numel(), 1024),)](gate, up, y, y.numel(), BLOCK=1024)
    return y


@triton.jit
def _bias_gelu_residual(x_ptr, b_ptr, r_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = column < columns
    at = tl.program_id(0).to(tl.int64) * columns + column
    x = tl.load(x_ptr + at, mask=mask).to(tl.float32)
    x += tl.load(b_ptr + column, mask=mask).to(tl.float32)
    r = tl.load(r_ptr + at, mask=mask).to(tl.float32)
    inner = 0.7978845608028654 * (x + 0.044715 * x * x * x)
    # tanh(z) = 1 - 2 / (exp(2 z) + 1)
    y = 0.5 * x * (2 - 2 / (tl.exp(2 * inner) + 1)) + r
    tl.store(y_ptr + at, y, mask=mask)


def bias_gelu_residual(x, bias, r):
    y = torch.empty_like(x)
    rows, columns = x.shape
    block = min(1024, triton.next_power_of_2(columns))
    grid = (rows, triton.cdiv(columns, block))
    _bias_gelu_residual[grid](x, bias, r, y, columns, BLOCK=block)
    return y
