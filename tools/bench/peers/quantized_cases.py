# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions of 8-bit floats, and of weights of 8 and 4 bits, against cuBLAS."""

from .cases import Input
from .contraction_cases import MODELS, Case, tensor_type

# Neighbours along the summed axis that have a scale in common, and rows beside weights of 8
# and 4 bits.
GROUP = 128
DECODED_ROWS = (1, 4, 16)
# Rows from a few on, whose tiles compute the weights.
TILED_ROWS = (16, 32, 64, 128, 256, 512, 1024, 4096)
BLOCK_ROWS = (64, 256, 1024, 4096)


# Weights of 8 and 4 bits. The product beside them is that of bf16.


def weights(name, m, n, k, kind, grouped, case_set="weights"):
    """x times dequantised weights: `kind` is int8, f8 or int4; a scale for each column of the
    result, or also for each GROUP elements of the summed axis."""
    count = k // GROUP if grouped else 1
    stored = "f8E4M3FN" if kind == "f8" else "i8"
    columns = k // 2 if kind == "int4" else k
    x, w, s, y = (
        tensor_type(*each)
        for each in (
            ((m, k), "bf16"),
            ((n, columns), stored),
            ((n, count, 1), "bf16"),
            ((m, n), "bf16"),
        )
    )
    whole, grouped_type = (n, k), (n, count, k // count)
    element = "i8" if kind == "int4" else stored
    lines, source = [], "%w"
    if kind == "int4":
        lines.append(f"%q = fuse.unpack %w : {w} -> {tensor_type(whole, element)}")
        source = "%q"
    lines += [
        f"%g = tensor.expand_shape {source} [[0], [1, 2]] output_shape "
        f"[{n}, {count}, {k // count}] : {tensor_type(whole, element)} into "
        f"{tensor_type(grouped_type, element)}",
        f"%f = fuse.cast %g : {tensor_type(grouped_type, element)} -> "
        f"{tensor_type(grouped_type, 'bf16')}",
        f"%d = fuse.mul %f, %s : {tensor_type(grouped_type, 'bf16')}, {s} -> "
        f"{tensor_type(grouped_type, 'bf16')}",
        f"%r = tensor.collapse_shape %d [[0], [1, 2]] : {tensor_type(grouped_type, 'bf16')} into "
        f"{tensor_type(whole, 'bf16')}",
        f"%y = fuse.matmul %x, %r transpose_rhs : {x}, {tensor_type(whole, 'bf16')} -> {y}",
        f"return %y : {y}",
    ]
    body = "\n  ".join(lines)
    program = f"func.func @weights(%x: {x}, %w: {w}, %s: {s}) -> {y} {{\n  {body}\n}}\n"
    inputs = (
        Input((m, k), "bf16"),
        Input((n, columns), stored, "normal" if kind == "f8" else "bytes"),
        Input((n, count, 1), "bf16", "uniform"),
    )

    def wide(torch, x, w, s):
        if kind == "int4":
            signed = torch.stack(((w << 4) >> 4, w >> 4), dim=-1).flatten(-2)
        else:
            signed = w
        return (signed.to(x.dtype).unflatten(-1, (count, -1)) * s).flatten(-2)

    title = f"{name} {kind} by {'group' if grouped else 'column'} {m}x{n}x{k}"
    return Case(
        title,
        case_set,
        program,
        inputs,
        (m, n, k),
        "bf16",
        lambda torch, x, w, s: x @ wide(torch, x, w, s).T,
        lambda torch, x, w, s: (x, wide(torch, x, w, s).T),
    )


def _weights():
    for m in DECODED_ROWS:
        for layer, (n, k) in MODELS["LLaMA-3 8B"].items():
            for kind, grouped in (
                ("int8", False),
                ("f8", False),
                ("int4", True),
                ("int8", True),
            ):
                yield weights(f"LLaMA-3 8B {layer}", m, n, k, kind, grouped)


def _tiled_weights():
    for m in TILED_ROWS:
        for layer, (n, k) in MODELS["LLaMA-3 8B"].items():
            for kind, grouped in (("int4", True), ("int8", False), ("f8", False)):
                yield weights(
                    f"tiles of LLaMA-3 8B {layer}",
                    m,
                    n,
                    k,
                    kind,
                    grouped,
                    "weights in tiles",
                )


# 8-bit floats: with scales of the tensors, and by blocks, as DeepSeek's. The product beside
# both is cuBLASLt's, with scales of the tensors.


def _rows_in_blocks(m, k):
    x = tensor_type((m, k), "f8E4M3FN")
    count = k // GROUP
    return (
        f"  %x3 = tensor.expand_shape %x [[0], [1, 2]] output_shape [{m}, {count}, {GROUP}]"
        f" : {x} into {tensor_type((m, count, GROUP), 'f8E4M3FN')}\n"
    )


def _product_by_blocks(w, scale, result, m, n, k):
    """%result of %x3, scaled by %a, and the weight, scaled by %scale; names end in the
    weight's."""
    count, groups = k // GROUP, n // GROUP
    x3, w3 = (tensor_type((each, count, GROUP), "f8E4M3FN") for each in (m, n))
    p, p4 = (
        tensor_type((count, m, n), "f32"),
        tensor_type((count, m, groups, GROUP), "f32"),
    )
    of_rows, of_columns = (
        tensor_type((count, m, 1), "f32"),
        tensor_type((count, 1, groups, 1), "f32"),
    )
    return (
        f"  %{w}3 = tensor.expand_shape %{w} [[0], [1, 2]] output_shape [{n}, {count}, {GROUP}]"
        f" : {tensor_type((n, k), 'f8E4M3FN')} into {w3}\n"
        f'  %p{w} = fuse.contract "mbk,nbk->bmn" %x3, %{w}3 : {x3}, {w3} -> {p}\n'
        f"  %q{w} = fuse.mul %p{w}, %a : {p}, {of_rows} -> {p}\n"
        f"  %e{w} = tensor.expand_shape %q{w} [[0], [1], [2, 3]] output_shape "
        f"[{count}, {m}, {groups}, {GROUP}] : {p} into {p4}\n"
        f"  %r{w} = fuse.mul %e{w}, %{scale} : {p4}, {of_columns} -> {p4}\n"
        f"  %c{w} = tensor.collapse_shape %r{w} [[0], [1], [2, 3]] : {p4} into {p}\n"
        f"  %{result} = fuse.reduce sum %c{w} dims = [0] : {p} -> "
        f"{tensor_type((m, n), 'f32')}\n"
    )


def _in_blocks(x, w, a, b):
    """x w^T in torch, whose operands are scaled first."""
    count, n = a.shape[0], w.shape[0]
    x3, w4 = (
        x.unflatten(-1, (count, GROUP)),
        w.view(n // GROUP, GROUP, count, GROUP),
    )
    scaled = (
        x3 * a.permute(1, 0, 2),
        w4 * b.view(count, -1, 1, 1).permute(1, 2, 0, 3),
    )
    return scaled[0].flatten(-2) @ scaled[1].flatten(0, 1).flatten(-2).T


def gated_float8(name, m, n, k):
    """silu(x Wg^T) x Wu^T, n columns each, all with scales by blocks."""
    count = k // GROUP
    scales = ((count, m, 1), (count, 1, n // GROUP, 1), (count, 1, n // GROUP, 1))
    x, w = (tensor_type(s, "f8E4M3FN") for s in ((m, k), (n, k)))
    a, b, _ = (tensor_type(s, "f32") for s in scales)
    y, wide = (tensor_type((m, n), each) for each in ("bf16", "f32"))
    program = (
        f"func.func @gated(%x: {x}, %g: {w}, %u: {w}, %a: {a}, %bg: {b}, %bu: {b}) -> {y} {{\n"
        f"{_rows_in_blocks(m, k)}{_product_by_blocks('g', 'bg', 'gs', m, n, k)}"
        f"{_product_by_blocks('u', 'bu', 'us', m, n, k)}"
        f"  %s = fuse.silu %gs : {wide}\n  %z = fuse.mul %s, %us : {wide}\n"
        f"  %y = fuse.cast %z : {wide} -> {y}\n  return %y : {y}\n}}\n"
    )
    inputs = (
        *(Input(shape, "f8E4M3FN") for shape in ((m, k), (n, k), (n, k))),
        *(Input(shape, "f32", "uniform") for shape in scales),
    )

    def in_torch(torch, x, g, u, a, bg, bu):
        return torch.nn.functional.silu(_in_blocks(x, g, a, bg)) * _in_blocks(
            x, u, a, bu
        )

    return Case(
        f"{name} gate and up, scales by block {m}x{2 * n}x{k}",
        "block scales",
        program,
        inputs,
        (m, 2 * n, k),
        "f8E4M3FN",
        in_torch,
        lambda torch, x, g, u, *_: (x, torch.cat((g, u)).T),
    )


def float8(name, m, n, k, by_blocks):
    count = k // GROUP
    x, w = (tensor_type(s, "f8E4M3FN") for s in ((m, k), (n, k)))
    y, wide = (tensor_type((m, n), each) for each in ("bf16", "f32"))
    if by_blocks:
        a, b = (
            tensor_type((count, m, 1), "f32"),
            tensor_type((count, 1, n // GROUP, 1), "f32"),
        )
        body = _rows_in_blocks(m, k) + _product_by_blocks("w", "b", "s", m, n, k)
        shapes = ((count, m, 1), (count, 1, n // GROUP, 1))
    else:
        a = b = tensor_type((1, 1), "f32")
        body = (
            f'  %p = fuse.contract "mk,nk->mn" %x, %w : {x}, {w} -> {wide}\n'
            f"  %q = fuse.mul %p, %a : {wide}, {a} -> {wide}\n"
            f"  %s = fuse.mul %q, %b : {wide}, {b} -> {wide}\n"
        )
        shapes = ((1, 1), (1, 1))
    program = (
        f"func.func @float8(%x: {x}, %w: {w}, %a: {a}, %b: {b}) -> {y} {{\n{body}"
        f"  %y = fuse.cast %s : {wide} -> {y}\n  return %y : {y}\n}}\n"
    )
    inputs = (
        Input((m, k), "f8E4M3FN"),
        Input((n, k), "f8E4M3FN"),
        *(Input(shape, "f32", "uniform") for shape in shapes),
    )

    def in_torch(torch, x, w, a, b):
        if not by_blocks:
            return (x @ w.T) * a * b
        return _in_blocks(x, w, a, b)

    title = f"{name} {'scales by block' if by_blocks else 'scales of tensors'}"
    return Case(
        f"{title} {m}x{n}x{k}",
        "block scales" if by_blocks else "f8",
        program,
        inputs,
        (m, n, k),
        "f8E4M3FN",
        in_torch,
        lambda torch, x, w, *_: (x, w.T),
    )


def _float8():
    for m in BLOCK_ROWS:
        for layer, (n, k) in MODELS["LLaMA-3 8B"].items():
            for by_blocks in (False, True):
                yield float8(f"LLaMA-3 8B {layer}", m, n, k, by_blocks)
        yield gated_float8("LLaMA-3 8B", m, 14336, 4096)


def all_cases():
    return [*_weights(), *_tiled_weights(), *_float8()]
