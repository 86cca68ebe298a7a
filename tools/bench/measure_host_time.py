#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long calls of small programs keep the host, from C and from Python, against torch.

Until the call returns; on a GPU nothing is awaited, and calls come in batches that its queue
holds. The least of several batches: other work on the machine only adds.

    measure_host_time.py --device cuda --out host.json
    measure_host_time.py --device cpu          # the same path, with the kernel's own time
"""

import argparse
import ctypes
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools")]

COLUMNS = 256
ADD = f"""
func.func @add(%x: tensor<?x{COLUMNS}xf32>, %b: tensor<{COLUMNS}xf32>)
    -> tensor<?x{COLUMNS}xf32> {{
  %y = fuse.add %x, %b : tensor<?x{COLUMNS}xf32>, tensor<{COLUMNS}xf32>
  return %y : tensor<?x{COLUMNS}xf32>
}}"""
# Prepared calls in a loop; seconds for one.
C_LOOP = """
#include "fuse-c/Fuse.h"
#include <time.h>
double loop(FuseStatus *(*run)(FuseCall *, void *const *, int32_t, void *),
            FuseCall *call, void *const *addresses, int count, void *stream) {
  struct timespec a, b;
  clock_gettime(CLOCK_MONOTONIC, &a);
  for (int i = 0; i < count; ++i)
    if (run(call, addresses, 3, stream))
      return -1;
  clock_gettime(CLOCK_MONOTONIC, &b);
  return ((b.tv_sec - a.tv_sec) + (b.tv_nsec - a.tv_nsec) * 1e-9) / count;
}
"""

# Programs that a process before has compiled; ms of each. The first starts the driver.
WARM_START = """
import sys, time
import fuse_compiler as fuse
target, first, *files = sys.argv[1:]
fuse.compile(first, target=target)
for file in files:
    start = time.perf_counter()
    fuse.compile(file, target=target)
    print(1e3 * (time.perf_counter() - start))
"""
WARM_FILES = ("rms_norm", "softmax", "swiglu", "rope_qk_gqa", "layer_norm")


class Clock:
    """Seconds of a call, as the host sees it."""

    def __init__(self, torch, device, batch, batches):
        self._batch, self._batches = batch, batches
        self._wait = torch.cuda.synchronize if device == "cuda" else lambda: None

    def least(self, measure):
        """The least of measure(number of calls), which gives seconds for one."""
        measure(self._batch)
        found = []
        for _ in range(self._batches):
            self._wait()
            found.append(measure(self._batch))
        self._wait()
        return min(found)

    def of(self, call):
        def measure(count):
            start = time.perf_counter()
            for _ in range(count):
                call()
            return (time.perf_counter() - start) / count

        return self.least(measure)


def c_loop(folder):
    """The function `loop`, compiled."""
    source, library = Path(folder, "loop.c"), Path(folder, "loop.so")
    source.write_text(C_LOOP)
    compiler = os.environ.get("CC", "cc")
    command = [compiler, "-O2", "-shared", "-fPIC", f"-I{ROOT / 'include'}"]
    subprocess.run([*command, str(source), "-o", str(library)], check=True)
    loop = ctypes.CDLL(str(library)).loop
    loop.restype = ctypes.c_double
    loop.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int, ctypes.c_void_p]
    return loop


def from_c(clock, torch, program, x, b, y):
    """Seconds of a prepared call, fuseCallRun()."""
    from fuse_compiler._library import lib
    from fuse_compiler._program import Layout

    layouts = [
        Layout(tuple(t.shape), (2, 32), program._place)  # kDLFloat
        for t in (x, b)
    ]
    call = program._prepared(layouts, [x.data_ptr(), b.data_ptr()])
    addresses = (ctypes.c_void_p * 3)(*(t.data_ptr() for t in (x, b, y)))
    run = ctypes.cast(lib.fuseCallRun, ctypes.c_void_p)
    stream = 0
    if x.device.type == "cuda":
        stream = torch.cuda.current_stream().cuda_stream
    with tempfile.TemporaryDirectory() as folder:
        loop = c_loop(folder)
        seconds = clock.least(lambda count: loop(run, call, addresses, count, stream))
    lib.fuseCallFree(call)
    if seconds < 0:
        raise SystemExit("expected a call that runs, but got an error")
    torch.testing.assert_close(y, x + b)
    return seconds


def calls(torch, program, x, b, y):
    """By name, functions without arguments."""
    import fuse_compiler.torch as fuse_torch
    from fuse_compiler import ops

    def function(x):
        return torch.nn.functional.rms_norm(x + b, (COLUMNS,), b)

    compiled = {
        "fuse": torch.compile(function, backend=fuse_torch.backend, dynamic=False),
        "aot_eager": torch.compile(lambda x: x + b, backend="aot_eager", dynamic=False),
    }
    if x.device.type == "cuda":
        compiled["inductor"] = torch.compile(function, dynamic=False)
    return {
        "program": lambda: program(x, b),
        "program, out= given": lambda: program(x, b, out=y),
        "ops.rms_norm": lambda: ops.rms_norm(x, b),
        "torch: add": lambda: torch.add(x, b),
        "torch: rms_norm": lambda: torch.nn.functional.rms_norm(x, (COLUMNS,), b),
        **{
            f"torch.compile, {name}": lambda run=run: run(x)
            for name, run in compiled.items()
        },
    }


def warm_start_ms(device, processes=5):
    """The median of programs and processes, each with a cache that another one filled."""
    files = [str(ROOT / "examples" / f"{name}.mlir") for name in WARM_FILES]
    with tempfile.TemporaryDirectory() as cache:
        command = [sys.executable, "-c", WARM_START, device, ADD, *files]
        path = os.pathsep.join([str(ROOT / "python"), os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, "FUSE_CACHE_DIR": cache, "PYTHONPATH": path}
        found = []
        for _ in range(1 + processes):
            said = subprocess.run(
                command, env=environment, check=True, capture_output=True, text=True
            ).stdout
            found.append([float(line) for line in said.split()])
    return statistics.median(ms for each in found[1:] for ms in each)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--out", help="file for the results")
    parser.add_argument("--batch", type=int, default=200)
    parser.add_argument("--batches", type=int, default=50)
    arguments = parser.parse_args(argv)
    import fuse_compiler as fuse
    import torch
    from bench.compare_peers import commit

    device = arguments.device
    torch.set_num_threads(1)
    program = fuse.compile(ADD, target=device)
    x, b = torch.randn(1, COLUMNS, device=device), torch.rand(COLUMNS, device=device)
    y = torch.empty_like(x)
    clock = Clock(torch, device, arguments.batch, arguments.batches)
    with torch.no_grad():
        found = {"C: fuseCallRun": from_c(clock, torch, program, x, b, y)}
        for name, call in calls(torch, program, x, b, y).items():
            found[name] = clock.of(call)
    for name, seconds in found.items():
        print(f"{name:28} {seconds * 1e6:8.2f} us")
    warm = warm_start_ms(device)
    print(f"{'warm start':28} {warm:8.2f} ms")
    if arguments.out:
        result = {"device": device, "torch": torch.__version__, "commit": commit()}
        if device == "cuda":
            result["device"] = torch.cuda.get_device_name()
        result["warm_start_ms"] = round(warm, 2)
        result["host_us"] = {n: round(s * 1e6, 3) for n, s in found.items()}
        Path(arguments.out).write_text(json.dumps(result, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
