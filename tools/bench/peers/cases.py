# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is compared: programs, their inputs, and the same in torch.

A program has static features and dynamic rows, so one text serves every number
of rows. The torch functions are written the way a user of torch would, and run on
f64 inputs they are the reference. Nothing here needs torch to be imported.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

BYTES = {
    "f64": 8,
    "f32": 4,
    "f16": 2,
    "bf16": 2,
    "f8E4M3FN": 1,
    "i8": 1,
    "ui8": 1,
    "i32": 4,
    "i64": 8,
}
TORCH_NAMES = {
    "f64": "float64",
    "f32": "float32",
    "f16": "float16",
    "bf16": "bfloat16",
    "f8E4M3FN": "float8_e4m3fn",
    "i8": "int8",
    "ui8": "uint8",
    "i32": "int32",
    "i64": "int64",
}


@dataclass(frozen=True)
class Input:
    shape: tuple
    dtype: str
    # "normal", "uniform" in [0, 1), "cos" and "sin" of the angles of a rotary table,
    # whole numbers below `below`, any "bytes", or all numbers as many as there are in some
    # "order".
    kind: str = "normal"
    below: int = 0

    @property
    def bytes(self):
        return math.prod(self.shape) * BYTES[self.dtype]


@dataclass(frozen=True)
class Case:
    # Such as "softmax f32 16384x4097".
    name: str
    program: str
    inputs: tuple
    # What must be written, in bytes.
    bytes_written: int
    # (torch, *inputs) -> a tensor or a tuple of tensors.
    torch: Callable
    # The name of a function in triton_kernels, if there is a Triton kernel.
    triton: str | None = None
    # The program that writes the first output over the first input.
    in_place: str | None = None
    # Of a program of test/Programs, what it shows.
    kind: str = ""

    @property
    def bytes(self):
        """What the fused operation must move, each byte once."""
        return sum(each.bytes for each in self.inputs) + self.bytes_written


def function_text(name, arguments, results, body, returned):
    """Program text. Arguments and results are pairs of a name and a type."""
    parameters = ", ".join(f"%{each}: {type_}" for each, type_ in arguments)
    types = ", ".join(results)
    return (
        f"func.func @{name}({parameters}) -> ({types}) {{\n"
        f"{body}\n  return {returned} : {', '.join(results).replace(IN_PLACE, '')}\n}}\n"
    )


IN_PLACE = ' {fuse.in_place = "x"}'
TOKENS = ' {fuse.dims = ["tokens"]}'


def rope_interleaved(tokens, dtype="f16", heads=32, features=128):
    def torch_function(torch, x, cos, sin):
        # x cos + rotate(x) sin with the tables repeated, the form that
        # torch.compile turns into the fastest kernel.
        wide = x.float() if x.dtype != torch.float64 else x
        even, odd = wide.unflatten(-1, (-1, 2)).unbind(-1)
        turned = torch.stack((-odd, even), dim=-1).flatten(-2)
        c = cos.repeat_interleave(2, dim=-1)[:, None, :]
        s = sin.repeat_interleave(2, dim=-1)[:, None, :]
        return (wide * c + turned * s).to(x.dtype)

    x = f"tensor<?x{heads}x{features}x{dtype}>"
    table = f"tensor<?x{features // 2}xf32>"

    def program(attribute):
        return function_text(
            "rope_interleaved",
            [("x", x + TOKENS), ("cos", table + TOKENS), ("sin", table + TOKENS)],
            [x + attribute],
            f"  %y = fuse.rotary interleaved tokens_heads %x tables(%cos, %sin) : {x}, {table}",
            "%y",
        )

    shape = (tokens, heads, features)
    return Case(
        f"rope interleaved {dtype} {tokens}x{heads}x{features}",
        program(""),
        (
            Input(shape, dtype),
            Input((tokens, features // 2), "f32", "cos"),
            Input((tokens, features // 2), "f32", "sin"),
        ),
        Input(shape, dtype).bytes,
        torch_function,
        triton="rope_interleaved_in_place",
        in_place=program(IN_PLACE),
    )


def _rotate_half(torch, x, cos, sin):
    """As in transformers: x cos + rotate_half(x) sin, the tables given twice."""
    low, high = x.chunk(2, dim=-1)
    turned = torch.cat((-high, low), dim=-1)
    return x * torch.cat((cos, cos), dim=-1) + turned * torch.cat((sin, sin), dim=-1)


def rope_neox_computed(heads, tokens, features=128, base=1.0e4):
    def torch_function(torch, x):
        steps = torch.arange(0, features, 2, device=x.device, dtype=x.dtype)
        frequencies = base ** (-steps / features)
        positions = torch.arange(x.shape[1], device=x.device, dtype=x.dtype)
        angles = positions[:, None] * frequencies
        return _rotate_half(torch, x, angles.cos(), angles.sin())

    x = f"tensor<{heads}x?x{features}xf32>"
    shape = (heads, tokens, features)
    return Case(
        f"rope neox computed f32 {heads}x{tokens}x{features}",
        function_text(
            "rope_neox_computed",
            [("x", x + TOKENS)],
            [x],
            f"  %y = fuse.rotary half heads_tokens %x base = {base:e} : {x}",
            "%y",
        ),
        (Input(shape, "f32"),),
        Input(shape, "f32").bytes,
        torch_function,
    )


def rope_qk(batch, tokens, dtype="bf16", heads=32, kv_heads=8, features=128):
    def rotate(torch, x, c, s):
        wide = x.float() if x.dtype != torch.float64 else x
        return _rotate_half(torch, wide, c, s).to(x.dtype)

    def torch_function(torch, q, k, cos, sin):
        c, s = cos[:, None, :], sin[:, None, :]
        return rotate(torch, q, c, s), rotate(torch, k, c, s)

    q = f"tensor<?x?x{heads}x{features}x{dtype}>"
    k = f"tensor<?x?x{kv_heads}x{features}x{dtype}>"
    table = f"tensor<?x{features // 2}xf32>"
    dims = ' {fuse.dims = ["batch", "tokens"]}'
    body = "\n".join(
        f"  %{each}r = fuse.rotary half tokens_heads %{each} tables(%cos, %sin) : {type_}, {table}"
        for each, type_ in (("q", q), ("k", k))
    )
    arrays = (
        Input((batch, tokens, heads, features), dtype),
        Input((batch, tokens, kv_heads, features), dtype),
    )
    return Case(
        f"rope q+k GQA {heads}/{kv_heads} {dtype} {batch}x{tokens}",
        function_text(
            "rope_qk_gqa",
            [
                ("q", q + dims),
                ("k", k + dims),
                ("cos", table + TOKENS),
                ("sin", table + TOKENS),
            ],
            [q, k],
            body,
            "%qr, %kr",
        ),
        (
            *arrays,
            Input((tokens, features // 2), "f32", "cos"),
            Input((tokens, features // 2), "f32", "sin"),
        ),
        sum(each.bytes for each in arrays),
        torch_function,
    )


def _rows(
    name,
    title,
    dtype,
    rows,
    columns,
    arguments,
    body,
    torch_function,
    outputs=1,
    **more,
):
    """A case on matrices and row vectors: arguments maps names to "matrix" or "vector"."""
    matrix, vector = f"tensor<?x{columns}x{dtype}>", f"tensor<{columns}x{dtype}>"
    rows_dim = ' {fuse.dims = ["rows"]}'
    typed = [
        (each, matrix + rows_dim if kind == "matrix" else vector)
        for each, kind in arguments.items()
    ]
    shapes = {"matrix": (rows, columns), "vector": (columns,)}
    return Case(
        f"{title} {dtype} {rows}x{columns}",
        function_text(
            name,
            typed,
            [matrix] * outputs,
            body.format(m=matrix, v=vector),
            "%y" if outputs == 1 else "%h, %y",
        ),
        tuple(Input(shapes[kind], dtype) for kind in arguments.values()),
        outputs * Input((rows, columns), dtype).bytes,
        torch_function,
        **more,
    )


def gelu(dtype, rows, columns):
    return _rows(
        "gelu",
        "gelu tanh",
        dtype,
        rows,
        columns,
        {"x": "matrix"},
        "  %y = fuse.gelu tanh %x : {m}",
        lambda torch, x: torch.nn.functional.gelu(x, approximate="tanh"),
        triton="gelu",
    )


def softmax(dtype, rows, columns):
    return _rows(
        "softmax",
        "softmax",
        dtype,
        rows,
        columns,
        {"x": "matrix"},
        "  %y = fuse.softmax %x dims = [1] : {m}",
        lambda torch, x: torch.softmax(x, dim=-1),
        triton="softmax",
    )


def rms_norm(dtype, rows, columns):
    return _rows(
        "rms_norm",
        "rms_norm",
        dtype,
        rows,
        columns,
        {"x": "matrix", "w": "vector"},
        "  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : {m}, {v}",
        lambda torch, x, w: torch.nn.functional.rms_norm(x, (columns,), w, 1e-5),
        triton="rms_norm",
    )


def add_rms_norm(dtype, rows, columns):
    def torch_function(torch, x, r, w):
        h = x + r
        return h, torch.nn.functional.rms_norm(h, (columns,), w, 1e-5)

    return _rows(
        "add_rms_norm",
        "add+rms_norm",
        dtype,
        rows,
        columns,
        {"x": "matrix", "r": "matrix", "w": "vector"},
        "  %h = fuse.add %x, %r : {m}\n"
        "  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : {m}, {v}",
        torch_function,
        outputs=2,
        triton="add_rms_norm",
    )


def layer_norm(dtype, rows, columns):
    return _rows(
        "layer_norm",
        "layer_norm",
        dtype,
        rows,
        columns,
        {"x": "matrix", "w": "vector", "b": "vector"},
        "  %y = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : {m}, {v}, {v}",
        lambda torch, x, w, b: torch.nn.functional.layer_norm(
            x, (columns,), w, b, 1e-5
        ),
        triton="layer_norm",
    )


def swiglu(dtype, rows, columns):
    return _rows(
        "swiglu",
        "swiglu",
        dtype,
        rows,
        columns,
        {"gate": "matrix", "up": "matrix"},
        "  %y = fuse.swiglu %gate, %up : {m}",
        lambda torch, gate, up: torch.nn.functional.silu(gate) * up,
        triton="swiglu",
    )


def bias_gelu_residual(dtype, rows, columns):
    return _rows(
        "bias_gelu_residual",
        "bias+gelu+residual",
        dtype,
        rows,
        columns,
        {"x": "matrix", "bias": "vector", "r": "matrix"},
        "  %s = fuse.add %x, %bias : {m}, {v}\n"
        "  %g = fuse.gelu tanh %s : {m}\n"
        "  %y = fuse.add %g, %r : {m}",
        lambda torch, x, bias, r: (
            torch.nn.functional.gelu(x + bias, approximate="tanh") + r
        ),
        triton="bias_gelu_residual",
    )


def all_cases():
    """Every case, those with a measured peer first."""
    return [
        rope_interleaved(2048),
        rope_interleaved(65536),
        rope_neox_computed(128, 8192),
        rope_qk(1, 2048),
        rope_qk(8, 8192),
        gelu("f32", 16384, 16384),
        gelu("bf16", 16384, 16384),
        softmax("f32", 16384, 16384),
        softmax("bf16", 16384, 16384),
        softmax("bf16", 65536, 1024),
        softmax("bf16", 4096, 131072),
        softmax("f32", 16384, 4097),
        rms_norm("bf16", 4096, 4096),
        rms_norm("bf16", 32768, 4096),
        rms_norm("bf16", 32768, 8192),
        rms_norm("bf16", 8192, 32768),
        add_rms_norm("bf16", 4096, 4096),
        add_rms_norm("bf16", 32768, 4096),
        add_rms_norm("bf16", 8192, 32768),
        swiglu("bf16", 4096, 14336),
        swiglu("bf16", 32768, 14336),
        layer_norm("bf16", 4096, 4096),
        layer_norm("bf16", 32768, 4096),
        bias_gelu_residual("f16", 4096, 4096),
        bias_gelu_residual("f16", 32768, 4096),
    ]
