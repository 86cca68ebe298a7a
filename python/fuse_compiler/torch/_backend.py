# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(model, backend="fuse")."""

import contextlib
import functools
import operator
import warnings

from functorch.compile import make_boxed_func
from torch._dynamo.backends.common import aot_autograd
from torch._functorch import config as aot_config
from torch._guards import TracingContext
from torch.fx import graph as fx_graph
from torch.fx._lazy_graph_module import _LazyGraphModule

from fuse_compiler._library import Error
from fuse_compiler.torch import (  # noqa: F401 - registers converters
    _convert_convolution,
    _convert_functions,
    _convert_indices,
    _convert_pointwise,
    _convert_windows,
)
from fuse_compiler.torch import _cuda_graphs, _decompositions
from fuse_compiler.torch._attention import keep_attention
from fuse_compiler.torch._attention_training import take_attention
from fuse_compiler.torch._complex import COMPLEX_VIEWS, split_complex
from fuse_compiler.torch._contractions import CHOICES
from fuse_compiler.torch._convert_shapes import VIEWS
from fuse_compiler.torch._fold import fold_constants
from fuse_compiler.torch._joint import partition
from fuse_compiler.torch._partition import PREFIX, form_regions
from fuse_compiler.torch._region import Region
from fuse_compiler.torch._report import RegionReport, add_graph
from fuse_compiler.torch._sorted_scatters import sort_scatters
from fuse_compiler.torch._support import Support

# Not in old versions of torch.
_BoxedCodeGen = getattr(fx_graph, "_BoxedCodeGen", None)
# What costs nothing, in a region or out of it.
_FREE = {*VIEWS, *COMPLEX_VIEWS, operator.getitem}
_DEFAULTS = {
    "contractions": "auto",
    "attention": "auto",
    "smallest_region": 2,
    "most_contractions": 12,
    "graphs": False,
    "wait": True,
}
# Modes of torch.compile, as options.
_MODES = {None: {}, "default": {}, "reduce-overhead": {"graphs": True}}


def backend(graph_module, example_inputs, *, options=None, mode=None):
    """What torch.compile(model, backend="fuse", options=...) calls.

    options  "contractions": "auto" takes matrix products into regions where they are
             expected to gain, "never", or "always"
             "attention": the same for scaled_dot_product_attention; its gradient is torch's
             "smallest_region": so many operators, views and constants left out, a region
             has at least; 2, since one alone moves as much as eagerly
             "most_contractions": where a region would have more, it is cut where least is
             alive, so that layers that are alike become one program; 12
             "graphs": whether launches are replayed from CUDA graphs, where results live until
             the next call, as mode="reduce-overhead" says, too; False
             "wait": whether calls wait for programs that are being compiled, or run their regions
             eagerly until then, whose results are rounded otherwise; True

    Returns a function like the graph. Raises Error for options that there are not.
    """
    chosen = checked_options(options, mode)
    recorder = _cuda_graphs.Recorder() if chosen["graphs"] else None
    compilers = {
        name: functools.partial(_compile, kind=kind, options=chosen, recorder=recorder)
        for name, kind in (
            ("fw_compiler", "forward"),
            ("bw_compiler", "backward"),
            ("inference_compiler", "inference"),
        )
    }
    keep_attention(graph_module, example_inputs)
    compiled = aot_autograd(
        **compilers,
        decompositions=_decompositions.table(),
        partition_fn=partition,
    )
    with _backward_at_once() if recorder is None else contextlib.nullcontext():
        return compiled(graph_module, example_inputs)


def _backward_at_once():
    """Both graphs are lowered before the first call, so that their programs are compiled side by
    side, while the forward one runs."""
    name = "force_non_lazy_backward_lowering"
    if not hasattr(aot_config, name):
        return contextlib.nullcontext()
    return aot_config.patch({name: True})


# What torch._dynamo.reset() calls.
backend.reset = _cuda_graphs.reset


def checked_options(options, mode):
    """The options with their defaults; an Error for what there is not."""
    if mode not in _MODES:
        raise Error(
            f"expected no mode for the backend fuse, or 'reduce-overhead', but got {mode!r}; "
            "leave it out"
        )
    chosen = {**_DEFAULTS, **_MODES[mode], **(options or {})}
    unknown = set(chosen) - set(_DEFAULTS)
    if unknown:
        raise Error(
            f"expected options of {', '.join(_DEFAULTS)}, but got {', '.join(sorted(unknown))}; "
            "leave it out"
        )
    for name in ("contractions", "attention"):
        if chosen[name] not in CHOICES:
            raise Error(
                f"expected {name} to be {', '.join(CHOICES)}, but got {chosen[name]!r}; choose one"
            )
    for name in ("graphs", "wait"):
        if not isinstance(chosen[name], bool):
            raise Error(
                f"expected {name} to be True or False, but got {chosen[name]!r}; choose one"
            )
    for name in ("smallest_region", "most_contractions"):
        if not isinstance(chosen[name], int) or chosen[name] < 1:
            raise Error(
                f"expected {name} to be a number of 1 or more, but got {chosen[name]!r}; pass "
                f"{_DEFAULTS[name]}"
            )
    return chosen


def _compile(graph_module, example_inputs, *, kind, options, recorder):
    """One graph of AOTAutograd with its regions compiled, as a boxed function."""
    _donate_nothing()
    why_not = _cuda_graphs.why_not(graph_module) if recorder else None
    split_complex(graph_module)
    fold_constants(graph_module, options)
    take_attention(graph_module, options)
    sort_scatters(graph_module)
    support = Support(options)
    for node in graph_module.graph.nodes:
        support.is_supported(node)
    small = form_regions(graph_module, support, options)
    reasons = {**support.reasons, **small}
    regions = [
        _compile_region(graph_module, name, options["wait"])
        for name, _ in list(graph_module.named_children())
        if name.startswith(PREFIX)
    ]
    left = [
        (str(node.target), reason)
        for node, reason in reasons.items()
        if node.target not in _FREE
    ]
    run, replay = _boxed(graph_module), ""
    if recorder:
        # What is loaded while a graph is captured spoils it.
        for region in regions:
            region.settle()
        run, why_not = recorder.record(run, graph_module, kind, why_not)
        replay = f"launched one by one: {why_not}" if why_not else "replayed"
        if why_not and kind != "backward":
            warnings.warn(
                f"a graph is not replayed as a CUDA graph, as was asked for: {why_not}",
                stacklevel=2,
            )
    add_graph(kind, regions, left, replay)
    return run


def _donate_nothing():
    """Saved tensors are not overwritten: backward() may run again with retain_graph=True, which
    torch refuses where it believes that a backend takes their memory."""
    context = TracingContext.try_get()
    if context is not None and getattr(context.fw_metadata, "bw_donated_idxs", None):
        context.fw_metadata.bw_donated_idxs = []


def _boxed(graph_module):
    """A function of a list of arguments, which it clears, so that none lives longer than it is
    needed."""
    if _BoxedCodeGen is None:
        graph_module.recompile()
        _LazyGraphModule.force_recompile(graph_module)
        return make_boxed_func(graph_module.forward)
    graph_module.graph.set_codegen(_BoxedCodeGen())
    graph_module.recompile()
    _LazyGraphModule.force_recompile(graph_module)
    forward = graph_module.forward

    def run(arguments):
        return forward(arguments)

    run._boxed_call = True
    return run


def operators_of(subgraph):
    """The names of a region's operators, views left out."""
    return tuple(
        str(n.target)
        for n in subgraph.graph.nodes
        if n.op == "call_function" and n.target not in _FREE
    )


def _compile_region(graph_module, name, waits):
    """Replaces a subgraph by a Region, whose program is compiled while torch goes on."""
    subgraph = getattr(graph_module, name)
    operators = operators_of(subgraph)
    try:
        region = Region(subgraph, waits)
    except Error as failure:
        return RegionReport(name, operators, (), "", str(failure))
    setattr(graph_module, name, region)
    # Found here first: nn.Module's own way to it takes a quarter of a call.
    graph_module.__dict__[name] = region
    report = RegionReport(name, operators, (), region.text, _pending=region.pending)
    region.on_failure = report.fail
    return report
