# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One model, eagerly and by several compilers: results, first calls, times.

A reference in f64 starts from the same rounded weights. A compiler's results are right if
they are no further from it than eager's within a factor of two.
"""

import copy
import gc
import statistics
import time
from collections import Counter

import fuse_compiler.torch as fuse_torch
import torch
import transformers

from . import model_cases, model_tune

LARGEST_RATIO = 2.0
COMPILERS = {
    "fuse": {"backend": fuse_torch.backend},
    "fuse-graphs": {"backend": fuse_torch.backend, "options": {"graphs": True}},
    "compile": {"backend": "inductor"},
    "max": {"backend": "inductor", "mode": "max-autotune-no-cudagraphs"},
    "max-graphs": {"backend": "inductor", "mode": "max-autotune"},
}
# Seconds below which what a peer tunes is not begun.
LEAST_SECONDS = {"max": 20, "max-graphs": 20}


class Clock:
    """What is left of the seconds for a model."""

    def __init__(self, budget):
        self._end = time.monotonic() + budget

    def left(self):
        return self._end - time.monotonic()


def build(case, tiny, device, dtype, shape=None, layers=None):
    """The model and its input; the same in every process.

    shape   of the input, as the text "1,16", instead of the case's
    layers  instead of the case's
    """
    torch.manual_seed(0)
    sizes = model_cases.sizes_of(case, tiny, layers)
    config = getattr(transformers, case.config)(**sizes)
    with torch.device(device):
        torch.set_default_dtype(dtype)
        model = getattr(transformers, case.model)(config)
        torch.set_default_dtype(torch.float32)
    batch, length = case.tiny_shape if tiny else case.shape
    if shape:
        batch, length = map(int, shape.split(","))
    if case.is_image:
        x = torch.randn(batch, 3, length, length).to(device, dtype)
    else:
        x = torch.randint(0, config.vocab_size, (batch, length)).to(device)
    return model.to(dtype), x


def inference(case, model):
    def run(x):
        return model(x)[0]

    return run


def loss(case, model):
    """What a training step computes forward: a number."""

    def run(x):
        if case.has_loss:
            return model(x, labels=x).loss
        return model(x)[0].float().square().mean()

    return run


def training_step(function, model, x):
    model.zero_grad(set_to_none=True)
    value = function(x)
    value.backward()
    return value


def results_of(call, model, is_training):
    """Outputs, with gradients by name where there are."""
    output = call()
    found = {"output": output.detach().clone()}
    if is_training:
        found |= {
            name: p.grad.detach().clone()
            for name, p in model.named_parameters()
            if p.grad is not None
        }
    return found


def distance(found, exact):
    """The root mean square of the difference over that of the exact tensor."""
    off = found.double() - exact
    return float(
        off.square().mean().sqrt() / exact.square().mean().sqrt().clamp_min(1e-300)
    )


def compare(found, eager, exact, dtype):
    """The largest and the median ratio of distances, and the tensor of the largest.

    Where eager happens to be nearly exact, half a unit of the type counts: of the model's for
    a single number, such as a loss, which is near by chance.
    """
    ratios = {}
    for name, reference in exact.items():
        is_number = found[name].numel() == 1
        unit = torch.finfo(dtype if is_number else found[name].dtype).eps / 4
        ratios[name] = distance(found[name], reference) / (
            distance(eager[name], reference) + unit
        )
    worst = max(ratios, key=ratios.get)
    is_finite = all(bool(t.isfinite().all()) for t in found.values())
    return {
        "worst": ratios[worst],
        "worst_of": worst,
        "median": statistics.median(ratios.values()),
        "right": is_finite and ratios[worst] <= LARGEST_RATIO,
    }


def synchronize(device):
    if device == "cuda":
        torch.cuda.synchronize()


def release(device):
    """Gives memory that nothing uses to the processes of other models."""
    gc.collect()
    if device == "cuda":
        torch.cuda.empty_cache()


def once(call, device):
    """Seconds of a call, the device's work included."""
    synchronize(device)
    start = time.perf_counter()
    call()
    synchronize(device)
    return time.perf_counter() - start


def once_by_events(call, device):
    """Seconds on the device, from the moment when it could start."""
    if device != "cuda":
        return once(call, device)
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    start.record()
    call()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) / 1e3


def host_seconds(call, device):
    """Until the call returns, nothing of it awaited."""
    synchronize(device)
    start = time.perf_counter()
    call()
    seconds = time.perf_counter() - start
    synchronize(device)
    return seconds


def medians(calls, device, clock, rounds):
    """Medians of each call's seconds, on the device and of the host, in rounds of all."""
    device_times = {name: [] for name in calls}
    host_times = {name: [] for name in calls}
    for number in range(rounds):
        for name, call in calls.items():
            device_times[name].append(once_by_events(call, device))
        for name, call in calls.items() if number < 5 else ():
            host_times[name].append(host_seconds(call, device))
        if clock.left() < 0 and number >= 2:
            break
    return {
        name: {
            "seconds": statistics.median(device_times[name]),
            "host_seconds": statistics.median(host_times[name]),
            "rounds": len(device_times[name]),
        }
        for name in calls
    }


def regions():
    """What the backend says of the graphs since it was asked last."""
    graphs = fuse_torch.report()
    eager = Counter()
    for graph in graphs:
        eager.update({f"{op}: {why}": n for (op, why), n in graph.eager.items()})
    all_regions = [r for g in graphs for r in g.regions]
    found = {
        "graphs": len(graphs),
        "regions": len(all_regions),
        "programs": len({r.program for r in all_regions}),
        "kernels": sum(len(r.kernels) for r in all_regions),
        "coverage": [round(g.coverage, 3) for g in graphs],
        "failures": [r.failure for r in all_regions if r.failure],
        "replay": [g.replay for g in graphs if g.replay],
        "eager": dict(eager.most_common()),
    }
    fuse_torch.reset_report()
    return found


def first_call(name, function, call, options, device):
    """The compiled function's first call: its seconds and graph breaks."""
    # Not torch._dynamo.reset(): what was compiled before would be traced again when measured.
    counters = torch._dynamo.utils.counters
    counters.clear()
    chosen = dict(COMPILERS[name])
    if name.startswith("fuse"):
        chosen["options"] = {**chosen.get("options", {}), **options}
    compiled = torch.compile(function, dynamic=False, **chosen)
    seconds = once(lambda: call(compiled), device)
    entry = {
        "first_seconds": seconds,
        "graph_breaks": sum(counters["graph_break"].values()),
        "break_reasons": dict(counters["graph_break"]),
    }
    if name.startswith("fuse"):
        entry["regions"] = regions()
    return compiled, entry


def tune(case, mode, arguments):
    """The first calls of the peers that tune, for their caches."""
    if arguments.device == "cuda":
        model_tune.measure_alone(arguments.lock)
    comparison = Comparison(case, mode, arguments, Clock(1e9), lambda entry: None)
    for name in arguments.peers:
        if name in model_tune.TUNED:
            comparison.call_first(name)


class Comparison:
    """One model in one mode.

    write  is called with what there is, after each step
    """

    def __init__(self, case, mode, arguments, clock, write):
        self._arguments, self._clock, self._write = arguments, clock, write
        self._case, self._is_training = case, mode == "training"
        self._dtype = getattr(torch, arguments.dtype)
        self._model, self._x = build(
            case,
            arguments.tiny,
            arguments.device,
            self._dtype,
            arguments.shape,
            arguments.layers,
        )
        self._model.train(self._is_training)
        is_cuda = arguments.device == "cuda"
        self.entry = {
            "model": case.name,
            "mode": mode,
            "dtype": arguments.dtype,
            "tiny": arguments.tiny,
            "shape": list(self._x.shape),
            "aside": case.aside,
            "device": torch.cuda.get_device_name() if is_cuda else "cpu",
            "torch": torch.__version__,
            "transformers": transformers.__version__,
            "peers": {"eager": {}},
        }
        if arguments.layers:
            self.entry["layers"] = arguments.layers
        self._function = self._make(self._model)

    def run(self):
        self._start()
        # Before the next, which may take long, all that there are are measured.
        for name in self._arguments.peers:
            self._add(name)
            self._measure()

    def prepare(self):
        """All but the times."""
        self._start()
        for name in self._arguments.peers:
            self._add(name)
        del self._exact, self._eager
        release(self._arguments.device)

    def measure(self, clock):
        """The times of what was prepared."""
        self._clock = clock
        self._measure()

    def _start(self):
        self._exact = self._results_in_f64()
        release(self._arguments.device)
        self._calls = {"eager": lambda: self._call(self._function)}
        self._eager = self._results(self._calls["eager"], self._model)

    def _make(self, model):
        return (loss if self._is_training else inference)(self._case, model)

    def _call(self, function, model=None, x=None):
        model = self._model if model is None else model
        x = self._x if x is None else x
        if self._is_training:
            return training_step(function, model, x)
        with torch.no_grad():
            return function(x)

    def _results(self, call, model):
        return results_of(call, model, self._is_training)

    def _results_in_f64(self):
        model = copy.deepcopy(self._model).double()
        if hasattr(model, "set_experts_implementation"):
            # The grouped products of experts are not there in f64.
            model.set_experts_implementation("eager")
        x = self._x.double() if self._x.is_floating_point() else self._x
        return self._results(lambda: self._call(self._make(model), model, x), model)

    def call_first(self, name):
        """The compiled function and what is known of its first call."""
        options = dict(pair.split("=") for pair in self._arguments.options)
        flags = {"True": True, "False": False}
        options = {key: flags.get(value, value) for key, value in options.items()}
        compiled, found = first_call(
            name, self._function, self._call, options, self._arguments.device
        )
        if self._arguments.tune or self._arguments.ahead:
            # Its caches were filled before, or others compiled beside it.
            del found["first_seconds"]
        return compiled, found

    def _add(self, name):
        if self._clock.left() < LEAST_SECONDS.get(name, 0):
            self.entry["peers"][name] = {"skipped": "the time was over"}
            return
        try:
            compiled, found = self.call_first(name)

            def call():
                # Else a CUDA graph's outputs of the last call would still be in use.
                torch.compiler.cudagraph_mark_step_begin()
                return self._call(compiled)

            found |= compare(
                self._results(call, self._model), self._eager, self._exact, self._dtype
            )
            self._calls[name] = call
        except Exception as error:  # What a peer cannot run is a result.
            found = {"error": f"{type(error).__name__}: {str(error)[:500]}"}
        self.entry["peers"][name] = found
        self._write(self.entry)

    def _measure(self):
        times = medians(
            self._calls, self._arguments.device, self._clock, self._arguments.rounds
        )
        for name, found in times.items():
            self.entry["peers"][name] |= found
        self._write(self.entry)
