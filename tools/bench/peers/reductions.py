# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases whose results are smaller than, or of another type than, what they read."""

from .cases import Case, Input, function_text

ROWS = ' {fuse.dims = ["rows"]}'


def _matrix(dtype, columns):
    return f"tensor<?x{columns}x{dtype}>"


def logsumexp(dtype, rows, columns):
    x = _matrix(dtype, columns)
    return Case(
        f"logsumexp {dtype} {rows}x{columns}",
        function_text(
            "logsumexp",
            [("x", x + ROWS)],
            [f"tensor<?x{dtype}>"],
            f"  %y = fuse.logsumexp %x dims = [1] : {x} -> tensor<?x{dtype}>",
            "%y",
        ),
        (Input((rows, columns), dtype),),
        Input((rows,), dtype).bytes,
        lambda torch, x: torch.logsumexp(x, dim=-1),
        triton="logsumexp",
    )


def cross_entropy(dtype, rows, columns):
    """The loss of each row, f32, without a gradient."""

    def torch_function(torch, x, labels):
        wide = x.float() if x.dtype != torch.float64 else x
        return torch.nn.functional.cross_entropy(wide, labels, reduction="none")

    x, wide = _matrix(dtype, columns), _matrix("f32", columns)
    narrow = dtype != "f32"
    cast = f"  %f = fuse.cast %x : {x} -> {wide}\n" if narrow else ""
    widen = (
        f"  %w = fuse.cast %own : tensor<?x{dtype}> -> tensor<?xf32>\n"
        if narrow
        else ""
    )
    f, own = ("%f", "%w") if narrow else ("%x", "%own")
    # The logit of a row's label, by its index among all logits.
    body = (
        f"{cast}"
        f"  %lse = fuse.logsumexp {f} dims = [1] : {wide} -> tensor<?xf32>\n"
        f"  %columns = fuse.constant dense<{columns}> : tensor<i64>\n"
        "  %row = fuse.iota dim = 0 like %labels : tensor<?xi64> -> tensor<?xi64>\n"
        "  %start = fuse.mul %row, %columns : tensor<?xi64>, tensor<i64> -> tensor<?xi64>\n"
        "  %index = fuse.add %start, %labels : tensor<?xi64>\n"
        f"  %all = tensor.collapse_shape %x [[0, 1]] : {x} into tensor<?x{dtype}>\n"
        "  %own = fuse.gather %all, %index dim = 0"
        f" : tensor<?x{dtype}>, tensor<?xi64> -> tensor<?x{dtype}>\n"
        f"{widen}"
        f"  %y = fuse.sub %lse, {own} : tensor<?xf32>"
    )
    return Case(
        f"cross_entropy {dtype} {rows}x{columns}",
        function_text(
            "cross_entropy",
            [("x", x + ROWS), ("labels", "tensor<?xi64>" + ROWS)],
            ["tensor<?xf32>"],
            body,
            "%y",
        ),
        (
            Input((rows, columns), dtype),
            Input((rows,), "i64", "below", below=columns),
        ),
        Input((rows,), "f32").bytes,
        torch_function,
        triton="cross_entropy",
    )


def full_sum(dtype, rows, columns):
    x = _matrix(dtype, columns)
    return Case(
        f"sum {dtype} {rows}x{columns}",
        function_text(
            "full_sum",
            [("x", x + ROWS)],
            [f"tensor<{dtype}>"],
            f"  %y = fuse.reduce sum %x dims = [0, 1] : {x} -> tensor<{dtype}>",
            "%y",
        ),
        # Positive, so that the sum is not what cancellation leaves.
        (Input((rows, columns), dtype, "uniform"),),
        Input((), dtype).bytes,
        lambda torch, x: torch.sum(x),
    )


def column_sum(dtype, rows, columns):
    x = _matrix(dtype, columns)
    return Case(
        f"column sum {dtype} {rows}x{columns}",
        function_text(
            "column_sum",
            [("x", x + ROWS)],
            [f"tensor<{columns}x{dtype}>"],
            f"  %y = fuse.reduce sum %x dims = [0] : {x} -> tensor<{columns}x{dtype}>",
            "%y",
        ),
        (Input((rows, columns), dtype),),
        Input((columns,), dtype).bytes,
        lambda torch, x: torch.sum(x, dim=0),
    )


def quantize_f8(dtype, rows, columns):
    """Rows scaled so that their largest magnitude becomes 448, and the scales."""

    def torch_function(torch, x):
        wide = x.float() if x.dtype != torch.float64 else x
        scale = wide.abs().amax(-1, keepdim=True).clamp(min=1e-12) / 448
        scaled = wide / scale
        if x.dtype == torch.float64:
            return scaled, scale
        return scaled.to(torch.float8_e4m3fn), scale

    x, wide = _matrix(dtype, columns), _matrix("f32", columns)
    quantized = _matrix("f8E4M3FN", columns)
    cast = f"  %f = fuse.cast %x : {x} -> {wide}\n" if dtype != "f32" else ""
    f = "%f" if cast else "%x"
    body = (
        f"{cast}"
        f"  %m = fuse.abs {f} : {wide}\n"
        f"  %amax = fuse.reduce max %m dims = [1] keep : {wide} -> tensor<?x1xf32>\n"
        "  %tiny = fuse.constant dense<1.0e-12> : tensor<f32>\n"
        "  %largest = fuse.constant dense<448.0> : tensor<f32>\n"
        "  %safe = fuse.max %amax, %tiny : tensor<?x1xf32>, tensor<f32> -> tensor<?x1xf32>\n"
        "  %scale = fuse.div %safe, %largest"
        " : tensor<?x1xf32>, tensor<f32> -> tensor<?x1xf32>\n"
        f"  %s = fuse.div {f}, %scale : {wide}, tensor<?x1xf32> -> {wide}\n"
        f"  %q = fuse.cast %s : {wide} -> {quantized}"
    )
    return Case(
        f"quantize f8 {dtype} {rows}x{columns}",
        function_text(
            "quantize_f8",
            [("x", x + ROWS)],
            [quantized, "tensor<?x1xf32>"],
            body,
            "%q, %scale",
        ),
        (Input((rows, columns), dtype),),
        Input((rows, columns), "f8E4M3FN").bytes + Input((rows, 1), "f32").bytes,
        torch_function,
        triton="quantize_f8",
    )
