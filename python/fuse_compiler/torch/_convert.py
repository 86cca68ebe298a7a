# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From nodes of a torch graph to ops of a program.

One table says which: CONVERTERS maps an operator to a function (context, *arguments,
**keywords) that makes arrays with fuse_compiler.lang. Tensors have become Arrays, sizes
ints and Dims. What it cannot do raises Unsupported, whose message is the reason that
the report gives; so whether a node is supported is found by converting it.
"""

import operator

import torch

from fuse_compiler import lang
from fuse_compiler.lang import Unsupported
from fuse_compiler.torch._symbols import DTYPES, to_dim, to_shape

CONVERTERS = {}


class Context:
    """What a converter knows of its node.

    builder     the program
    node        the node of the torch graph
    shape       of the first result: ints and Dims
    dtype       of the first result: "f32", ...
    """

    def __init__(self, builder, node):
        self.builder, self.node = builder, node
        first = first_value(node)
        self.shape = to_shape(first.shape)
        self.dtype = DTYPES[first.dtype]
        # What elements are computed in where the result is no number: that of
        # torch's type promotion among the operands.
        self.promoted = None

    def array(self, x, dtype=None):
        """A tensor or number as an Array of a type, by default the result's."""
        dtype = dtype or self.dtype
        if isinstance(x, lang.Array):
            return lang.cast(x, dtype)
        if isinstance(x, lang.Dim):
            return self.size(x, dtype)
        return self.builder.constant(x, dtype)

    def size(self, x, dtype):
        """A size as a number of rank 0."""
        if dtype not in ("i32", "i64", "f32", "f64"):
            # torch computes with the number as it is.
            raise Unsupported(f"a size as an operand of {dtype}")
        return lang.cast(self.builder.number(x), dtype)

    def operand(self, x, dtype=None):
        """As array(), but numbers stay numbers, which lang computes with exactly."""
        if isinstance(x, lang.Array):
            return lang.cast(x, dtype or self.dtype)
        if isinstance(x, lang.Dim):
            return self.size(x, dtype or self.dtype)
        is_float = (dtype or self.dtype) in ("f16", "bf16", "f32", "f64")
        return float(x) if is_float else x


def converter(*targets):
    """Registers a converter for operators; those that this torch lacks are None."""

    def register(function):
        for target in targets:
            if target is not None:
                CONVERTERS[target] = function
        return function

    return register


def overload(name):
    """The overload "sum.dim_IntList" of aten, or None if this torch has none."""
    packet, _, which = name.partition(".")
    found = getattr(torch.ops.aten, packet, None)
    return getattr(found, which or "default", None) if found else None


def first_value(node):
    """The fake tensor of a node; of several results the first."""
    value = node.meta.get("val")
    if isinstance(value, (tuple, list)):
        value = next((v for v in value if isinstance(v, torch.Tensor)), None)
    if not isinstance(value, torch.Tensor):
        raise Unsupported("its result is no tensor")
    return value


def check_tensor(value, device=None):
    """Raises Unsupported for a fake tensor that programs cannot take."""
    if value.dtype not in DTYPES:
        raise Unsupported(f"elements of {value.dtype}")
    if value.layout != torch.strided or value.is_complex():
        raise Unsupported(f"the layout {value.layout}")
    if device is not None and value.device != device:
        raise Unsupported(f"a tensor on {value.device} beside one on {device}")
    if any(isinstance(s, int) and s == 0 for s in value.shape):
        raise Unsupported("a tensor without elements")


def convert(builder, node, values):
    """Adds a node to the program.

    values  by node, an Array or a tuple of them; for numbers an int, float or Dim
    Returns the node's Array, or a tuple with one for each result.
    """
    if node.target is operator.getitem:
        return values[node.args[0]][node.args[1]]
    function = CONVERTERS.get(node.target)
    if function is None:
        raise Unsupported("no op of the dialect does this")
    context = Context(builder, node)

    def look_up(argument):
        if isinstance(argument, torch.fx.Node):
            return values[argument]
        if isinstance(argument, (list, tuple)):
            return [look_up(a) for a in argument]
        return argument

    arguments = [look_up(a) for a in node.args]
    keywords = {k: look_up(v) for k, v in node.kwargs.items()}
    result = function(context, *arguments, **keywords)
    _check_results(node, result)
    return result


def _check_results(node, result):
    """What a converter made must be what torch says that the node gives."""
    results = result if isinstance(result, (tuple, list)) else [result]
    expected = node.meta["val"]
    expected = expected if isinstance(expected, (tuple, list)) else [expected]
    for array, fake in zip(results, expected):
        if array is None or not isinstance(fake, torch.Tensor):
            continue
        shape, dtype = to_shape(fake.shape), DTYPES.get(fake.dtype)
        if array.shape != shape or array.dtype != dtype:
            raise Unsupported(
                f"it was converted to {array.dtype} {list(map(str, array.shape))} where torch has "
                f"{dtype} {list(map(str, shape))}"
            )


def number_of(value):
    """The value of an input that is no tensor: an int, float or Dim."""
    if isinstance(value, torch.SymInt):
        return to_dim(value)
    if isinstance(value, (torch.SymFloat, torch.SymBool)):
        raise Unsupported("a number that is known only when it runs")
    return value
