# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions that do not follow rows, and transposes, for sweeps of schedules: sums of
columns with work before them, with results of the full shape beside them, and of whole
tensors.

Programs compute in f32. Constants are exact in every element type, so that f64 computes
with the same ones.
"""

import functools
from dataclasses import dataclass

from .cases import Case, Input, function_text


@dataclass(frozen=True)
class Family:
    """`inputs` are of the full shape (x, y, ...), one number a row ("/row") or a column
    ("/column"); `body` has {wide}, {row} and {column} for types in f32."""

    name: str
    inputs: tuple
    body: str
    # (value, its shape) each; "narrow" ones are cast to the element type.
    results: tuple
    torch: object
    # What the dynamic dimension of rows stands beside: nothing, or a batch.
    batch: int = 0

    def make(self, dtype, rows, columns):
        shapes = _shapes(self, columns)
        types = {kind: _type(_text(shape), "f32") for kind, shape in shapes.items()}
        arguments, inputs, lines = [], [], []
        for each in self.inputs:
            name, _, kind = each.partition("/")
            shape = _text(shapes[kind or "wide"])
            narrow, wide = f"tensor<{shape}x{dtype}>", f"tensor<{shape}xf32>"
            kept = dtype if not kind else "f32"
            arguments.append((name, f"tensor<{shape}x{kept}>" + _names(shape)))
            inputs.append(Input(_sizes(shapes[kind or "wide"], rows), kept))
            if kept != "f32":
                lines.append(f"%{name}_w = fuse.cast %{name} : {narrow} -> {wide}")
        lines += self.body.format(
            **types,
            **{name.partition("/")[0]: _wide(name, dtype) for name in self.inputs},
        ).splitlines()
        returned, result_types, written = [], [], 0
        for each in self.results:
            name, _, kind = each.partition("/")
            shape = _text(shapes[kind])
            kept = dtype if kind in ("wide", "turned") else "f32"
            value = f"%{name}"
            if kept != "f32":
                value += "_n"
                lines.append(
                    f"{value} = fuse.cast %{name} : {types[kind]} -> tensor<{shape}x{kept}>"
                )
            returned.append(value)
            result_types.append(_type(shape, kept))
            written += Input(_sizes(shapes[kind], rows), kept).bytes
        body = "\n".join(f"  {line.strip()}" for line in lines)
        return Case(
            f"{self.name} {dtype} {rows}x{columns}",
            function_text(
                self.name, arguments, result_types, body, ", ".join(returned)
            ),
            tuple(inputs),
            written,
            functools.partial(_in_f32, self.torch),
        )


def _in_f32(function, torch, *inputs):
    """Results of the full shape have the first input's type again."""
    wide = [each if each.dtype == torch.float64 else each.float() for each in inputs]
    results = function(torch, *wide)
    results = results if isinstance(results, tuple) else (results,)
    narrow = [
        each.to(inputs[0].dtype) if each.numel() >= inputs[0].numel() else each
        for each in results
    ]
    return narrow[0] if len(narrow) == 1 else tuple(narrow)


def _shapes(family, columns):
    full = ("?", columns) if not family.batch else (family.batch, "?", columns)
    kept = (1, columns) if not family.batch else (family.batch, 1, columns)
    return {
        "wide": full,
        "turned": (columns, "?"),
        "row": (*full[:-1], 1),
        "column": kept,
        "one": (),
    }


def _text(shape):
    return "x".join(map(str, shape))


def _type(shape, dtype):
    return f"tensor<{shape}x{dtype}>" if shape else f"tensor<{dtype}>"


def _names(shape):
    return ' {fuse.dims = ["rows"]}' if "?" in shape else ""


def _sizes(shape, rows):
    return tuple(rows if size == "?" else size for size in shape)


def _wide(name, dtype):
    name, _, kind = name.partition("/")
    return f"%{name}" if kind or dtype == "f32" else f"%{name}_w"


_SQUARES = "%q = fuse.mul {x}, {x} : {wide}\n"
_MAGNITUDES = "%q = fuse.abs {x} : {wide}\n"
_ALL = " : {wide} -> {one}"
_COLUMNS = " dims = [0] keep : {wide} -> {column}\n"
FAMILIES = (
    Family(
        "column_squares",
        ("x",),
        _SQUARES + "%s = fuse.reduce sum %q" + _COLUMNS,
        ("s/column",),
        lambda torch, x: x.square().sum(0, keepdim=True),
    ),
    Family(
        "column_maximum",
        ("x",),
        _MAGNITUDES + "%s = fuse.reduce max %q" + _COLUMNS,
        ("s/column",),
        lambda torch, x: x.abs().amax(0, keepdim=True),
    ),
    Family(
        "column_dot",
        ("x", "y"),
        "%q = fuse.mul {x}, {y} : {wide}\n%s = fuse.reduce sum %q" + _COLUMNS,
        ("s/column",),
        lambda torch, x, y: (x * y).sum(0, keepdim=True),
    ),
    # Gradients of a LayerNorm's weights.
    Family(
        "norm_weights",
        ("x", "y", "m/row", "r/row"),
        "%d = fuse.sub {x}, {m} : {wide}, {row} -> {wide}\n"
        "%n = fuse.mul %d, {r} : {wide}, {row} -> {wide}\n"
        "%g = fuse.mul %n, {y} : {wide}\n"
        "%s = fuse.reduce sum %g" + _COLUMNS + "%t = fuse.reduce sum {y}" + _COLUMNS,
        ("s/column", "t/column"),
        lambda torch, x, y, m, r: (
            ((x - m) * r * y).sum(0, keepdim=True),
            y.sum(0, keepdim=True),
        ),
    ),
    # The gradient of a SiLU, and that of the bias before it.
    Family(
        "bias_of_silu",
        ("x", "y"),
        "%e = fuse.sigmoid {x} : {wide}\n"
        "%a = fuse.mul {x}, %e : {wide}\n"
        "%b = fuse.sub {x}, %a : {wide}\n"
        "%c = fuse.mul %b, %e : {wide}\n"
        "%d = fuse.add %c, %e : {wide}\n"
        "%g = fuse.mul %d, {y} : {wide}\n"
        "%s = fuse.reduce sum %g" + _COLUMNS,
        ("g/wide", "s/column"),
        lambda torch, x, y: (
            (g := torch.sigmoid(x) * (1 + x * (1 - torch.sigmoid(x))) * y),
            g.sum(0, keepdim=True),
        ),
    ),
    Family(
        "batch_statistics",
        ("x",),
        "%m, %v = fuse.welford mean {x} dims = [0] : {wide} -> {column}, {column}",
        ("m/column", "v/column"),
        lambda torch, x: (
            x.mean(0, keepdim=True),
            x.var(0, correction=0, keepdim=True),
        ),
    ),
    Family(
        "token_mean",
        ("x",),
        "%s = fuse.reduce mean {x} dims = [1] keep : {wide} -> {column}",
        ("s/column",),
        lambda torch, x: x.mean(1, keepdim=True),
        batch=8,
    ),
    Family(
        "tensor_norm",
        ("x",),
        _SQUARES + "%t = fuse.reduce sum %q dims = [0, 1]" + _ALL + "\n"
        "%s = fuse.sqrt %t : {one}",
        ("s/one",),
        lambda torch, x: x.square().sum().sqrt(),
    ),
    Family(
        "tensor_maximum",
        ("x",),
        _MAGNITUDES + "%s = fuse.reduce max %q dims = [0, 1]" + _ALL,
        ("s/one",),
        lambda torch, x: x.abs().amax(),
    ),
    Family(
        "turned",
        ("x",),
        "%s = fuse.transpose {x} permutation = [1, 0] : {wide} -> {turned}",
        ("s/turned",),
        lambda torch, x: x.T.contiguous(),
    ),
)
