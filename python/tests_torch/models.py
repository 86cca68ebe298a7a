# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models in plain torch, with the structure of those that people run.

MODELS    the backend was developed with
ASIDE     that it was first tried on when it was done
Each is a function to (module, function from a batch size to inputs).
"""

import torch
from bench.peers.parallel_block import RMSNorm, rotate_half
from torch import nn
from torch.nn import functional as F


class LlamaBlock(nn.Module):
    def __init__(self, features=64, heads=4, groups=2):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, features // heads
        self.norm1, self.norm2 = RMSNorm(features), RMSNorm(features)
        self.q = nn.Linear(features, features, bias=False)
        self.k = nn.Linear(features, groups * self.size, bias=False)
        self.v = nn.Linear(features, groups * self.size, bias=False)
        self.o = nn.Linear(features, features, bias=False)
        self.gate = nn.Linear(features, 2 * features, bias=False)
        self.up = nn.Linear(features, 2 * features, bias=False)
        self.down = nn.Linear(2 * features, features, bias=False)

    def forward(self, x, cos, sin):
        batch, tokens, _ = x.shape
        h = self.norm1(x)
        q, k, v = (
            layer(h).view(batch, tokens, -1, self.size).transpose(1, 2)
            for layer in (self.q, self.k, self.v)
        )
        q = q * cos + rotate_half(q) * sin
        k = k * cos + rotate_half(k) * sin
        k, v = (t.repeat_interleave(self.heads // self.groups, dim=1) for t in (k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(y.transpose(1, 2).reshape(batch, tokens, -1))
        h = self.norm2(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


class Llama(nn.Module):
    def __init__(self, words=97, features=64, layers=2):
        super().__init__()
        self.embed = nn.Embedding(words, features)
        self.blocks = nn.ModuleList(LlamaBlock(features) for _ in range(layers))
        self.norm, self.head = RMSNorm(features), nn.Linear(features, words, bias=False)
        frequencies = 1e4 ** (-torch.arange(0, 16, 2) / 16)
        self.register_buffer("frequencies", frequencies)

    def forward(self, ids, labels):
        x = self.embed(ids)
        positions = torch.arange(ids.shape[1], device=ids.device)
        angles = positions[:, None].to(self.frequencies.dtype) * self.frequencies
        angles = torch.cat((angles, angles), dim=-1)
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        for block in self.blocks:
            x = block(x, cos, sin)
        logits = self.head(self.norm(x))
        logits = logits if logits.dtype == torch.float64 else logits.float()
        return F.cross_entropy(
            logits.flatten(0, 1), labels.flatten(), ignore_index=-100
        ), logits


class Gpt2(nn.Module):
    """Learned positions, packed projections, GELU by tanh, tied head."""

    def __init__(self, words=97, features=64, heads=4, layers=2):
        super().__init__()
        self.heads = heads
        self.embed, self.places = (
            nn.Embedding(words, features),
            nn.Embedding(64, features),
        )
        self.blocks = nn.ModuleList(
            nn.ModuleDict(
                {
                    "n1": nn.LayerNorm(features),
                    "n2": nn.LayerNorm(features),
                    "qkv": nn.Linear(features, 3 * features),
                    "o": nn.Linear(features, features),
                    "up": nn.Linear(features, 4 * features),
                    "down": nn.Linear(4 * features, features),
                }
            )
            for _ in range(layers)
        )
        self.norm = nn.LayerNorm(features)

    def attend(self, block, x):
        batch, tokens, features = x.shape
        parts = block["qkv"](block["n1"](x)).split(features, dim=2)
        q, k, v = (p.view(batch, tokens, self.heads, -1).transpose(1, 2) for p in parts)
        # By hand, with a mask.
        scores = q @ k.transpose(-2, -1) / (q.shape[-1] ** 0.5)
        mask = torch.tril(torch.ones(tokens, tokens, dtype=torch.bool, device=x.device))
        weights = scores.masked_fill(~mask, torch.finfo(x.dtype).min).softmax(-1)
        return block["o"](
            (weights @ v).transpose(1, 2).reshape(batch, tokens, features)
        )

    def forward(self, ids):
        x = self.embed(ids) + self.places(torch.arange(ids.shape[1], device=ids.device))
        for block in self.blocks:
            x = x + self.attend(block, x)
            h = F.gelu(block["up"](block["n2"](x)), approximate="tanh")
            x = x + block["down"](h)
        return self.norm(x) @ self.embed.weight.t()


class Bert(nn.Module):
    """LayerNorm behind the residual, a padding mask, tanh pooling."""

    def __init__(self, words=97, features=64, heads=4, layers=2):
        super().__init__()
        self.heads = heads
        self.embed, self.types = (
            nn.Embedding(words, features),
            nn.Embedding(2, features),
        )
        self.norm = nn.LayerNorm(features, eps=1e-12)
        self.layers = nn.ModuleList(
            nn.ModuleDict(
                {
                    "q": nn.Linear(features, features),
                    "k": nn.Linear(features, features),
                    "v": nn.Linear(features, features),
                    "o": nn.Linear(features, features),
                    "n1": nn.LayerNorm(features, eps=1e-12),
                    "up": nn.Linear(features, 4 * features),
                    "down": nn.Linear(4 * features, features),
                    "n2": nn.LayerNorm(features, eps=1e-12),
                }
            )
            for _ in range(layers)
        )
        self.pool = nn.Linear(features, features)

    def forward(self, ids, types, mask):
        x = self.norm(self.embed(ids) + self.types(types))
        bias = (1.0 - mask[:, None, None, :].to(x.dtype)) * -1e4
        batch, tokens, features = x.shape
        for layer in self.layers:
            q, k, v = (
                layer[n](x).view(batch, tokens, self.heads, -1).transpose(1, 2)
                for n in "qkv"
            )
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
            x = layer["n1"](
                x + layer["o"](y.transpose(1, 2).reshape(batch, tokens, features))
            )
            x = layer["n2"](x + layer["down"](F.gelu(layer["up"](x))))
        return x, torch.tanh(self.pool(x[:, 0]))


class Vit(nn.Module):
    """Patches by a convolution, a class token, layer scale."""

    def __init__(self, features=64, heads=4, layers=2, classes=10):
        super().__init__()
        self.patches = nn.Conv2d(3, features, 4, stride=4)
        self.token = nn.Parameter(torch.randn(1, 1, features))
        self.places = nn.Parameter(torch.randn(1, 17, features))
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                features,
                heads,
                2 * features,
                0.0,
                "gelu",
                batch_first=True,
                norm_first=True,
            )
            for _ in range(layers)
        )
        self.scale = nn.Parameter(torch.full((features,), 0.1))
        self.norm, self.head = nn.LayerNorm(features), nn.Linear(features, classes)

    def forward(self, images):
        x = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat((self.token.expand(x.shape[0], -1, -1), x), dim=1) + self.places
        for block in self.blocks:
            x = x + self.scale * block(x)
        return self.head(self.norm(x)[:, 0])


class T5Encoder(nn.Module):
    """Buckets of relative positions as a bias, RMSNorm, gated GELU, no scale."""

    def __init__(self, words=97, features=64, heads=4, layers=2):
        super().__init__()
        self.heads, self.embed = heads, nn.Embedding(words, features)
        self.bias = nn.Embedding(16, heads)
        names = {"q": 1, "k": 1, "v": 1, "o": 1, "gate": 2, "up": 2}
        self.layers = nn.ModuleList(
            nn.ModuleDict(
                {
                    n: nn.Linear(features, m * features, bias=False)
                    for n, m in names.items()
                }
                | {"down": nn.Linear(2 * features, features, bias=False)}
                | {"n1": RMSNorm(features), "n2": RMSNorm(features)}
            )
            for _ in range(layers)
        )

    def buckets(self, tokens, device):
        places = torch.arange(tokens, device=device)
        distance = places[None, :] - places[:, None]
        side = (distance > 0).long() * 8
        far = distance.abs()
        large = 4 + (torch.log(far.float().clamp(min=1) / 4) * 2).long()
        return side + torch.where(far < 4, far, large.clamp(max=7))

    def forward(self, ids):
        x = self.embed(ids)
        batch, tokens, _ = x.shape
        bias = self.bias(self.buckets(tokens, ids.device)).permute(2, 0, 1)[None]
        for layer in self.layers:
            h = layer["n1"](x)
            q, k, v = (
                layer[n](h).view(batch, tokens, self.heads, -1).transpose(1, 2)
                for n in "qkv"
            )
            weights = torch.softmax(q @ k.transpose(-1, -2) + bias, dim=-1)
            x = x + layer["o"]((weights @ v).transpose(1, 2).flatten(2))
            h = layer["n2"](x)
            x = x + layer["down"](
                F.gelu(layer["gate"](h), approximate="tanh") * layer["up"](h)
            )
        return x.mean(dim=1)


class Mixer(nn.Module):
    """Products over tokens and over features in turn, GroupNorm, a smooth loss."""

    def __init__(self, tokens=16, features=64, layers=2):
        super().__init__()
        self.norms = nn.ModuleList(nn.GroupNorm(4, tokens) for _ in range(layers))
        self.over_tokens = nn.ModuleList(
            nn.Linear(tokens, tokens) for _ in range(layers)
        )
        self.over_features = nn.ModuleList(
            nn.Linear(features, features) for _ in range(layers)
        )
        self.last = nn.LayerNorm(features)

    def forward(self, x, target):
        for norm, a, b in zip(self.norms, self.over_tokens, self.over_features):
            h = norm(x)
            x = x + F.hardswish(a(h.transpose(1, 2))).transpose(1, 2)
            x = x + F.leaky_relu(b(self.last(x)), 0.1) * torch.sigmoid(h)
        y = F.softplus(x).std(dim=1) + x.amax(dim=1)
        return F.smooth_l1_loss(y, target), y


def _ids(batch, tokens=12):
    return torch.randint(0, 97, (batch, tokens))


def _labels(batch):
    labels = _ids(batch)
    labels[0, :3] = -100
    return labels


def _mask(batch):
    lengths = torch.arange(batch) % 6 + 7
    return (torch.arange(12) < lengths[:, None]).long()


MODELS = {
    "llama": (Llama, lambda batch: (_ids(batch), _labels(batch))),
    "gpt2": (Gpt2, lambda batch: (_ids(batch),)),
    "bert": (Bert, lambda batch: (_ids(batch), _ids(batch) % 2, _mask(batch))),
    "vit": (Vit, lambda batch: (torch.randn(batch, 3, 16, 16),)),
}
ASIDE = {
    "t5": (T5Encoder, lambda batch: (_ids(batch),)),
    "mixer": (
        Mixer,
        lambda batch: (torch.randn(batch, 16, 64), torch.randn(batch, 64)),
    ),
}
