# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions that do not follow rows, and transposes, for sweeps of schedules: sums of
columns with work before them, with results of the full shape beside them, and of whole
tensors.

Programs compute in f32.
"""

from dataclasses import dataclass

from bench.peers.cases import Case, Input, function_text


@dataclass(frozen=True)
class Family:
    """`inputs` are of the full shape (x, y, ...), one number a row ("/row") or a column
    ("/column"); `body` has {wide}, {row} and {column} for types in f32."""

    name: str
    inputs: tuple
    body: str
    # (value, its shape) each; "narrow" ones are cast to the element type.
    results: tuple
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
            torch=None,
        )


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
    ),
    Family(
        "column_maximum",
        ("x",),
        _MAGNITUDES + "%s = fuse.reduce max %q" + _COLUMNS,
        ("s/column",),
    ),
    Family(
        "column_dot",
        ("x", "y"),
        "%q = fuse.mul {x}, {y} : {wide}\n%s = fuse.reduce sum %q" + _COLUMNS,
        ("s/column",),
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
    ),
    Family(
        "batch_statistics",
        ("x",),
        "%m, %v = fuse.welford mean {x} dims = [0] : {wide} -> {column}, {column}",
        ("m/column", "v/column"),
    ),
    Family(
        "token_mean",
        ("x",),
        "%s = fuse.reduce mean {x} dims = [1] keep : {wide} -> {column}",
        ("s/column",),
        batch=8,
    ),
    Family(
        "tensor_norm",
        ("x",),
        _SQUARES + "%t = fuse.reduce sum %q dims = [0, 1]" + _ALL + "\n"
        "%s = fuse.sqrt %t : {one}",
        ("s/one",),
    ),
    Family(
        "tensor_maximum",
        ("x",),
        _MAGNITUDES + "%s = fuse.reduce max %q dims = [0, 1]" + _ALL,
        ("s/one",),
    ),
    Family(
        "turned",
        ("x",),
        "%s = fuse.transpose {x} permutation = [1, 0] : {wide} -> {turned}",
        ("s/turned",),
    ),
)
