# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Replays all that a graph launches from a CUDA graph, by one call.

torch's trees of CUDA graphs record it, as for mode="reduce-overhead": the first call of each
set of sizes runs as usual, the second records, later ones replay. Inputs are copied to where
they were when it was recorded, except parameters; a parameter that has moved records anew.
Results lie in the graph's memory, so the next call overwrites them.
"""

import sys

import torch
from torch._guards import TracingContext
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

# What asks the host, or draws random numbers that a recording cannot.
_WAITS = {
    "aten._local_scalar_dense.default",
    "aten._assert_scalar.default",
    "aten.item.default",
    "aten.nonzero.default",
    "aten.masked_select.default",
    "run_and_save_rng_state",
    "run_with_rng_state",
}
_UNSAFE_TAG = getattr(torch.Tag, "cudagraph_unsafe", None)
_INDEX_PUTS = {
    torch.ops.aten.index_put.default,
    torch.ops.aten._unsafe_index_put.default,
}


def why_not(graph_module):
    """Why a graph cannot be recorded, or None if it can; to be asked before regions are formed."""
    devices = set()
    for node in graph_module.graph.nodes:
        for value in _values(node):
            if isinstance(value, torch.Tensor):
                devices.add(value.device)
            if free_unbacked_symbols(value):
                return f"sizes depend on data ({node.name})"
        if node.op == "call_function" and _waits(node):
            return f"{node.target} waits for the GPU"
        if _writes(node):
            return f"{node.target} writes into what it reads"
    if {device.type for device in devices} != {"cuda"}:
        others = sorted({device.type for device in devices} - {"cuda"})
        return f"tensors are on {', '.join(others) or 'no device'}"
    if len(devices) > 1:
        return "tensors are on several GPUs"
    return None


def _values(node):
    value = node.meta.get("val")
    return value if isinstance(value, (tuple, list)) else (value,)


def _waits(node):
    if str(node.target) in _WAITS or _UNSAFE_TAG in getattr(node.target, "tags", ()):
        return True
    # A mask as an index is made a list of places first.
    return node.target in _INDEX_PUTS and any(
        index is not None and index.meta["val"].dtype in (torch.bool, torch.uint8)
        for index in node.args[1]
    )


def _writes(node):
    schema = getattr(node.target, "_schema", None)
    return schema is not None and schema.is_mutable


class Recorder:
    """What the graphs of one call of the backend share: a forward graph and its backward one.

    reason  why the forward graph is not recorded, or None; the backward one is not then, either
    """

    def __init__(self):
        self.reason, self._static, self._device = None, set(), None

    def record(self, run, graph_module, kind, reason):
        """A function like `run`, boxed as it is, that replays; and the reason if it does not."""
        is_backward = kind == "backward"
        if not is_backward:
            self.reason = reason
            self._static = _static_names(graph_module)
        elif self.reason is not None:
            return run, "the forward graph is not: " + self.reason
        if reason is not None:
            return (_announced(run, self._device) if is_backward else run), reason
        self._device = _device_of(graph_module)
        replayed = cudagraphify(
            run,
            _indices(graph_module, self._static),
            device_index=self._device.index or 0,
            stack_traces=_stack_traces(graph_module),
            is_backward=is_backward,
            is_inference=kind == "inference",
            constants=_constants(graph_module),
            placeholders=_placeholder_info(graph_module.graph),
        )
        replayed._boxed_call = True
        return replayed, None


def cudagraphify(run, static, **facts):
    """torch's, which is imported late: it is part of Inductor, which is large."""
    from torch._inductor import compile_fx

    return compile_fx.cudagraphify(run, static, **facts)


def _placeholder_info(graph):
    from torch._inductor.cudagraph_utils import get_placeholder_info

    return get_placeholder_info(graph)


def reset():
    """Forgets all that was recorded."""
    trees = sys.modules.get("torch._inductor.cudagraph_trees")
    if trees:
        trees.reset_cudagraph_trees()


def _placeholders(graph_module):
    return [node for node in graph_module.graph.nodes if node.op == "placeholder"]


def _static_names(graph_module):
    """The placeholders of a forward graph that are parameters and buffers."""
    context = TracingContext.try_get()
    metadata = context.fw_metadata if context else None
    indices = set(metadata.static_input_indices) if metadata else set()
    return {n.name for i, n in enumerate(_placeholders(graph_module)) if i in indices}


def _indices(graph_module, names):
    """Of the arguments that stay where they are. A backward graph has them by their names in the
    forward one; what that computes is in its graph's memory, which the trees know."""
    placeholders = _placeholders(graph_module)
    return [
        index
        for index, node in enumerate(placeholders)
        if node.name in names and isinstance(node.meta.get("val"), torch.Tensor)
    ]


def _device_of(graph_module):
    values = (v for n in graph_module.graph.nodes for v in _values(n))
    return next(v.device for v in values if isinstance(v, torch.Tensor))


def _stack_traces(graph_module):
    (output,) = [n for n in graph_module.graph.nodes if n.op == "output"]
    return [getattr(n, "stack_trace", None) for n in output.args[0]]


def _constants(graph_module):
    """Tensors of the graph itself, which results may be views of."""
    targets = [n.target for n in graph_module.graph.nodes if n.op == "get_attr"]
    found = (getattr(graph_module, t, None) for t in targets)
    return tuple(x for x in found if isinstance(x, torch.Tensor))


def _announced(run, device):
    """A backward pass that is not recorded, of a forward one that is: the trees wait for it."""

    def announced(arguments):
        from torch._inductor import cudagraph_trees

        manager = cudagraph_trees.get_manager(
            device.index or 0, create_if_none_exists=False
        )
        if manager is not None:
            manager.set_to_running_backward()
        return run(arguments)

    announced._boxed_call = True
    return announced
