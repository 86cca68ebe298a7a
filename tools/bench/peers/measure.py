# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs, checks and times of the comparison, on one GPU with torch."""

import collections
import math
import random
import statistics
import time

import torch

from .cases import TORCH_NAMES

# More than any L2 there is: what is measured next reads from memory.
FLUSH_BYTES = 256 << 20
# Rounds that the host prepares without waiting, and flushes before them, of about 60 us
# each: while these run, the host gets ahead, so that a short pause of it is no time of
# what is measured.
ROUNDS_AHEAD, FLUSHES_AHEAD = 16, 24
# The device waits so many times as long as the host took to prepare a call, so that the
# host's time is no time of a call of many launches. A clock of 2 GHz is assumed; at a
# slower one it waits longer.
WAITS_PER_HOST_TIME, CYCLES_PER_SECOND = 1.5, 2e9

# Bounds on the error against f64 by the dtype of the output: relative to the value,
# relative to the root mean square of the output, which covers cancellation, and in
# denormal numbers. For 16 bits twice the rounding; for f32 the error of exponentials
# and of long sums.
BOUNDS = {
    torch.float64: (1e-13, 1e-13, 0),
    torch.float32: (1e-5, 1e-5, 2.0**-149),
    torch.float16: (2.0**-10, 2.0**-11, 2.0**-24),
    torch.bfloat16: (2.0**-7, 2.0**-10, 2.0**-133),
    torch.float8_e4m3fn: (2.0**-3, 2.0**-13, 0),
    # What is quantised may be rounded the other way.
    torch.int8: (0, 0, 1),
    torch.int32: (0, 0, 0),
    torch.int64: (0, 0, 0),
}


def make_inputs(case, seed):
    """Random tensors for a case, on the GPU."""
    generator = torch.Generator(device="cuda").manual_seed(seed)
    tensors = []
    for each in case.inputs:
        if each.kind == "normal":
            value = torch.randn(each.shape, device="cuda", generator=generator)
        elif each.kind == "uniform":
            value = torch.rand(each.shape, device="cuda", generator=generator)
        elif each.kind == "below":
            value = torch.randint(
                each.below, each.shape, device="cuda", generator=generator
            )
        elif each.kind == "bytes":
            value = torch.randint(
                -128, 128, each.shape, device="cuda", generator=generator
            )
        elif each.kind == "order":
            value = torch.randperm(
                math.prod(each.shape), device="cuda", generator=generator
            )
        else:
            tokens, half = each.shape
            steps = torch.arange(half, device="cuda", dtype=torch.float64)
            positions = torch.arange(tokens, device="cuda", dtype=torch.float64)
            angles = positions[:, None] * 10000.0 ** (-steps / half)
            value = getattr(torch, each.kind)(angles)
        tensors.append(value.to(getattr(torch, TORCH_NAMES[each.dtype])))
    return tensors


def as_tuple(result):
    return result if isinstance(result, tuple) else (result,)


def reference_of(case, inputs):
    """The outputs in f64."""
    wide = [each.double() if each.is_floating_point() else each for each in inputs]
    return as_tuple(case.torch(torch, *wide))


def check(outputs, reference, slack=1):
    """The largest error and the number of elements out of bounds, which are `slack` times
    as wide as BOUNDS has them. NaN and infinities are out of bounds unless the reference
    has the same."""
    largest, wrong = 0.0, 0
    for output, expected in zip(outputs, reference, strict=True):
        if output.shape != expected.shape:
            return math.inf, expected.numel()
        relative, to_mean, denormal = (slack * each for each in BOUNDS[output.dtype])
        expected = expected.double()
        absolute = denormal + to_mean * float(expected.square().mean().sqrt())
        # In slices, to need no second f64 copy of everything.
        slices = (each.reshape(-1).chunk(16) for each in (output, expected))
        for given, want in zip(*slices, strict=True):
            got = given.double()
            error = (got - want).abs()
            same = (got == want) | (got.isnan() & want.isnan())
            fine = (error <= absolute + relative * want.abs()) & want.isfinite()
            wrong += int((~(fine | same)).sum())
            error = error.masked_fill(same, 0).nan_to_num(nan=math.inf)
            largest = max(largest, float(error.max()))
    return largest, wrong


class Stopwatch:
    """Times functions by CUDA events, in rounds: each round times each function once, in an
    order drawn anew, since who was before changes where results lie, with the L2 cache
    flushed before. Where tensors lie changes what a
    short call takes by up to a tenth, so that a function may be a list of calls on
    tensors that lie elsewhere, taken in turn; their results then lie elsewhere, too."""

    def __init__(self, flush_bytes=FLUSH_BYTES):
        self._flush = torch.empty(flush_bytes, dtype=torch.int8, device="cuda")

    def _once(self, function, cycles=0):
        start = torch.cuda.Event(enable_timing=True)
        end = torch.cuda.Event(enable_timing=True)
        # While these run, the host prepares the call.
        if cycles:
            torch.cuda._sleep(cycles)
        self._flush.zero_()
        start.record()
        result = function()
        end.record()
        return start, end, result

    def _warm_up(self, functions):
        """The seconds of a round, and for how many cycles the device is to wait before a
        call of each function."""
        cycles = {}
        for name, calls in functions.items():
            for call in calls:
                call()
            torch.cuda.synchronize()
            start = time.perf_counter()
            calls[0]()
            host = time.perf_counter() - start
            cycles[name] = int(WAITS_PER_HOST_TIME * host * CYCLES_PER_SECOND)
        torch.cuda.synchronize()
        start = time.monotonic()
        for name, calls in functions.items():
            self._once(calls[0], cycles[name])
        torch.cuda.synchronize()
        return time.monotonic() - start, cycles

    def run(self, functions, seconds):
        """Microseconds of each function: {name: {"median", "q1", "q3", "rounds"}}."""
        functions = {
            name: calls if isinstance(calls, list) else [calls]
            for name, calls in functions.items()
        }
        one_round, cycles = self._warm_up(functions)
        rounds = max(10, min(100, int(seconds / max(one_round, 1e-6))))
        names = list(functions)
        events = {name: [] for name in names}
        # The next result is not where the last ones are.
        kept = {
            name: collections.deque(maxlen=len(calls) - 1)
            for name, calls in functions.items()
        }
        order = random.Random(0)
        for index in range(rounds):
            if index % ROUNDS_AHEAD == 0:
                # Keeps the queue from growing without end.
                torch.cuda.synchronize()
                for _ in range(FLUSHES_AHEAD):
                    self._flush.zero_()
            order.shuffle(names)
            for name in names:
                calls = functions[name]
                call = calls[index % len(calls)]
                start, end, result = self._once(call, cycles[name])
                events[name].append((start, end))
                kept[name].append(result)
        torch.cuda.synchronize()
        return {name: _summary(pairs) for name, pairs in events.items()}


class GraphStopwatch:
    """Times what events alone cannot see: a CUDA graph of many calls in a row on buffers
    that rotate, so that a call does not find its own last result in a cache that is as
    large as all buffers; small ones stay in the L2 cache, for every competitor alike."""

    def __init__(self, launches=64):
        self.launches = launches
        self._keep = []

    def _capture(self, calls):
        """A graph of `launches` calls, taken in turn from `calls`."""
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for call in calls:
                call()
        torch.cuda.current_stream().wait_stream(stream)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            # Results are kept, so that no two calls write the same buffer.
            self._keep.append(
                [calls[index % len(calls)]() for index in range(self.launches)]
            )
        return graph

    def run(self, functions, seconds):
        """Microseconds of one call of each: {name: summary}, as Stopwatch.run(), and
        {name: error} of those that cannot be captured. A function is a list of calls."""
        graphs, errors = {}, {}
        for name, calls in functions.items():
            try:
                graphs[name] = self._capture(calls)
            except Exception as error:  # A peer that fails is a result.
                errors[name] = f"not captured: {type(error).__name__}: {error}"[:500]
                torch.cuda.synchronize()
        replays = {name: graph.replay for name, graph in graphs.items()}
        # Not flushed: what a graph reads first is one of its many calls.
        times = Stopwatch(flush_bytes=1).run(replays, seconds)
        self._keep.clear()
        for summary in times.values():
            for key in ("median", "q1", "q3"):
                summary[key] /= self.launches
        return times, errors


def _summary(pairs):
    times = sorted(start.elapsed_time(end) * 1000 for start, end in pairs)
    q1, median, q3 = statistics.quantiles(times, n=4, method="inclusive")
    return {"median": median, "q1": q1, "q3": q3, "rounds": len(times)}


def host_microseconds(function, calls=2000):
    """Time the host spends in one call, the GPU being faster than that."""
    for _ in range(50):
        function()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(calls):
        function()
    elapsed = time.perf_counter() - start
    torch.cuda.synchronize()
    return elapsed / calls * 1e6


def copy_of(num_bytes):
    """A device copy that reads and writes `num_bytes` together."""
    source = torch.empty(
        max(num_bytes // 2, 1), dtype=torch.int8, device="cuda"
    ).random_()
    target = torch.empty_like(source)
    return lambda: target.copy_(source)


def read_of(num_bytes):
    """A kernel that reads `num_bytes` and writes nothing."""
    # Whole blocks: Triton reads single words where it cannot tell that vectors fit.
    count = -(-num_bytes // 16384) * 4096
    words = torch.empty(count, dtype=torch.int32, device="cuda")
    words.random_()
    return read_all_of(words)


def read_all_of(tensor):
    """A kernel that reads a tensor of whole blocks and writes nothing."""
    # Here, since measuring needs no Triton else.
    from .triton_kernels import read

    words = tensor.view(torch.int32).view(-1)
    return lambda: read(words)
