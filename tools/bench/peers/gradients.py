# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases that reduce rows and, over all rows, what they have computed."""

from . import reductions
from .cases import BYTES, Case, Input, function_text

ROWS = ' {fuse.dims = ["rows"]}'


def _cast(dtype, name, shape):
    """The name of a value in f32, and the op that makes it, if one is needed."""
    if dtype == "f32":
        return name, ""
    return (
        f"{name}_f",
        f"  {name}_f = fuse.cast {name} : tensor<{shape}x{dtype}> -> tensor<{shape}xf32>\n",
    )


def rms_norm_backward(dtype, rows, columns):
    """Of y = x r w with r = 1 / sqrt(mean(x^2) + eps), given g = dL/dy: the gradients
    dx = r (g w - n mean(g w n)) and dw = sum over rows of g n, where n = x r."""

    def torch_function(torch, x, w, g):
        wide = [t.float() if t.dtype != torch.float64 else t for t in (x, w, g)]
        r = torch.rsqrt(wide[0].square().mean(-1, keepdim=True) + 1e-5)
        n = wide[0] * r
        gw = wide[2] * wide[1]
        dx = (gw - n * (gw * n).mean(-1, keepdim=True)) * r
        return dx.to(x.dtype), (wide[2] * n).sum(0).to(w.dtype)

    shape, wide, one = f"?x{columns}", f"tensor<?x{columns}xf32>", "tensor<?x1xf32>"
    x, cast_x = _cast(dtype, "%x", shape)
    w, cast_w = _cast(dtype, "%w", str(columns))
    g, cast_g = _cast(dtype, "%g", shape)
    weight = f"tensor<{columns}xf32>"
    outside, narrow = f"tensor<{shape}x{dtype}>", f"tensor<{columns}x{dtype}>"
    body = (
        f"{cast_x}{cast_w}{cast_g}"
        "  %eps = fuse.constant dense<1.0e-5> : tensor<f32>\n"
        f"  %q = fuse.mul {x}, {x} : {wide}\n"
        f"  %m = fuse.reduce mean %q dims = [1] keep : {wide} -> {one}\n"
        f"  %e = fuse.add %m, %eps : {one}, tensor<f32> -> {one}\n"
        f"  %r = fuse.rsqrt %e : {one}\n"
        f"  %n = fuse.mul {x}, %r : {wide}, {one} -> {wide}\n"
        f"  %gw = fuse.mul {g}, {w} : {wide}, {weight} -> {wide}\n"
        f"  %gwn = fuse.mul %gw, %n : {wide}\n"
        f"  %c = fuse.reduce mean %gwn dims = [1] keep : {wide} -> {one}\n"
        f"  %nc = fuse.mul %n, %c : {wide}, {one} -> {wide}\n"
        f"  %d = fuse.sub %gw, %nc : {wide}\n"
        f"  %dx = fuse.mul %d, %r : {wide}, {one} -> {wide}\n"
        f"  %gn = fuse.mul {g}, %n : {wide}\n"
        f"  %dw = fuse.reduce sum %gn dims = [0] : {wide} -> {weight}\n"
    )
    returned = "%dx, %dw"
    if dtype != "f32":
        body += (
            f"  %dx_n = fuse.cast %dx : {wide} -> {outside}\n"
            f"  %dw_n = fuse.cast %dw : {weight} -> {narrow}\n"
        )
        returned = "%dx_n, %dw_n"
    return Case(
        f"rms_norm_backward {dtype} {rows}x{columns}",
        function_text(
            "rms_norm_backward",
            [("x", outside + ROWS), ("w", narrow), ("g", outside + ROWS)],
            [outside, narrow],
            body.rstrip(),
            returned,
        ),
        (
            Input((rows, columns), dtype),
            Input((columns,), dtype),
            Input((rows, columns), dtype),
        ),
        Input((rows, columns), dtype).bytes + Input((columns,), dtype).bytes,
        torch_function,
    )


def mean_cross_entropy(dtype, rows, columns):
    """The mean loss of all rows, f32, without a gradient."""
    each = reductions.cross_entropy(dtype, rows, columns)

    def torch_function(torch, x, labels):
        return each.torch(torch, x, labels).mean()

    program = each.program.replace("tensor<?xf32>) {", "tensor<f32>) {").replace(
        "  return %y : tensor<?xf32>",
        "  %mean = fuse.reduce mean %y dims = [0] : tensor<?xf32> -> tensor<f32>\n"
        "  return %mean : tensor<f32>",
    )
    return Case(
        f"mean_cross_entropy {dtype} {rows}x{columns}",
        program.replace("@cross_entropy", "@mean_cross_entropy"),
        each.inputs,
        BYTES["f32"],
        torch_function,
    )
