"""Fuse on the CPU against the same expressions in NumPy, in one process.

Medians of interleaved rounds on random data; the results are compared before
anything is timed.

    .venv/bin/python tools/bench/compare_numpy.py --rows 8192
"""

import argparse
import pathlib
import statistics
import sys
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools")]

import fuse_compiler as fuse  # noqa: E402 - found through the path above
from bench.peers.numpy_ops import gelu, softmax  # noqa: E402


def measure(function):
    start = time.perf_counter()
    function()
    return (time.perf_counter() - start) * 1e3


def compare(name, reference, rows, rounds):
    program = fuse.compile(ROOT / "examples" / f"{name}.mlir", target="cpu")
    x = np.random.default_rng(0).standard_normal((rows, 4096), dtype=np.float32)
    out = np.empty_like(x)
    program(x, out=out)
    np.testing.assert_allclose(out, reference(x), rtol=1e-5, atol=1e-6)
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(measure(lambda: program(x, out=out)))
        theirs.append(measure(lambda: reference(x)))
    fast, slow = statistics.median(ours), statistics.median(theirs)
    spread = f"{min(ours):.1f} to {max(ours):.1f}"
    print(
        f"| {name} {rows}x4096 f32 | {fast:.1f} ms ({spread}) | {slow:.1f} ms | {slow / fast:.1f} |"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--rows", type=int, default=8192)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    print("| work | fuse | NumPy | NumPy / fuse |\n| --- | --- | --- | --- |")
    compare("softmax", softmax, options.rows, options.rounds)
    compare("gelu_by_hand", gelu, options.rows, options.rounds)


if __name__ == "__main__":
    main()
