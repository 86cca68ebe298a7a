# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions that are compared with cuBLAS, alone and with what stands around them.

Shapes are M x N x K: x of M x K times the transpose of a weight of N x K, unless a case
says otherwise. What has something fused is compared with cuBLAS's product alone, which
leaves that work out, and with the same in torch. Nothing here needs torch to be imported.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from .cases import Input

# (N, K) of a layer's products: queries with keys and values, output, gate with up, down.
MODELS = {
    "LLaMA-3 8B": {
        "qkv": (6144, 4096),
        "o": (4096, 4096),
        "gate+up": (28672, 4096),
        "down": (4096, 14336),
    },
    "LLaMA-3 70B": {
        "qkv": (10240, 8192),
        "o": (8192, 8192),
        "gate+up": (57344, 8192),
        "down": (8192, 28672),
    },
    "Qwen2.5 7B": {
        "qkv": (4608, 3584),
        "o": (3584, 3584),
        "gate+up": (37888, 3584),
        "down": (3584, 18944),
    },
    "Gemma-2 9B": {
        "qkv": (8192, 3584),
        "o": (3584, 4096),
        "gate+up": (28672, 3584),
        "down": (3584, 14336),
    },
}
LAYER_ROWS = (1024, 2048, 4096, 8192, 16384)
FEW_ROWS = (64, 128, 256, 512)
# Of one token, beside the layers: the logits of LLaMA-3 and Qwen2.5.
LOGITS = ((128256, 4096), (152064, 3584))
ODD_SHAPES = (
    (4096, 50257, 4096),
    (4096, 4096, 1000),
    (4096, 4096, 1001),
    (4097, 4096, 4096),
    (4096, 1000, 4096),
)
SQUARES = (256, 512, 1024, 2048, 4096, 8192)
# More results than this take too long to check in f64.
MOST_RESULTS = 16384 * 16384
HEAD = 128
# Of weights that decoding reads from memory, whatever the L2 holds.
LARGE_WEIGHT_BYTES, BF16_BYTES = 32e6, 2


@dataclass(frozen=True)
class Case:
    # Such as "LLaMA-3 8B o bf16 4096x4096x4096".
    name: str
    # layers, few rows, one row, unknown rows, odd sizes, orders, wide floats, tf32, decoding,
    # fused, weights, f8 or block scales.
    set: str
    program: str
    inputs: tuple
    # (M, N, K) of the product that cuBLAS does alone.
    shape: tuple
    dtype: str
    # (torch, *inputs) -> a tensor or a tuple of tensors; in f64 it is the reference.
    torch: Callable
    # (torch, *inputs) -> the two matrices that cuBLAS multiplies.
    operands: Callable

    @property
    def flops(self):
        return 2 * math.prod(self.shape)

    @property
    def bytes_read(self):
        return sum(each.bytes for each in self.inputs)


def tensor_type(shape, dtype):
    return f"tensor<{'x'.join(map(str, shape))}x{dtype}>"


def product(
    name, group, shape, dtype="bf16", order="mk,nk", rows_known=True, precision=""
):
    """One product, each operand in either order; f32 of a precision such as "tf32"."""
    sizes = dict(zip("mnk", shape, strict=True))
    if not rows_known:
        sizes["m"] = "?"
    left, right = order.split(",")
    axes = (left, right, "mn")
    x, w, y = (tensor_type([sizes[a] for a in each], dtype) for each in axes)
    option = f" precision = {precision}" if precision else ""
    program = (
        f"func.func @product(%x: {x}, %w: {w}) -> {y} {{\n"
        f'  %y = fuse.contract "{order}->mn" %x, %w{option} : {x}, {w} -> {y}\n'
        f"  return %y : {y}\n}}\n"
    )
    known = dict(zip("mnk", shape, strict=True))
    inputs = tuple(Input(tuple(known[a] for a in each), dtype) for each in axes[:2])

    def operands(torch, x, w):
        return x if left == "mk" else x.T, w.T if right == "nk" else w

    title = f"{name} {precision or dtype} {'x'.join(map(str, shape))}"
    return Case(
        title,
        group,
        program,
        inputs,
        tuple(shape),
        dtype,
        lambda torch, x, w: torch.matmul(*operands(torch, x, w)),
        operands,
    )


def _layers():
    for model, layers in MODELS.items():
        for layer, (n, k) in layers.items():
            for m in LAYER_ROWS:
                if m * n <= MOST_RESULTS:
                    yield product(f"{model} {layer}", "layers", (m, n, k))
    for layer, (n, k) in MODELS["LLaMA-3 8B"].items():
        yield product(f"LLaMA-3 8B {layer}", "layers", (4096, n, k), "f16")


def _few_rows():
    for model in ("LLaMA-3 8B", "Qwen2.5 7B"):
        for layer, (n, k) in MODELS[model].items():
            for m in FEW_ROWS:
                yield product(f"{model} {layer}", "few rows", (m, n, k))
    for n, k in MODELS["LLaMA-3 8B"].values():
        for m in (*FEW_ROWS, 1024):
            shape = (m, n, k)
            yield product("rows unknown", "unknown rows", shape, rows_known=False)


def _one_row():
    for model in ("LLaMA-3 8B", "Qwen2.5 7B"):
        for layer, (n, k) in MODELS[model].items():
            yield product(f"{model} {layer}", "one row", (1, n, k))
    for n, k in LOGITS:
        yield product("logits", "one row", (1, n, k))
    yield product("LLaMA-3 8B down, x W", "one row", (1, 4096, 14336), order="mk,kn")


def decoding_cases(rows):
    """Products of few rows with weights of 32 MB and more, by rows."""
    for m in rows:
        for model in ("LLaMA-3 8B", "Qwen2.5 7B"):
            for layer, (n, k) in MODELS[model].items():
                if n * k * BF16_BYTES >= LARGE_WEIGHT_BYTES:
                    yield product(f"{model} {layer}", "decoding", (m, n, k))


def _wide_floats():
    """f32 on the ordinary cores, f64 on tensor cores."""
    for side in SQUARES:
        for name, order in (("square", "mk,nk"), ("square, x W", "mk,kn")):
            yield product(name, "wide floats", (side,) * 3, "f32", order)
    for m in (16, 512, 4096):
        for layer, (n, k) in MODELS["LLaMA-3 8B"].items():
            yield product(f"LLaMA-3 8B {layer}", "wide floats", (m, n, k), "f32")
    for side in SQUARES[2:-1]:
        yield product("square", "wide floats", (side,) * 3, "f64")
    for order in ("mk,kn", "km,kn"):
        yield product(f"order {order}", "wide floats", (4096,) * 3, "f64", order)
    yield product("few rows", "wide floats", (16, 4096, 4096), "f64")


def _tf32():
    """Also a weight that lies the other way, which is transposed first."""
    shapes = [("square", (side,) * 3) for side in SQUARES[2:]]
    shapes += [
        (f"LLaMA-3 8B {layer}", (m, n, k))
        for m in LAYER_ROWS[:3]
        for layer, (n, k) in MODELS["LLaMA-3 8B"].items()
    ]
    for name, shape in shapes:
        yield product(name, "tf32", shape, "f32", precision="tf32")
    yield product("square, x W", "tf32", (4096,) * 3, "f32", "mk,kn", precision="tf32")


def _orders():
    for order in ("mk,kn", "km,kn", "km,nk"):
        yield product(f"order {order}", "orders", (4096,) * 3, order=order)


# What is fused. Programs have static sizes, as those of cuBLAS.


def _fused(name, shape, program, inputs, torch_function, operands, dtype="bf16"):
    title = f"{name} {'x'.join(map(str, shape))}"
    return Case(
        title,
        "fused",
        program,
        tuple(inputs),
        tuple(shape),
        dtype,
        torch_function,
        operands,
    )


def _times_first(torch, x, w, *_):
    return x, w.T


def bias_gelu(m, n, k):
    x, w, b, y = (tensor_type(s, "bf16") for s in ((m, k), (n, k), (n,), (m, n)))
    program = (
        f"func.func @bias_gelu(%x: {x}, %w: {w}, %b: {b}) -> {y} {{\n"
        f"  %p = fuse.matmul %x, %w transpose_rhs : {x}, {w} -> {y}\n"
        f"  %s = fuse.add %p, %b : {y}, {b} -> {y}\n"
        f"  %y = fuse.gelu tanh %s : {y}\n"
        f"  return %y : {y}\n}}\n"
    )
    inputs = [Input(s, "bf16") for s in ((m, k), (n, k), (n,))]

    def in_torch(torch, x, w, b):
        linear = torch.nn.functional.linear(x, w, b)
        return torch.nn.functional.gelu(linear, approximate="tanh")

    return _fused("bias, gelu", (m, n, k), program, inputs, in_torch, _times_first)


def residual(m, n, k, statistics):
    """x W^T + r, and the sums of its squares by rows."""
    x, w, y, s = (
        tensor_type(*each)
        for each in (
            ((m, k), "bf16"),
            ((n, k), "bf16"),
            ((m, n), "bf16"),
            ((m, 1), "f32"),
        )
    )
    wide = tensor_type((m, n), "f32")
    more = (
        f"  %e = fuse.cast %h : {y} -> {wide}\n"
        f"  %q = fuse.mul %e, %e : {wide}\n"
        f"  %s = fuse.reduce sum %q dims = [1] keep : {wide} -> {s}\n"
        f"  return %h, %s : {y}, {s}\n}}\n"
    )
    program = (
        f"func.func @residual(%x: {x}, %w: {w}, %r: {y}) -> "
        f"{f'({y}, {s})' if statistics else y} {{\n"
        f"  %p = fuse.matmul %x, %w transpose_rhs : {x}, {w} -> {y}\n"
        f"  %h = fuse.add %p, %r : {y}\n"
        + (more if statistics else f"  return %h : {y}\n}}\n")
    )
    inputs = [Input(each, "bf16") for each in ((m, k), (n, k), (m, n))]

    def in_torch(torch, x, w, r):
        h = x @ w.T + r
        if not statistics:
            return h
        wide = h if h.dtype == torch.float64 else h.float()
        return h, wide.square().sum(-1, keepdim=True)

    name = "residual, sums of squares" if statistics else "residual"
    return _fused(name, (m, n, k), program, inputs, in_torch, _times_first)


def swiglu(m, n, k, scaled):
    """silu(s x Wg^T) s x Wu^T, n columns each; s scales rows, as RMSNorm does."""
    x, w, y = (tensor_type(s, "bf16") for s in ((m, k), (n, k), (m, n)))
    r = tensor_type((m, 1), "f32")
    wide = tensor_type((m, n), "f32")
    argument = f", %r: {r}" if scaled else ""
    lines, names = [], []
    for each in ("g", "u"):
        lines.append(
            f"  %{each} = fuse.matmul %x, %w{each} transpose_rhs : {x}, {w} -> {y}"
        )
        names.append(f"%{each}")
        if scaled:
            lines += [
                f"  %{each}w = fuse.cast %{each} : {y} -> {wide}",
                f"  %{each}s = fuse.mul %{each}w, %r : {wide}, {r} -> {wide}",
                f"  %{each}n = fuse.cast %{each}s : {wide} -> {y}",
            ]
            names[-1] = f"%{each}n"
    body = "\n".join(lines)
    program = (
        f"func.func @swiglu(%x: {x}, %wg: {w}, %wu: {w}{argument}) -> {y} {{\n"
        f"{body}\n  %y = fuse.swiglu {', '.join(names)} : {y}\n"
        f"  return %y : {y}\n}}\n"
    )
    inputs = [Input(s, "bf16") for s in ((m, k), (n, k), (n, k))]
    if scaled:
        inputs.append(Input((m, 1), "f32", "uniform"))

    def in_torch(torch, x, wg, wu, r=None):
        if r is not None:
            x = (x * r).to(x.dtype)
        return torch.nn.functional.silu(x @ wg.T) * (x @ wu.T)

    def operands(torch, x, wg, wu, r=None):
        return x, torch.cat((wg, wu)).T

    name = "row scale, gate and up, SwiGLU" if scaled else "gate and up, SwiGLU"
    return _fused(name, (m, 2 * n, k), program, inputs, in_torch, operands)


def quantized(m, n, k):
    """To f8 with a scale for each row."""
    x, w, y = (tensor_type(s, "bf16") for s in ((m, k), (n, k), (m, n)))
    r, wide = tensor_type((m, 1), "f32"), tensor_type((m, n), "f32")
    z = tensor_type((m, n), "f8E4M3FN")
    program = (
        f"func.func @quantized(%x: {x}, %w: {w}, %r: {r}) -> {z} {{\n"
        f"  %p = fuse.matmul %x, %w transpose_rhs : {x}, {w} -> {y}\n"
        f"  %e = fuse.cast %p : {y} -> {wide}\n"
        f"  %s = fuse.mul %e, %r : {wide}, {r} -> {wide}\n"
        f"  %z = fuse.cast %s : {wide} -> {z}\n"
        f"  return %z : {z}\n}}\n"
    )
    inputs = [Input(s, "bf16") for s in ((m, k), (n, k))]
    inputs.append(Input((m, 1), "f32", "uniform"))

    def in_torch(torch, x, w, r):
        y = x @ w.T
        if y.dtype == torch.float64:
            return (y * r).clamp(-448, 448)
        scaled = (y.float() * r).clamp(-448, 448)
        return scaled.to(torch.float8_e4m3fn)

    name = "quantised to f8 by row"
    return _fused(name, (m, n, k), program, inputs, in_torch, _times_first)


def _expand(name, source, tokens, heads):
    flat = tensor_type((tokens, heads * HEAD), "bf16")
    split = tensor_type((tokens, heads, HEAD), "bf16")
    return (
        f"  %{name} = tensor.expand_shape %{source} [[0], [1, 2]] output_shape "
        f"[{tokens}, {heads}, {HEAD}] : {flat} into {split}\n"
    )


def qkv(tokens, heads, key_heads, k):
    """Queries and keys are turned by tables; keys and values go to rows of a cache."""
    x = tensor_type((tokens, k), "bf16")
    table = tensor_type((tokens, HEAD // 2), "f32")
    ids = tensor_type((tokens,), "i64")
    cache = tensor_type((2 * tokens, key_heads, HEAD), "bf16")
    lines, matrices = [], {"q": heads, "k": key_heads, "v": key_heads}
    for each, count in matrices.items():
        w, y = (
            tensor_type((count * HEAD, k), "bf16"),
            tensor_type((tokens, count * HEAD), "bf16"),
        )
        lines.append(
            f"  %{each} = fuse.matmul %x, %w{each} transpose_rhs : {x}, {w} -> {y}\n"
            + _expand(f"{each}h", each, tokens, count)
        )
        if each != "v":
            split = tensor_type((tokens, count, HEAD), "bf16")
            lines.append(
                f"  %{each}r = fuse.rotary half tokens_heads %{each}h tables(%cos, %sin)"
                f" : {split}, {table}\n"
            )
    split = tensor_type((tokens, key_heads, HEAD), "bf16")
    for into, value in (("kc", "kr"), ("vc", "vh")):
        lines.append(
            f"  %{into}n = fuse.scatter %{into}, %ids, %{value} dim = 0"
            f" : {cache}, {ids}, {split} -> {cache}\n"
        )
    queries = tensor_type((tokens, heads, HEAD), "bf16")
    wq, wk = (tensor_type((n * HEAD, k), "bf16") for n in (heads, key_heads))
    arguments = (
        f"%x: {x}, %wq: {wq}, %wk: {wk}, %wv: {wk}, %cos: {table}, %sin: {table}, "
        f"%ids: {ids}, %kc: {cache}, %vc: {cache}"
    )
    program = (
        f'func.func @qkv({arguments}) -> ({queries}, {cache} {{fuse.in_place = "kc"}}, '
        f'{cache} {{fuse.in_place = "vc"}}) {{\n{"".join(lines)}'
        f"  return %qr, %kcn, %vcn : {queries}, {cache}, {cache}\n}}\n"
    )
    half = HEAD // 2
    inputs = [
        Input((tokens, k), "bf16"),
        *(Input((n * HEAD, k), "bf16") for n in (heads, key_heads, key_heads)),
        Input((tokens, half), "f32", "cos"),
        Input((tokens, half), "f32", "sin"),
        Input((tokens,), "i64", "order"),
        Input((2 * tokens, key_heads, HEAD), "bf16"),
        Input((2 * tokens, key_heads, HEAD), "bf16"),
    ]

    def turned(torch, y, cos, sin):
        wide = y if y.dtype == torch.float64 else y.float()
        low, high = wide.chunk(2, dim=-1)
        c, s = cos[:, None, :], sin[:, None, :]
        return torch.cat((low * c - high * s, high * c + low * s), -1).to(y.dtype)

    def in_torch(torch, x, wq, wk, wv, cos, sin, ids, kc, vc):
        q, k, v = ((x @ w.T).unflatten(-1, (-1, HEAD)) for w in (wq, wk, wv))
        keys = kc.index_copy_(0, ids, turned(torch, k, cos, sin))
        return turned(torch, q, cos, sin), keys, vc.index_copy_(0, ids, v)

    def operands(torch, x, wq, wk, wv, *_):
        return x, torch.cat((wq, wk, wv)).T

    shape = (tokens, (heads + 2 * key_heads) * HEAD, k)
    name = "QKV, RoPE, cache"
    return _fused(name, shape, program, inputs, in_torch, operands)


def _fused_cases(m=4096):
    yield bias_gelu(m, 14336, 4096)
    for statistics in (False, True):
        yield residual(m, 4096, 4096, statistics)
        yield residual(m, 4096, 14336, statistics)
    yield swiglu(m, 14336, 4096, scaled=False)
    yield swiglu(m, 14336, 4096, scaled=True)
    yield qkv(m, 32, 8, 4096)
    yield quantized(m, 14336, 4096)
    yield quantized(m, 4096, 4096)


def all_cases():
    """What matters most first: a run may be cut short."""
    odd = [product("odd sizes", "odd sizes", shape) for shape in ODD_SHAPES]
    return [
        *_fused_cases(),
        *odd,
        *_orders(),
        *_one_row(),
        *_few_rows(),
        *_wide_floats(),
        *_tf32(),
        *_layers(),
    ]
