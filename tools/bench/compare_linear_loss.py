#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A training step of a linear layer and its cross-entropy: time, memory and distance from f64.

ops.linear_cross_entropy, which has no logits in memory, against torch's operators, eager and
compiled. On a GPU in bfloat16; medians of interleaved rounds.

    compare_linear_loss.py --out linear-loss.json
    compare_linear_loss.py --device cpu --tiny
"""

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools")]

# Rows, features and classes: LLaMA-3 8B's, GPT-2's and Gemma 2's heads.
CASES = ((8192, 4096, 128256), (8192, 1024, 50304), (4096, 3584, 256000))
TINY = ((64, 32, 512),)


def peers(torch):
    """By name, functions of x, weight and labels to a loss."""
    from fuse_compiler import ops

    def torchs(x, weight, labels):
        logits = torch.nn.functional.linear(x, weight).float()
        return torch.nn.functional.cross_entropy(logits, labels)

    return {
        "fuse": ops.linear_cross_entropy,
        "eager": torchs,
        "compile": torch.compile(torchs, dynamic=False),
    }


class Step:
    """A training step of one peer: the loss, and the gradients of x and the weight."""

    def __init__(self, function, x, weight, labels):
        self._function, self._inputs, self._labels = function, (x, weight), labels

    def __call__(self):
        for each in self._inputs:
            each.grad = None
        loss = self._function(*self._inputs, self._labels)
        loss.backward()
        return [loss.detach(), *(each.grad for each in self._inputs)]


def seconds(torch, call, device):
    if device == "cpu":
        start = time.perf_counter()
        call()
        return time.perf_counter() - start
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    call()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) / 1e3


def peak_bytes(torch, call, device):
    """What a step has beyond what is there before it, its gradients included."""
    if device == "cpu":
        return 0
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    call()
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated() - before


def distances(torch, found, exact):
    """The root mean square of each difference over that of the exact tensor."""
    return [
        float(
            (a.double() - b).square().mean().sqrt()
            / b.square().mean().sqrt().clamp_min(1e-300)
        )
        for a, b in zip(found, exact)
    ]


def reference(torch, x, weight, labels):
    """In f64, a part of the rows at a time: all logits would not fit."""
    loss, dx, dw = 0.0, [], torch.zeros_like(weight, dtype=torch.float64)
    wide = weight.double()
    for at in range(0, x.shape[0], 512):
        block = x[at : at + 512].double()
        logits = block @ wide.t()
        names = labels[at : at + 512]
        loss += float(torch.nn.functional.cross_entropy(logits, names, reduction="sum"))
        p = torch.softmax(logits, -1)
        p[torch.arange(len(names), device=p.device), names] -= 1
        dx.append(p @ wide / x.shape[0])
        dw += p.t() @ block / x.shape[0]
    loss = torch.tensor(loss / x.shape[0], dtype=torch.float64, device=x.device)
    return [loss, torch.cat(dx), dw]


def run_case(torch, case, device, rounds):
    rows, features, classes = case
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    torch.manual_seed(0)
    x = torch.randn(rows, features, device=device).to(dtype)
    weight = (torch.randn(classes, features, device=device) / features**0.5).to(dtype)
    labels = torch.randint(0, classes, (rows,), device=device)
    exact = reference(torch, x, weight, labels)
    x.requires_grad_(), weight.requires_grad_()
    steps, entry = {}, {"rows": rows, "features": features, "classes": classes}
    for name, function in peers(torch).items():
        step = Step(function, x, weight, labels)
        start = time.perf_counter()
        try:
            found = step()
        except torch.OutOfMemoryError:
            entry[name] = {"error": "out of memory"}
            continue
        entry[name] = {"first_seconds": time.perf_counter() - start}
        entry[name]["distances"] = distances(torch, found, exact)
        entry[name]["bytes"] = peak_bytes(torch, step, device)
        steps[name] = step
    times = {name: [] for name in steps}
    for _ in range(rounds):
        for name, step in steps.items():
            times[name].append(seconds(torch, step, device))
    for name, found in times.items():
        entry[name]["seconds"] = statistics.median(found)
    return entry


def is_right(entry):
    """Whether ours is no further from f64 than eager within a factor of 2."""
    ours, eager = (entry[name].get("distances") for name in ("fuse", "eager"))
    return eager is None or all(a <= 2 * b + 1e-4 for a, b in zip(ours, eager))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", help="file for the results")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--tiny", action="store_true", help="small sizes")
    parser.add_argument("--rounds", type=int, default=10)
    arguments = parser.parse_args()
    import torch
    from bench.compare_peers import commit

    entries = []
    for case in TINY if arguments.tiny else CASES:
        entry = run_case(torch, case, arguments.device, arguments.rounds)
        entries.append({**entry, "right": is_right(entry)})
        print(f"{case}: {'right' if entries[-1]['right'] else 'WRONG'}")
        for name in ("fuse", "eager", "compile"):
            found = entry[name]
            if "seconds" in found:
                print(
                    f"  {name:8} {found['seconds'] * 1e3:9.2f} ms {found['bytes'] / 1e9:7.2f} GB "
                    f"distances {['%.1e' % d for d in found['distances']]}"
                )
            else:
                print(f"  {name:8} {found['error']}")
    if arguments.out:
        is_gpu = arguments.device == "cuda"
        device = torch.cuda.get_device_name() if is_gpu else "cpu"
        facts = {"device": device, "torch": torch.__version__, "commit": commit()}
        Path(arguments.out).write_text(
            json.dumps({**facts, "entries": entries}, indent=1)
        )
    return 0 if all(entry["right"] for entry in entries) else 1


if __name__ == "__main__":
    sys.exit(main())
