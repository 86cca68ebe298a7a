# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes of fake tensors as sizes of symbolic arrays."""

import torch

from fuse_compiler.lang import divide, symbol

DTYPES = {
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.float32: "f32",
    torch.float64: "f64",
    torch.bool: "i1",
    torch.int8: "i8",
    torch.uint8: "ui8",
    torch.int16: "i16",
    torch.int32: "i32",
    torch.int64: "i64",
    torch.float8_e4m3fn: "f8E4M3FN",
    torch.float8_e5m2: "f8E5M2",
}


def to_dim(size):
    """An int or SymInt as an int or a Dim.

    Sums and products of symbols are taken apart, so that reshapes can be compared; any
    other expression is a symbol of its own. Equal expressions give equal Dims.
    """
    if isinstance(size, int):
        return size
    return _from_expression(size.node.expr)


def _from_expression(expr):
    if expr.is_Integer:
        return int(expr)
    if expr.is_Add or expr.is_Mul:
        parts = [_from_expression(e) for e in expr.args]
        result = parts[0]
        for part in parts[1:]:
            result = result + part if expr.is_Add else result * part
        return result
    if expr.is_Pow and expr.exp.is_Integer and 0 < int(expr.exp) < 8:
        base, result = _from_expression(expr.base), 1
        for _ in range(int(expr.exp)):
            result = base * result
        return result
    return symbol(str(expr))


def to_shape(sizes):
    """A torch.Size as a tuple of ints and Dims."""
    return tuple(map(to_dim, sizes))


def size_hint(size):
    """The size that torch has seen, 0 where it depends on data."""
    return size if isinstance(size, int) else int(size.node.hint or 0)


def split_product(dim, order, known):
    """The factors of a size that is a product of several, else None.

    order  by the name of a symbol, its position among the factors
    known  sizes that occur as such, of which sums are tried as factors
    """
    if isinstance(dim, int):
        return None
    if dim.factors is not None:
        numbers = [f for f in dim.factors if isinstance(f, int)]
        names = [f for f in dim.factors if not isinstance(f, int)]
        names.sort(key=lambda name: order.get(name, len(order)))
        found = [symbol(name) for name in names] + numbers
        return found if len(found) > 1 else None
    for part in known:
        rest = divide(dim, part) if part.factors is None and part != dim else None
        if rest is not None:
            return [*(split_product(rest, order, known) or [rest]), part]
    return None
