# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLaMA's blocks shared by several processes, each with some of the heads and of the features.

shard() makes the part of a process of whole blocks:

    q, k, v, gate, up     split by columns: each process computes its own heads and features
    o, down               split by rows: each has a part of a sum, which an all-reduce adds up
    norms                 whole

Collectives are torch's functional ones, so that a compiler sees them in the graph. With
`sequence` what is between them, norms and residuals, is split by tokens: an all-gather before
each product by columns, a reduce-scatter after each by rows.
"""

import copy

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed import _functional_collectives as collectives
from torch.nn import functional as F

# torch has renamed them.
_gather = getattr(collectives, "all_gather_single", None)
_gather = _gather or collectives.all_gather_tensor
_scatter = getattr(collectives, "reduce_scatter_single", None)
_scatter = _scatter or collectives.reduce_scatter_tensor


class RMSNorm(nn.Module):
    """As transformers' LlamaRMSNorm writes it."""

    def __init__(self, features, eps=1e-6):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.rand(features) + 0.5), eps

    def forward(self, x):
        wide = x.float() if x.dtype != torch.float64 else x
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.eps)
        return self.weight * wide.to(x.dtype)


def _differentiable(there, back):
    """A function of a tensor and a group, with another such function as its gradient."""

    class Function(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, group):
            ctx.group = group
            return there(x, group)

        @staticmethod
        def backward(ctx, dy):
            return back(dy, ctx.group), None

    return Function.apply


def _same(x, group):
    return x.view_as(x)


def _sum(x, group):
    """The sum of all processes' parts."""
    return collectives.wait_tensor(collectives.all_reduce(x.contiguous(), "sum", group))


def _all_tokens(x, group):
    """[batch, tokens, ..] of all processes; collectives go along the first axis."""
    y = _gather(x.transpose(0, 1).contiguous(), 0, group)
    return collectives.wait_tensor(y).transpose(0, 1)


def _own_tokens(x, group):
    """This process's tokens of the sum of all processes' parts."""
    y = _scatter(x.transpose(0, 1).contiguous(), "sum", 0, group)
    return collectives.wait_tensor(y).transpose(0, 1)


# A tensor that all processes have gets the sum of their gradients, and the other way round.
_copied, _summed = _differentiable(_same, _sum), _differentiable(_sum, _same)
_gathered = _differentiable(_all_tokens, _own_tokens)
_scattered = _differentiable(_own_tokens, _all_tokens)


def rotate_half(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat((-b, a), dim=-1)


class Block(nn.Module):
    """One layer, whole or the part of a process; `group` is None in the first case."""

    def __init__(self, features, heads, groups, hidden):
        super().__init__()
        self.size, self.repeats = features // heads, heads // groups
        self.group, self.sequence = None, False
        self.norm1, self.norm2 = RMSNorm(features), RMSNorm(features)
        shapes = {
            "q": (features, features),
            "k": (features, groups * self.size),
            "v": (features, groups * self.size),
            "o": (features, features),
            "gate": (features, hidden),
            "up": (features, hidden),
            "down": (hidden, features),
        }
        for name, (inputs, outputs) in shapes.items():
            setattr(self, name, nn.Linear(inputs, outputs, bias=False))

    def _enter(self, x):
        if self.group is None:
            return x
        return (_gathered if self.sequence else _copied)(x, self.group)

    def _leave(self, x):
        if self.group is None:
            return x
        return (_scattered if self.sequence else _summed)(x, self.group)

    def forward(self, x, cos, sin):
        h = self._enter(self.norm1(x))
        batch, tokens, _ = h.shape
        q, k, v = (
            layer(h).view(batch, tokens, -1, self.size).transpose(1, 2)
            for layer in (self.q, self.k, self.v)
        )
        q = q * cos + rotate_half(q) * sin
        k = k * cos + rotate_half(k) * sin
        y = F.scaled_dot_product_attention(
            q, k, v, is_causal=True, enable_gqa=self.repeats > 1
        )
        x = x + self._leave(self.o(y.transpose(1, 2).reshape(batch, tokens, -1)))
        h = self._enter(self.norm2(x))
        return x + self._leave(self.down(F.silu(self.gate(h)) * self.up(h)))


class Blocks(nn.Module):
    """Some layers."""

    def __init__(self, layers, features, heads, groups, hidden):
        super().__init__()
        self.blocks = nn.ModuleList(
            Block(features, heads, groups, hidden) for _ in range(layers)
        )

    def forward(self, x, cos, sin):
        for block in self.blocks:
            x = block(x, cos, sin)
        return x


def tables(tokens, size, dtype, device):
    """Cosines and sines of rotary embeddings, [tokens, size]."""
    frequencies = 5e5 ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)
    angles = torch.arange(tokens, dtype=torch.float64)[:, None] * frequencies
    angles = torch.cat((angles, angles), dim=-1)
    return angles.cos().to(device, dtype), angles.sin().to(device, dtype)


_ROWS = {"o", "down"}


def part_of(name, tensor, rank, world):
    """What a process has of a parameter, or of its gradient."""
    *_, layer, _ = name.split(".")
    if layer.startswith("norm"):
        return tensor
    return tensor.chunk(world, dim=1 if layer in _ROWS else 0)[rank]


def shard(whole, group=None, sequence=False):
    """The part of this process of whole blocks; of all processes where group is None."""
    group = group or dist.group.WORLD
    rank, world = dist.get_rank(group), dist.get_world_size(group)
    model = copy.deepcopy(whole)
    for name, parameter in list(model.named_parameters()):
        part = part_of(name, parameter.detach(), rank, world).contiguous().clone()
        parent, _, leaf = name.rpartition(".")
        setattr(model.get_submodule(parent), leaf, nn.Parameter(part))
    for block in model.blocks:
        block.group, block.sequence = group, sequence
    return model
