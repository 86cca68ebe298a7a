#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLaMA's blocks over several GPUs: checked against one, and measured against eager and torch.compile.

Each process has its part of the heads and features (peers/parallel_block.py); collectives are
torch.distributed's, by NCCL. Results are right if they are no further from f64 on one GPU than
eager's are within a factor of 2. Times are the slowest process's, medians of interleaved rounds.

    compare_distributed.py --out distributed.json --seconds 100
    compare_distributed.py --device cpu --tiny
"""

import argparse
import copy
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools")]

from bench.peers import distributed_report  # noqa: E402

REAL = {"features": 4096, "heads": 32, "groups": 8, "hidden": 14336}
TINY = {"features": 64, "heads": 4, "groups": 2, "hidden": 96}
PEERS = ("fuse", "eager", "compile")
MODES = ("inference", "training")
LARGEST_RATIO = 2.0


def parse_arguments(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", help="file for the results")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--world", type=int, default=2, help="processes")
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=4096)
    parser.add_argument("--tiny", action="store_true", help="small sizes, in f32")
    parser.add_argument("--sequence", action="store_true", help="split tokens, too")
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=100, help="for all of it")
    arguments = parser.parse_args(argv)
    for name, known in (("modes", MODES), ("peers", PEERS)):
        given = getattr(arguments, name).split(",")
        if set(given) - set(known):
            parser.error(f"expected {name} of {', '.join(known)}, but got {given}")
        setattr(arguments, name, given)
    return arguments


class Comparison:
    """In one process: its part of the model, by each peer."""

    def __init__(self, rank, arguments, end):
        import torch
        import torch.distributed as dist
        from bench.peers import parallel_block

        self.torch, self.dist, self.parallel = torch, dist, parallel_block
        self.rank, self.arguments, self._end = rank, arguments, end
        self.device = torch.device(arguments.device, rank)
        if arguments.device == "cpu":
            self.device = torch.device("cpu")
        sizes = TINY if arguments.tiny else REAL
        self.dtype = torch.float32 if arguments.tiny else torch.bfloat16
        tokens = 16 if arguments.tiny else arguments.tokens
        torch.manual_seed(0)
        with torch.device(self.device):
            whole = parallel_block.Blocks(arguments.layers, **sizes).to(self.dtype)
            self.x = torch.randn(1, tokens, sizes["features"], dtype=self.dtype)
        # What each process has made for itself must be the same.
        for tensor in (*whole.parameters(), self.x):
            dist.broadcast(tensor.data, 0)
        self.whole = whole
        self.part = parallel_block.shard(whole, sequence=arguments.sequence)
        size = sizes["features"] // sizes["heads"]
        self.tables = parallel_block.tables(tokens, size, self.dtype, self.device)

    def left(self):
        """Seconds that are left, the same in all processes."""
        left = self.torch.tensor(self._end - time.time(), device=self.device)
        self.dist.all_reduce(left, self.dist.ReduceOp.MIN)
        return float(left)

    def run(self):
        entries = []
        for mode in self.arguments.modes:
            entry = {"mode": mode, "peers": {}}
            reference = self._reference(mode == "training")
            calls, eager = {}, None
            for name in sorted(self.arguments.peers, key=lambda n: n != "eager"):
                if self.left() < 15:
                    entry["peers"][name] = {"skipped": "the time was over"}
                    continue
                calls[name], found, entry["peers"][name] = self._first(name, mode)
                eager = found if name == "eager" else eager
                if eager:
                    entry["peers"][name] |= self._compare(found, eager, reference)
            for name, times in self._times(calls).items():
                entry["peers"][name] |= times
            entries.append(entry)
        return entries

    def _step(self, function, model, x, tables, is_training):
        """What is compared: the output, and gradients by name."""
        if not is_training:
            with self.torch.no_grad():
                return {"output": function(x, *tables)}
        model.zero_grad(set_to_none=True)
        y = function(x, *tables)
        weights = self.torch.linspace(0.5, 1.5, y.shape[-1], device=y.device)
        (y.float() * weights).mean().backward()
        gradients = {name: p.grad for name, p in model.named_parameters()}
        return {"output": y.detach(), **gradients}

    def _reference(self, is_training):
        """This process's part of what one process computes in f64."""
        torch = self.torch
        exact = copy.deepcopy(self.whole).double()
        tables = [t.double() for t in self.tables]
        found = self._step(exact, exact, self.x.double(), tables, is_training)
        parts = {
            name: tensor
            if name == "output"
            else self.parallel.part_of(name, tensor, self.rank, self._world())
            for name, tensor in found.items()
        }
        if self.arguments.sequence:
            parts["output"] = self._tokens(parts["output"])
            # The mean is over the tokens of this process only, as in _step.
            scale = self._world()
            for name in parts:
                if name != "output":
                    parts[name] = parts[name] * scale
        result = {name: tensor.clone() for name, tensor in parts.items()}
        del exact, found, parts
        if self.device.type == "cuda":
            torch.cuda.empty_cache()
        return result

    def _world(self):
        return self.arguments.world

    def _tokens(self, x):
        return x.chunk(self._world(), dim=1)[self.rank].contiguous()

    def _first(self, name, mode):
        """The call of a peer, its results, and what its first call took."""
        import fuse_compiler.torch as fuse_torch

        torch = self.torch
        torch._dynamo.reset()
        fuse_torch.reset_report()
        model = self.part
        function = {
            "eager": lambda: model,
            "fuse": lambda: torch.compile(
                model, backend=fuse_torch.backend, fullgraph=True, dynamic=False
            ),
            "compile": lambda: torch.compile(model, fullgraph=True, dynamic=False),
        }[name]()
        x = self._tokens(self.x) if self.arguments.sequence else self.x

        def call():
            return self._step(function, model, x, self.tables, mode == "training")

        self.dist.barrier()
        start = time.perf_counter()
        found = {n: t.clone() for n, t in call().items()}
        if self.arguments.sequence:
            # Norms see a part of the tokens.
            for each in found:
                if "norm" in each:
                    self.dist.all_reduce(found[each])
        self._synchronize()
        entry = {"first_seconds": time.perf_counter() - start}
        if name == "fuse":
            graphs = fuse_torch.report()
            entry["coverage"] = [round(g.coverage, 3) for g in graphs]
            entry["kernels"] = sum(len(r.kernels) for g in graphs for r in g.regions)
            entry["failures"] = [
                r.failure for g in graphs for r in g.regions if r.failure
            ]
            entry["eager"] = [
                f"{count} x {operator}: {reason}"
                for g in graphs
                for (operator, reason), count in g.eager.items()
            ]
        return call, found, entry

    def _compare(self, found, eager, exact):
        """The largest ratio of distances from f64, over all processes."""
        ratios = {}
        for name, reference in exact.items():
            size = reference.square().mean().sqrt().clamp_min(1e-300)
            unit = self.torch.finfo(self.dtype).eps / 4
            off = [
                float((t[name].double() - reference).square().mean().sqrt() / size)
                for t in (found, eager)
            ]
            ratios[name] = off[0] / (off[1] + unit)
        worst = max(ratios, key=ratios.get)
        value = self.torch.tensor(ratios[worst], device=self.device)
        self.dist.all_reduce(value, self.dist.ReduceOp.MAX)
        is_finite = all(bool(t.isfinite().all()) for t in found.values())
        return {
            "worst": float(value),
            "worst_of": worst,
            "right": is_finite and float(value) <= LARGEST_RATIO,
        }

    def _synchronize(self):
        if self.device.type == "cuda":
            self.torch.cuda.synchronize()

    def _times(self, calls):
        """Median seconds of the slowest process, in rounds of all peers."""
        times = {name: [] for name in calls}
        for name in calls:
            for _ in range(2):
                calls[name]()
        for number in range(self.arguments.rounds):
            for name, call in calls.items():
                self._synchronize()
                self.dist.barrier()
                start = time.perf_counter()
                call()
                self._synchronize()
                times[name].append(time.perf_counter() - start)
            if number >= 4 and self.left() < 5:
                break
        result = {}
        for name, seconds in times.items():
            slowest = self.torch.tensor(seconds, device=self.device)
            self.dist.all_reduce(slowest, self.dist.ReduceOp.MAX)
            median = statistics.median(slowest.tolist())
            result[name] = {"seconds": median, "rounds": len(seconds)}
        return result


def run_process(rank, arguments, folder, end):
    import torch
    import torch.distributed as dist

    os.environ["FUSE_CACHE_DIR"] = f"{folder}/fuse"
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = f"{folder}/inductor-{rank}"
    os.environ["TRITON_CACHE_DIR"] = f"{folder}/triton-{rank}"
    is_gpu = arguments.device == "cuda"
    if is_gpu:
        torch.cuda.set_device(rank)
    dist.init_process_group(
        "nccl" if is_gpu else "gloo",
        init_method=f"file://{folder}/meet",
        rank=rank,
        world_size=arguments.world,
        **({"device_id": torch.device("cuda", rank)} if is_gpu else {}),
    )
    try:
        entries = Comparison(rank, arguments, end).run()
        if rank == 0:
            Path(folder, "entries.json").write_text(json.dumps(entries))
    finally:
        dist.destroy_process_group()


def write(path, result):
    """Into a file of runs, in place of one that split the model alike."""
    runs = json.loads(path.read_text()) if path.exists() else []
    runs = [run for run in runs if run["sequence"] != result["sequence"]]
    path.write_text(json.dumps([*runs, result], indent=1))


def main():
    arguments = parse_arguments()
    import torch
    import torch.multiprocessing
    from bench.compare_peers import commit

    if arguments.device == "cuda" and torch.cuda.device_count() < arguments.world:
        print(
            f"expected {arguments.world} GPUs, but got {torch.cuda.device_count()}; pass "
            "--device cpu --tiny, or --world"
        )
        return 1
    end = time.time() + arguments.seconds
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(
            run_process, (arguments, folder, end), nprocs=arguments.world
        )
        entries = json.loads(Path(folder, "entries.json").read_text())
    device = "cpu"
    if arguments.device == "cuda":
        device = torch.cuda.get_device_name(0)
    result = {
        "device": device,
        "world": arguments.world,
        "torch": torch.__version__,
        "commit": commit(),
        "layers": arguments.layers,
        "tokens": 16 if arguments.tiny else arguments.tokens,
        "sequence": arguments.sequence,
        "entries": entries,
    }
    if arguments.out:
        write(Path(arguments.out), result)
    for entry in entries:
        print("\n".join(distributed_report.lines(entry)), flush=True)
    return 1 if any(map(distributed_report.is_wrong, entries)) else 0


if __name__ == "__main__":
    sys.exit(main())
