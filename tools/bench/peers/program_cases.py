# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of test/Programs against torch: what docs/fusion.md counts in kernels and bytes, in time.

One or two for each way to write what should share a kernel: reduced dims with and without `keep`,
groups inside of rows, joined results, regrouped reshapes, counts, many tensors, columns.
"""

import dataclasses
import math
from pathlib import Path

from .cases import Case, Input

INPUTS = Path(__file__).resolve().parents[3] / "test" / "Programs" / "Inputs"


def _wide(torch, x):
    return x if x.dtype == torch.float64 else x.float()


def _rms_norm(torch, x, w=None, eps=1e-6):
    y = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)
    return y if w is None else y * w


def _angles(torch, x, tokens, features):
    """Of the positions 0 to `tokens` - 1: [tokens, features / 2], in the type of x."""
    steps = torch.arange(0, features, 2, device=x.device, dtype=x.dtype)
    positions = torch.arange(tokens, device=x.device, dtype=x.dtype)
    return positions[:, None] * 10000.0 ** (-steps / features)


def _turned(torch, x, angles):
    """Rotary embedding of layout half."""
    low, high = x.chunk(2, -1)
    cos, sin = angles.cos(), angles.sin()
    return torch.cat((low * cos - high * sin, high * cos + low * sin), -1)


def _case(name, inputs, written, function, title=None):
    return Case(
        title or name, (INPUTS / f"{name}.mlir").read_text(), inputs, written, function
    )


def unsqueezed_maximum(rows):
    x = Input((rows, 4096), "f32")
    return _case(
        "unsqueezed_maximum",
        (x,),
        x.bytes,
        lambda torch, x: x / x.amax(1)[:, None],
    )


def logsumexp_less_mean(rows):
    return _case(
        "logsumexp_less_mean",
        (Input((rows, 4096), "f32"),),
        4 * rows,
        lambda torch, x: torch.logsumexp(x, 1) - x.mean(1),
    )


def norm_then_heads(rows):
    def function(torch, x, w, v):
        y = _rms_norm(torch, _wide(torch, x), w).to(x.dtype)
        heads = _wide(torch, y).unflatten(1, (32, 128))
        return _rms_norm(torch, heads, v).to(x.dtype)

    x = Input((rows, 4096), "bf16")
    inputs = (x, Input((4096,), "bf16"), Input((128,), "bf16"))
    return _case("norm_then_heads", inputs, x.bytes, function)


def joined_norm_rotary(rows):
    def function(torch, c, k, w):
        n = _rms_norm(torch, _wide(torch, c), w).to(c.dtype)
        wide = _wide(torch, k)
        turned = _turned(torch, wide, _angles(torch, wide, k.shape[0], 64))
        return torch.cat((n, turned.to(k.dtype)), 1)

    inputs = (
        Input((rows, 512), "bf16"),
        Input((rows, 64), "bf16"),
        Input((512,), "bf16"),
    )
    return _case("joined_norm_rotary", inputs, rows * 576 * 2, function)


def group_norm_flat():
    def function(torch, x, w, b):
        y = torch.nn.functional.group_norm(
            _wide(torch, x),
            32,
            w.to(_wide(torch, x).dtype),
            b.to(_wide(torch, x).dtype),
        )
        return y.to(x.dtype)

    x = Input((2, 320, 16, 16), "f16")
    inputs = (x, Input((320,), "f16"), Input((320,), "f16"))
    return _case("group_norm_flat", inputs, x.bytes, function)


def rope_by_hand(rows):
    def function(torch, x, cos, sin):
        even, odd = _wide(torch, x).unflatten(-1, (64, 2)).unbind(-1)
        c, s = cos[:, None], sin[:, None]
        pairs = torch.stack((even * c - odd * s, even * s + odd * c), -1)
        return pairs.flatten(-2).to(x.dtype)

    x = Input((rows, 8, 128), "bf16")
    tables = (Input((rows, 64), "f32", "cos"), Input((rows, 64), "f32", "sin"))
    return _case("rope_by_hand", (x, *tables), x.bytes, function)


def mean_of_valid(rows):
    def function(torch, x, t):
        return torch.nn.functional.cross_entropy(_wide(torch, x), t)

    inputs = (Input((rows, 4096), "bf16"), Input((rows,), "i64", "below", 4096))
    return _case("mean_of_valid", inputs, 4, function)


def column_statistics(rows):
    def function(torch, x):
        variance, mean = torch.var_mean(x, 0, correction=0)
        return mean, variance

    return _case("column_statistics", (Input((rows, 1024), "f32"),), 2 * 4096, function)


def columns_beside_columns(rows):
    def function(torch, x, y):
        return x.sum(0), y.amax(0)

    inputs = (Input((rows, 1024), "f32"), Input((rows // 2, 768), "f32"))
    return _case("columns_beside_columns", inputs, 4096 + 3072, function)


def rotary_beside_norm(rows):
    def function(torch, q, k, w):
        wide = _wide(torch, q)
        turned = _turned(torch, wide, _angles(torch, wide, q.shape[0], 128)[:, None])
        norm = _rms_norm(torch, _wide(torch, k), w)
        return turned.to(q.dtype), norm.to(k.dtype)

    q, k = Input((rows, 32, 128), "bf16"), Input((rows, 8, 128), "bf16")
    inputs = (q, k, Input((128,), "bf16"))
    return _case("rotary_beside_norm", inputs, q.bytes + k.bytes, function)


def _adam_text(count, shape):
    """Adam of many tensors whose gradients are clipped by the norm of all."""
    type_ = f"tensor<{'x'.join(map(str, shape))}xf32>"
    dims = f"[{', '.join(map(str, range(len(shape))))}]"
    arguments, body, results, numbers = [], [], [], {}

    def constant(value):
        name = numbers.setdefault(value, f"%n{len(numbers)}")
        line = f"  {name} = fuse.constant dense<{value:e}> : tensor<f32>"
        if line not in body:
            body.insert(0, line)
        return name

    def emit(name, op, *operands):
        types = [
            type_ if o[1] in "gpmv" or "_" in o else "tensor<f32>" for o in operands
        ]
        arrow = "" if set(types) == {type_} else f" -> {type_}"
        listed = types[0] if not arrow else ", ".join(types)
        body.append(f"  {name} = fuse.{op} {', '.join(operands)} : {listed}{arrow}")
        return name

    for i in range(count):
        arguments += [f"%{each}{i}: {type_}" for each in "gpmv"]
        emit(f"%q_{i}", "mul", f"%g{i}", f"%g{i}")
        body.append(
            f"  %s{i} = fuse.reduce sum %q_{i} dims = {dims} : {type_} -> tensor<f32>"
        )
    total = "%s0"
    for i in range(1, count):
        body.append(f"  %t{i} = fuse.add {total}, %s{i} : tensor<f32>")
        total = f"%t{i}"
    body += [
        f"  %root = fuse.sqrt {total} : tensor<f32>",
        f"  %safe = fuse.add %root, {constant(1.0e-6)} : tensor<f32>",
        f"  %part = fuse.div {constant(1.0)}, %safe : tensor<f32>",
        f"  %clip = fuse.min %part, {constant(1.0)} : tensor<f32>",
    ]
    for i in range(count):
        g = emit(f"%c_{i}", "mul", f"%g{i}", "%clip")
        m = emit(
            f"%mn_{i}",
            "add",
            emit(f"%ma_{i}", "mul", f"%m{i}", constant(0.9)),
            emit(f"%mb_{i}", "mul", g, constant(0.1)),
        )
        v = emit(
            f"%vn_{i}",
            "add",
            emit(f"%va_{i}", "mul", f"%v{i}", constant(0.999)),
            emit(f"%vb_{i}", "mul", emit(f"%gg_{i}", "mul", g, g), constant(0.001)),
        )
        root = emit(f"%r_{i}", "add", emit(f"%sv_{i}", "sqrt", v), constant(1.0e-8))
        step = emit(f"%st_{i}", "mul", emit(f"%d_{i}", "div", m, root), constant(0.001))
        results += [emit(f"%pn_{i}", "sub", f"%p{i}", step), m, v]
    types = ", ".join([type_] * len(results))
    return (
        f"func.func @adam_behind_clip({', '.join(arguments)}) -> ({types}) {{\n"
        + "\n".join(body)
        + f"\n  return {', '.join(results)} : {types}\n}}\n"
    )


def adam_behind_clip(count, shape):
    def function(torch, *tensors):
        groups = [tensors[i : i + 4] for i in range(0, len(tensors), 4)]
        norm = torch.sqrt(sum(g.square().sum() for g, *_ in groups))
        clip = torch.clamp(1.0 / (norm + 1e-6), max=1.0)
        out = []
        for g, p, m, v in groups:
            g = g * clip
            m = m * 0.9 + g * 0.1
            v = v * 0.999 + g * g * 0.001
            out += [p - m / (v.sqrt() + 1e-8) * 0.001, m, v]
        return tuple(out)

    kinds = ("normal", "normal", "normal", "uniform")
    inputs = tuple(Input(shape, "f32", kind) for _ in range(count) for kind in kinds)
    return Case(
        f"adam behind clip, {count} tensors of {math.prod(shape)}",
        _adam_text(count, shape),
        inputs,
        3 * count * 4 * math.prod(shape),
        function,
    )


def norm_then_groups(rows):
    def function(torch, x, w):
        norm = _rms_norm(torch, _wide(torch, x), _wide(torch, w))
        groups = norm.unflatten(1, (32, 128))
        scale = groups.abs().amax(-1, keepdim=True) / 127.0
        return torch.round(groups / scale).to(torch.int8), scale

    x = Input((rows, 4096), "bf16")
    inputs = (x, Input((4096,), "bf16"))
    return _case("norm_then_groups", inputs, x.bytes // 2 + rows * 128, function)


def halves_of_norm(rows):
    def function(torch, x, w):
        wide = _wide(torch, x)
        norm = torch.nn.functional.layer_norm(
            wide, (512,), w.to(wide.dtype), eps=1e-6
        ).to(x.dtype)
        return tuple(each.contiguous() for each in norm.chunk(2, 1))

    x = Input((rows, 512), "f16")
    return _case("halves_of_norm", (x, Input((512,), "f16")), x.bytes, function)


def group_norm_nhwc():
    def function(torch, x, w):
        y = _wide(torch, x).permute(0, 3, 1, 2)
        y = torch.nn.functional.group_norm(y, 32, w.to(y.dtype))
        return y.permute(0, 2, 3, 1).to(x.dtype).contiguous()

    x = Input((4, 16, 16, 320), "bf16")
    return _case("group_norm_nhwc", (x, Input((320,), "f32")), x.bytes, function)


def unpack_int4(rows):
    def function(torch, q, s):
        pairs = torch.stack((q & 15, q >> 4), -1).flatten(1) - 8
        return (pairs.to(s.dtype).unflatten(1, (32, 128)) * s[:, :, None]).flatten(1)

    inputs = (Input((rows, 2048), "i32", "below", 256), Input((rows, 32), "f16"))
    return _case("unpack_int4", inputs, rows * 4096 * 2, function)


def smoothed_loss(rows):
    def function(torch, x, t):
        loss = torch.nn.functional.cross_entropy
        return loss(_wide(torch, x), t, label_smoothing=0.1)

    inputs = (Input((rows, 4096), "bf16"), Input((rows,), "i64", "below", 4096))
    return _case("smoothed_loss", inputs, 4, function)


def batch_statistics(images):
    def function(torch, x):
        variance, mean = torch.var_mean(_wide(torch, x), (0, 2, 3), correction=0)
        return mean, variance

    inputs = (Input((images, 24, 56, 56), "f16"),)
    return _case("batch_statistics", inputs, 2 * 24 * 4, function)


def m_rope(rows):
    def function(torch, x, positions, inverse):
        angles = positions[..., None].to(inverse.dtype) * inverse
        parts = angles.split((16, 24, 24), -1)
        angle = torch.cat([part[i] for i, part in enumerate(parts)], -1)[:, None]
        return _turned(torch, _wide(torch, x), angle).to(x.dtype)

    x = Input((rows, 8, 128), "bf16")
    inputs = (x, Input((3, rows), "i64", "below", 512), Input((64,), "f32", "uniform"))
    return _case("m_rope", inputs, x.bytes, function)


def token_shift(rows):
    def function(torch, x, w, b, last, *shares):
        before = torch.cat((last, x[:-1])) - x
        return tuple(x + before * share for share in shares)

    x = Input((rows, 256), "bf16")
    row = Input((256,), "bf16")
    inputs = (x, row, row, Input((1, 256), "bf16"), row, row, row)
    return _case("token_shift", inputs, 3 * x.bytes, function)


def image_ui8():
    def function(torch, x, m, s):
        y = (x.to(m.dtype) / 255.0 - m) / s
        half = torch.float64 if m.dtype == torch.float64 else torch.float16
        return y.permute(0, 3, 1, 2).to(half).contiguous()

    x = Input((2, 32, 32, 3), "ui8", "below", 256)
    scales = (Input((3,), "f32", "uniform"), Input((3,), "f32", "uniform"))
    return _case("image_ui8", (x, *scales), 2 * x.bytes, function)


def transposed_pad(images):
    def function(torch, x):
        return torch.nn.functional.pad(x.transpose(1, 2) * 2.0, (0, 6)).contiguous()

    x = Input((images, 66, 96), "f16")
    return _case("transposed_pad", (x,), images * 96 * 72 * 2, function)


def softmax_scan(rows):
    def function(torch, x):
        before = torch.cummax(x, 1)[0][:, :-1]
        first = torch.full_like(x[:, :1], -math.inf)
        return x.softmax(1).cumsum(1) * x, torch.cat((first, before), 1)

    x = Input((rows, 1024), "f32")
    return _case("softmax_scan", (x,), 2 * x.bytes, function)


def label_logits(rows):
    def function(torch, x, t):
        wide = _wide(torch, x)
        return -wide.log_softmax(1).gather(1, t), wide.mean(1, keepdim=True)

    inputs = (Input((rows, 333), "bf16"), Input((rows, 1), "i64", "below", 333))
    return _case("label_logits", inputs, rows * 8, function)


def largest_shares(rows):
    def function(torch, x):
        return x.topk(8, 1)[0].softmax(1)

    inputs = (Input((rows, 256), "f32"),)
    return _case("largest_shares", inputs, rows * 8 * 4, function)


def router_of_groups(rows):
    def function(torch, x, bias):
        scores = _wide(torch, x).sigmoid()
        biased = scores + bias
        groups = biased.unflatten(1, (8, 12))
        best = groups.topk(2, -1)[0].sum(-1).topk(4, -1)[1]
        chosen = torch.zeros_like(groups[..., 0]).scatter(1, best, 1.0) > 0
        left = groups.masked_fill(~chosen[..., None], -1e30).flatten(1)
        ids = left.topk(8, -1)[1]
        weights = scores.gather(1, ids)
        weights = weights / (weights.sum(-1, keepdim=True) + 1e-20) * 2.5
        return weights, ids.to(torch.int32)

    # Few rows, since experts whose scores f32 cannot tell apart may change places.
    inputs = (Input((rows, 96), "f32"), Input((96,), "f32", "uniform"))
    return _case("router_of_groups", inputs, rows * 64, function)


def norm_of_all_heads(rows):
    def function(torch, x, w):
        norm = _rms_norm(torch, _wide(torch, x), w).to(x.dtype)
        wide = _wide(torch, norm).unflatten(1, (16, 64))
        angles = _angles(torch, wide, x.shape[0], 64)[:, None]
        return _turned(torch, wide, angles).to(x.dtype)

    x = Input((rows, 1024), "bf16")
    return _case("norm_of_all_heads", (x, Input((1024,), "bf16")), x.bytes, function)


def token_logprobs(rows):
    def function(torch, x, t):
        logs = _wide(torch, x).log_softmax(1)
        return logs[:-1].gather(1, t[1:, None])[:, 0]

    inputs = (Input((rows, 300), "bf16"), Input((rows,), "i64", "below", 300))
    return _case("token_logprobs", inputs, rows * 4, function)


def cut_pairs(tokens):
    def function(torch, x):
        wide = _wide(torch, x)
        angles = _angles(torch, wide, x.shape[1], 20)[:, None]
        rotated, rest = wide.split((20, 60), -1)
        parts = (_turned(torch, rotated, angles), rest)
        return torch.cat(parts, -1).to(x.dtype)

    x = Input((2, tokens, 12, 80), "bf16")
    return _case("cut_pairs", (x,), x.bytes, function)


def rotated_heads(tokens):
    def function(torch, x, positions, inverse):
        angles = positions[:, None].to(inverse.dtype) * inverse
        angles = torch.cat((angles, angles), -1)
        wide = _wide(torch, x)
        low, high = wide.chunk(2, -1)
        turned = torch.cat((-high, low), -1)
        return (wide * angles.cos() + turned * angles.sin()).to(x.dtype)

    x = Input((2, 32, tokens, 128), "bf16")
    positions = Input((tokens,), "i64", "below", 512)
    inputs = (x, positions, Input((64,), "f32", "uniform"))
    return _case("rotated_heads", inputs, x.bytes, function)


def short_patches(images):
    def function(torch, x, p):
        patches = x.unflatten(3, (4, 14)).unflatten(2, (2, 14))
        patches = patches.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)
        planes = p.unflatten(2, (3, 14, 14)).unflatten(1, (2, 4))
        planes = planes.permute(0, 3, 1, 4, 2, 5).flatten(4).flatten(2, 3)
        return patches.contiguous(), planes.contiguous()

    inputs = tuple(
        Input(shape, "i8", "bytes") for shape in ((images, 3, 28, 56), (images, 8, 588))
    )
    return _case("short_patches", inputs, sum(i.bytes for i in inputs), function)


# By what they show: the ways to write what should share a kernel, and more.
KINDS = {
    "reduced dims, kept or not": (
        lambda: unsqueezed_maximum(16384),
        lambda: logsumexp_less_mean(16384),
    ),
    "reductions inside of reductions": (
        lambda: norm_then_heads(16384),
        lambda: norm_then_groups(16384),
        lambda: norm_of_all_heads(65536),
    ),
    "rows moved and joined": (
        lambda: joined_norm_rotary(65536),
        lambda: halves_of_norm(65536),
    ),
    "regrouped dims": (group_norm_flat, group_norm_nhwc),
    "several reshapes": (
        lambda: rope_by_hand(65536),
        lambda: unpack_int4(16384),
    ),
    "counts beside means": (
        lambda: mean_of_valid(16384),
        lambda: smoothed_loss(16384),
    ),
    "many tensors": (
        lambda: adam_behind_clip(16, (1024, 1024)),
        lambda: adam_behind_clip(64, (512, 1024)),
    ),
    "columns": (
        lambda: column_statistics(65536),
        lambda: columns_beside_columns(65536),
        lambda: batch_statistics(128),
    ),
    "tables and neighbours": (
        lambda: rotary_beside_norm(16384),
        lambda: m_rope(65536),
        lambda: rotated_heads(8192),
    ),
    "narrow accesses": (
        lambda: token_shift(65536),
        image_ui8,
        lambda: transposed_pad(1024),
        lambda: cut_pairs(16384),
        lambda: short_patches(8192),
    ),
    "ops on the order of rows": (
        lambda: softmax_scan(16384),
        lambda: label_logits(65536),
        lambda: largest_shares(65536),
        lambda: router_of_groups(4096),
        lambda: token_logprobs(65536),
    ),
}


def all_cases():
    return [
        dataclasses.replace(make(), kind=kind)
        for kind, cases in KINDS.items()
        for make in cases
    ]
