# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fuse inside of Inductor: one line, and torch.compile(model) hands it regions.

A pass after AOTAutograd replaces each region that holds a reduction, a contraction or
attention by one operator, fuse::region, whose program is one of its arguments: what
Inductor caches needs nothing else. What is element by element alone stays Inductor's, and
so does all that Fuse does not take.
"""

import hashlib
import operator
from pathlib import Path

import torch
from torch._inductor import config
from torch._inductor.custom_graph_pass import CustomGraphPass

from fuse_compiler._library import Error, version
from fuse_compiler.torch._ahead import shared_program, start_program
from fuse_compiler.torch._attention import ATTENTION
from fuse_compiler.torch._attention_training import ATTENTION_AND_SUMS, take_attention
from fuse_compiler.torch._backend import checked_options, operators_of
from fuse_compiler.torch._complex import split_complex
from fuse_compiler.torch._convert import first_value
from fuse_compiler.torch._convert_reduce import CONTRACTIONS, REDUCTIONS
from fuse_compiler.torch._fold import fold_constants
from fuse_compiler.torch._partition import PREFIX, form_regions
from fuse_compiler.torch._region import ProgramWriter
from fuse_compiler.torch._report import RegionReport, add_graph
from fuse_compiler.torch._support import Support

torch.library.define(
    "fuse::region",
    "(Tensor[] inputs, str program, SymInt[] sizes, int[] ranks, str dtypes) -> Tensor[]",
    tags=(torch.Tag.pt2_compliant_tag,),
)


@torch.library.impl("fuse::region", ("cpu", "cuda"))
def _run(inputs, program, sizes, ranks, dtypes):
    results = shared_program(program, inputs[0].device)(*inputs)
    return list(results) if isinstance(results, tuple) else [results]


@torch.library.register_fake("fuse::region")
def _fake(inputs, program, sizes, ranks, dtypes):
    made, start = [], 0
    # One string: torch makes numbers of a list of types, and does not turn them back.
    for rank, name in zip(ranks, dtypes.split(",")):
        dtype = getattr(torch, name)
        shape = sizes[start : start + rank]
        made.append(torch.empty(shape, dtype=dtype, device=inputs[0].device))
        start += rank
    return made


_REGION = torch.ops.fuse.region.default
_HOLDS = {*CONTRACTIONS, *REDUCTIONS, ATTENTION, ATTENTION_AND_SUMS}


class RegionPass(CustomGraphPass):
    """Replaces regions of a graph; options are those of the backend."""

    def __init__(self, options):
        self._options = options

    def __call__(self, graph):
        module = graph.owning_module
        split_complex(module)
        fold_constants(module, self._options)
        # Inductor would compute what nobody reads.
        take_attention(module, self._options, makes_state=False)
        support = Support(self._options)
        small = form_regions(module, support, self._options, _HOLDS)
        regions, reasons = [], {**support.reasons, **small}
        calls = [
            n
            for n in module.graph.nodes
            if n.op == "call_module" and n.target.startswith(PREFIX)
        ]
        # All are begun before the first is waited for.
        writers = {node: _begun(getattr(module, node.target)) for node in calls}
        for node in calls:
            regions.append(_replace(module, node, writers[node]))
        left = [(str(n.target), reason) for n, reason in reasons.items()]
        add_graph("inductor", [r for r in regions if r], left)
        module.graph.eliminate_dead_code()
        module.graph.lint()

    def uuid(self):
        """Of all that decides what the pass does: Inductor's caches know it by this."""
        digest = hashlib.sha256(f"{version()} {sorted(self._options.items())}".encode())
        for path in sorted(Path(__file__).parents[1].rglob("*.py")):
            digest.update(path.read_bytes())
        return digest.digest()


def use_in_inductor(options=None):
    """From now on torch.compile(model) hands regions to Fuse.

    options  as of the backend; None takes its defaults, False switches it off

    Raises Error where Inductor has another pass there already.
    """
    current = config.post_grad_custom_pre_pass
    if current is not None and not isinstance(current, RegionPass):
        raise Error(
            f"expected no pass in torch._inductor.config.post_grad_custom_pre_pass, but got "
            f"{current}; take it out, or call it and a fuse_compiler.torch.RegionPass from one "
            "of your own"
        )
    config.post_grad_custom_pre_pass = (
        None if options is False else RegionPass(checked_options(options, None))
    )


def _replace(module, node, writer):
    """A region by an operator, or by its nodes as they were; the report in the first case."""
    subgraph, graph = getattr(module, node.target), module.graph
    written = _written(writer, node)
    if written is None:
        results = _nodes_again(graph, node, subgraph)
        is_tuple = isinstance(results, (tuple, list))
    else:
        results, is_tuple = _call(graph, node, *written), written[0].returns_tuple
    if is_tuple:
        for user in list(node.users):
            user.replace_all_uses_with(results[user.args[1]])
            graph.erase_node(user)
    else:
        one = results[0] if isinstance(results, list) else results
        node.replace_all_uses_with(one)
    graph.erase_node(node)
    delattr(module, node.target)
    if written is None:
        return None
    text = written[0].text
    kernels = shared_program(text, written[0].device).kernels
    return RegionReport(
        node.target, operators_of(subgraph), tuple(k.ops for k in kernels), text
    )


def _begun(subgraph):
    """The writer of a region's program, which is being compiled; None if it is not used."""
    try:
        writer = ProgramWriter(subgraph)
    except Error:
        return None
    if writer.sizes or writer.numbers or any(p.is_split for p in writer.prepare):
        return None
    start_program(writer.text, writer.device)
    return writer


def _written(writer, node):
    """The writer, and where each size of its outputs is found; None if that is not easy."""
    try:
        # What is refused is refused now, not when the model runs.
        if writer is None or not shared_program(writer.text, writer.device):
            return None
    except Error:
        return None
    known, sizes = {}, []
    for argument in node.args:
        value = argument.meta.get("val")
        for axis, size in enumerate(getattr(value, "shape", ())):
            if not isinstance(size, int):
                known.setdefault(str(size), (argument, axis))
    for value, order in zip(map(first_value, writer.outputs), writer.orders):
        for size in _stored(value.shape, order):
            if not isinstance(size, int) and str(size) not in known:
                return None
            sizes.append(size if isinstance(size, int) else known[str(size)])
    return writer, sizes


def _stored(shape, order):
    """The dims of a program's output, whose permutation has a shape."""
    if order is None:
        return list(shape)
    return [shape[order.index(axis)] for axis in range(len(order))]


def _call(graph, node, writer, sizes):
    """The nodes of the region's results, of one call of the operator."""
    values = [first_value(n) for n in writer.outputs]
    with graph.inserting_before(node):
        inputs = [_permuted(graph, node.args[p.index], p.order) for p in writer.prepare]
        dims = [s if isinstance(s, int) else _size(graph, *s) for s in sizes]
        ranks = [v.ndim for v in values]
        dtypes = ",".join(str(v.dtype).removeprefix("torch.") for v in values)
        call = graph.call_function(_REGION, (inputs, writer.text, dims, ranks, dtypes))
        call.meta["val"], results = [], []
        for number, (value, order) in enumerate(zip(values, writer.orders)):
            result = graph.call_function(operator.getitem, (call, number))
            with value.fake_mode:
                shape = _stored(value.shape, order)
                made = torch.empty(shape, dtype=value.dtype, device=value.device)
            call.meta["val"].append(made)
            result.meta["val"] = made
            results.append(_permuted(graph, result, order))
    return results


def _permuted(graph, node, order):
    if order is None:
        return node
    permuted = graph.call_function(torch.ops.aten.permute.default, (node, list(order)))
    value = node.meta["val"]
    with value.fake_mode:
        permuted.meta["val"] = value.permute(order)
    return permuted


def _size(graph, node, axis):
    size = graph.call_function(torch.ops.aten.sym_size.int, (node, axis))
    size.meta["val"] = node.meta["val"].shape[axis]
    return size


def _nodes_again(graph, node, subgraph):
    """The nodes of a subgraph in place of its call: what it returns."""
    placeholders = [n for n in subgraph.graph.nodes if n.op == "placeholder"]
    copies = dict(zip(placeholders, node.args))
    with graph.inserting_before(node):
        for each in subgraph.graph.nodes:
            if each.op == "call_function":
                copies[each] = graph.node_copy(each, copies.__getitem__)
    (output,) = [n for n in subgraph.graph.nodes if n.op == "output"]
    return torch.fx.map_arg(output.args[0], copies.__getitem__)
