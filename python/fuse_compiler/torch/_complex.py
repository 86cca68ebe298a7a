# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex numbers as pairs of real ones, of which programs can be made.

LLaMA's own rotary embeddings multiply complex numbers:

    view_as_real(view_as_complex(x) * polar(1, angle))

The dialect has none. So a node of complex numbers gets a twin, which has the real and the
imaginary part along one more axis, and view_as_real() of the node is its twin. What else
reads the node gets view_as_complex() of the twin.
"""

import torch

from fuse_compiler.lang import Unsupported
from fuse_compiler.torch._convert import overload
from fuse_compiler.torch._layout import output_order

aten = torch.ops.aten
COMPLEX_VIEWS = {
    aten.view_as_real.default,
    aten.view_as_complex.default,
    # Lazy.
    aten._conj.default,
}


def split_complex(graph_module):
    """Replaces complex nodes by real ones, where something asks for their parts."""
    graph = graph_module.graph
    if not any(n.target is aten.view_as_real.default for n in graph.nodes):
        return
    twins = _Twins(graph)
    for node in list(graph.nodes):
        if node.op == "call_function" and _is_complex(node):
            twins.add(node)
    for node in list(graph.nodes):
        if node.target is aten.view_as_real.default:
            twins.replace(node, twins.of(node.args[0], node))
    for node in reversed(list(graph.nodes)):
        if twins.has(node):
            twins.keep_complex(node)
    graph.eliminate_dead_code()


def _is_complex(node):
    value = node.meta.get("val")
    return isinstance(value, torch.Tensor) and value.is_complex()


class _Twins:
    """The real nodes of complex ones."""

    def __init__(self, graph):
        self._graph, self._twins, self._kept = graph, {}, set()

    def has(self, node):
        return node in self._twins

    def add(self, node):
        """Makes the twin of a node, if its operator is known."""
        make = _MAKERS.get(node.target)
        if make is None:
            return
        emitter = _Emitter(self._graph, node)
        parts = {n: self.of(n, node) for n in node.all_input_nodes if _is_complex(n)}
        arguments = [parts.get(a, a) if _is_node(a) else a for a in node.args]
        try:
            twin = make(emitter, node, *arguments, **node.kwargs)
        except (Unsupported, TypeError, RuntimeError):
            # Another form of the operator: it stays as it is.
            return
        made, wanted = twin.meta["val"], node.meta["val"]
        if made.shape[:-1] == wanted.shape and made.dtype == wanted.dtype.to_real():
            self._twins[node] = twin

    def of(self, node, before):
        """The twin of a node; of one without, such as an input, a view in front of another."""
        if node in self._twins:
            return self._twins[node]
        emitter = _Emitter(self._graph, before)
        if node.meta["val"].is_conj():
            node = emitter.call(aten.clone.default, node)
        return emitter.call(aten.view_as_real.default, node)

    def replace(self, node, twin):
        """Lets the twin stand for the real parts that a node gives."""
        if twin.target is aten.view_as_real.default:
            return
        placed = _with_strides(_Emitter(self._graph, node), twin, node.meta["val"])
        if placed is not None:
            node.replace_all_uses_with(placed)

    def keep_complex(self, node):
        """Lets a complex view of the twin stand for a node that others read.

        To be called for readers first: one that stays is another.
        """
        users = [
            u
            for u in node.users
            if u in self._kept
            or u not in self._twins
            and u.target is not aten.view_as_real.default
        ]
        if not users:
            return
        whole = self._complex_view(node)
        if whole is None:
            self._kept.add(node)
            return
        for user in users:
            user.replace_input_with(node, whole)

    def _complex_view(self, node):
        value = node.meta["val"]
        # Whoever reads a lazy conjugate may ask whether it is one.
        if node.target is aten.view_as_complex.default or value.is_conj():
            return None
        emitter = _Emitter(self._graph, node.next)
        with value.fake_mode:
            wanted = torch.view_as_real(value)
        placed = _with_strides(emitter, self._twins[node], wanted)
        if placed is None:
            return None
        whole = emitter.call(aten.view_as_complex.default, placed)
        return whole if whole.meta["val"].stride() == value.stride() else None


def _is_node(argument):
    return isinstance(argument, torch.fx.Node)


class _Emitter:
    """Adds nodes in front of one, with the values that torch gives them."""

    def __init__(self, graph, before):
        self._graph, self._before = graph, before

    def call(self, target, *arguments, **keywords):
        with self._graph.inserting_before(self._before):
            node = self._graph.call_function(target, arguments, keywords)
        values = torch.fx.map_arg(arguments, lambda n: n.meta["val"])
        (fake, *_) = [
            n.meta["val"]
            for n in node.all_input_nodes
            if isinstance(n.meta["val"], torch.Tensor)
        ]
        with fake.fake_mode:
            node.meta["val"] = target(*values, **keywords)
        return node

    def part(self, pair, number):
        return self.call(aten.select.int, pair, -1, number)

    def pair(self, real, imaginary):
        parts = [self.call(aten.unsqueeze.default, x, -1) for x in (real, imaginary)]
        return self.call(aten.cat.default, parts, -1)


def _with_strides(emitter, node, wanted):
    """The node, or a copy with the strides of a fake tensor; None if they have gaps."""
    if node.meta["val"].stride() == wanted.stride():
        return node
    try:
        order = output_order(wanted)
    except Unsupported:
        return None
    back = [order.index(axis) for axis in range(len(order))]
    moved = emitter.call(aten.permute.default, node, list(order))
    copy = emitter.call(
        aten.clone.default, moved, memory_format=torch.contiguous_format
    )
    placed = emitter.call(aten.permute.default, copy, back)
    return placed if placed.meta["val"].stride() == wanted.stride() else None


_MAKERS = {}


def _maker(*names):
    def register(function):
        for name in names:
            if overload(name) is not None:
                _MAKERS[overload(name)] = function
        return function

    return register


@_maker("view_as_complex.default", "clone.default", "alias.default", "detach.default")
def _same(e, node, x, **_):
    return x


@_maker("view.default", "_unsafe_view.default", "reshape.default")
def _reshape(e, node, x, shape):
    return e.call(aten.reshape.default, x, [*shape, 2])


@_maker("expand.default")
def _expand(e, node, x, shape):
    return e.call(aten.expand.default, x, [*shape, 2])


def _axis(axis):
    """Counted from the end there is one more."""
    return axis if axis >= 0 else axis - 1


@_maker("unsqueeze.default", "squeeze.dim", "slice.Tensor", "select.int")
def _along_axis(e, node, x, axis=0, *more):
    return e.call(node.target, x, _axis(axis), *more)


@_maker("transpose.int")
def _transpose(e, node, x, a, b):
    return e.call(aten.transpose.int, x, _axis(a), _axis(b))


@_maker("permute.default")
def _permute(e, node, x, axes):
    return e.call(aten.permute.default, x, [*(a % len(axes) for a in axes), len(axes)])


@_maker("index.Tensor")
def _index(e, node, x, ids):
    return e.call(aten.index.Tensor, x, ids)


@_maker("index_select.default")
def _index_select(e, node, x, axis, ids):
    return e.call(aten.index_select.default, x, _axis(axis), ids)


@_maker("polar.default")
def _polar(e, node, size, angle):
    parts = [e.call(f.default, angle) for f in (aten.cos, aten.sin)]
    return e.pair(*(e.call(aten.mul.Tensor, size, part) for part in parts))


@_maker("complex.default")
def _complex(e, node, real, imaginary):
    return e.pair(real, imaginary)


@_maker("_conj.default", "conj.default")
def _conj(e, node, x):
    return e.pair(e.part(x, 0), e.call(aten.neg.default, e.part(x, 1)))


@_maker("neg.default")
def _neg(e, node, x):
    return e.call(aten.neg.default, x)


def _is_pair(node, number):
    """Whether an operand is complex, so that the maker gets a twin for it."""
    return _is_node(node.args[number]) and _is_complex(node.args[number])


@_maker("add.Tensor", "sub.Tensor")
def _add(e, node, a, b, **factor):
    if not (_is_pair(node, 0) and _is_pair(node, 1)):
        raise Unsupported("expected two complex operands, but got a real one")
    return e.call(node.target, a, b, **factor)


@_maker("mul.Tensor")
def _mul(e, node, a, b):
    if not _is_pair(node, 0):
        return e.call(aten.mul.Tensor, b, _of_both_parts(e, a))
    if not _is_pair(node, 1):
        return e.call(aten.mul.Tensor, a, _of_both_parts(e, b))
    (ar, ai), (br, bi) = ([e.part(x, number) for number in (0, 1)] for x in (a, b))
    products = {
        (x, y): e.call(aten.mul.Tensor, x, y) for x in (ar, ai) for y in (br, bi)
    }
    real = e.call(aten.sub.Tensor, products[ar, br], products[ai, bi])
    imaginary = e.call(aten.add.Tensor, products[ar, bi], products[ai, br])
    return e.pair(real, imaginary)


@_maker("div.Tensor")
def _div(e, node, a, b):
    if _is_pair(node, 1):
        raise Unsupported("expected a real divisor, but got a complex one")
    return e.call(aten.div.Tensor, a, _of_both_parts(e, b))


def _of_both_parts(e, x):
    """A real operand, in the shape in which both parts have it as theirs."""
    if isinstance(x, complex):
        raise Unsupported(f"expected a real number, but got {x}")
    value = x.meta["val"] if _is_node(x) else x
    if isinstance(value, torch.Tensor) and value.ndim:
        return e.call(aten.unsqueeze.default, x, -1)
    # An axis would let it decide the result's type.
    return x
