"""The largest error of every unary op, through the whole compiler.

A program of one op runs on every f16, every bf16, every STRIDE-th f32 or a
sample of f64. Its error is counted in ULP of the result type, against double
precision, and for f64 against the C library's `long double`. The exit status is
1 if an error exceeds its bound in `OPS`.

    .venv/bin/python tools/accuracy/op_accuracy.py
    .venv/bin/python tools/accuracy/op_accuracy.py --dtype f32 --stride 1
    .venv/bin/python tools/accuracy/op_accuracy.py --target cuda  # needs torch

--merge adds the figures to a JSON file, and --table prints such a file.
"""

import argparse
import json
import math
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python")]

import fuse_compiler as fuse  # noqa: E402


@dataclass(frozen=True)
class Format:
    """A float format: its bits as an unsigned integer, and its exponents."""

    bits: type
    mantissa: int
    least: int
    most: int


FORMATS = {
    "f16": Format(np.uint16, 10, -14, 15),
    "bf16": Format(np.uint16, 7, -126, 127),
    "f32": Format(np.uint32, 23, -126, 127),
    "f64": Format(np.uint64, 52, -1022, 1023),
}


class NumPy:
    """Arrays on the CPU."""

    math = np
    # Few enough that the temporaries stay in a core's cache.
    chunk = 1 << 16

    def bits(self, dtype, first, count, stride):
        """`count` bit patterns of `dtype`, every stride-th from `first` on."""
        numbers = np.arange(first, first + count * stride, stride, dtype=np.uint64)
        return numbers.astype(FORMATS[dtype].bits)

    def as_argument(self, bits, dtype):
        """An array that a program takes as `dtype`."""
        kinds = {"f16": np.float16, "bf16": np.uint16, "f32": np.float32}
        return bits.view(kinds.get(dtype, np.float64))

    def widen(self, values, dtype):
        """The same numbers in the references' precision."""
        if dtype == "bf16":
            values = (values.astype(np.uint32) << 16).view(np.float32)
        return values.astype(np.longdouble if dtype == "f64" else np.float64)

    def power_of_two(self, x):
        """The largest one not above |x|; 0 below the normal numbers."""
        if x.dtype == np.float64:
            return (x.view(np.int64) & 0x7FF0000000000000).view(np.float64)
        return np.ldexp(x.dtype.type(1), np.frexp(np.abs(x))[1] - 1)

    @staticmethod
    def erf(x):
        """By its series next to zero; most numbers are there, or where it is 1."""
        near = x * (1 - x * x / 3) * (2 / math.sqrt(math.pi))
        result = np.where(np.abs(x) < 2.0**-20, near, np.sign(x))
        middle = (np.abs(x) >= 2.0**-20) & (np.abs(x) < 6)
        result[middle] = list(map(math.erf, x[middle].tolist()))
        return result

    round = staticmethod(np.rint)


class Torch:
    """Tensors on the GPU."""

    chunk = 1 << 25

    def __init__(self):
        import torch

        self.math = torch
        self.erf, self.round = torch.erf, torch.round

    def bits(self, dtype, first, count, stride):
        torch = self.math
        numbers = torch.arange(
            first, first + count * stride, stride, dtype=torch.int64, device="cuda"
        )
        kind = torch.int16 if dtype in ("f16", "bf16") else torch.int32
        return numbers.to(kind)

    def as_argument(self, bits, dtype):
        torch = self.math
        kinds = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32}
        return bits.view(kinds[dtype])

    def widen(self, values, dtype):
        return values.to(self.math.float64)

    def power_of_two(self, x):
        torch = self.math
        return (x.view(torch.int64) & 0x7FF0000000000000).view(torch.float64)


def sigmoid(xp, x):
    """Without the overflow of exp(-x), which loses the smallest results."""
    e = xp.math.exp(-xp.math.abs(x))
    return xp.math.where(x < 0, e / (1 + e), 1 / (1 + e))


def silu(xp, x):
    return x * sigmoid(xp, x)


def sign(xp, x):
    return xp.math.where((x == 0) | xp.math.isnan(x), x, xp.math.sign(x))


def relu(xp, x):
    # -0 becomes +0, the larger of the two.
    return xp.math.where((x > 0) | xp.math.isnan(x), x, 0.0)


def elementary(name):
    """The function of that name of NumPy and torch."""
    return lambda xp, x: getattr(xp.math, name)(x)


@dataclass(frozen=True)
class Op:
    """A function of double precision, and the bounds of docs/math.md in ULP."""

    reference: object
    f32: float = 0
    f32_cuda: float = 0
    f64: float = 0
    # A 16-bit result is rounded from f32; it may be approximate before.
    narrow: float = 0.75
    # An absolute error that is allowed, in smallest normal numbers of the type
    # that is computed in: f32, or f64.
    tiny: float = 0

    def bound(self, dtype, target):
        if dtype in ("f16", "bf16"):
            return self.narrow
        if dtype == "f32" and target == "cuda":
            return self.f32_cuda
        return self.f32 if dtype == "f32" else self.f64


OPS = {
    "neg": Op(lambda xp, x: -x, narrow=0),
    "abs": Op(elementary("abs"), narrow=0),
    "sign": Op(sign, narrow=0),
    "floor": Op(elementary("floor"), narrow=0),
    "ceil": Op(elementary("ceil"), narrow=0),
    "round": Op(lambda xp, x: xp.round(x), narrow=0),
    "trunc": Op(elementary("trunc"), narrow=0),
    "relu": Op(relu, narrow=0),
    "sqrt": Op(elementary("sqrt"), 0.5, 1, 0.51),
    "recip": Op(lambda xp, x: 1 / x, 0.5, 1, 0.51),
    "exp": Op(elementary("exp"), 1.5, 3, 1.5),
    "exp2": Op(elementary("exp2"), 1.5, 2.5, 1.5),
    "expm1": Op(elementary("expm1"), 2, 2, 2),
    "log": Op(elementary("log"), 1.5, 1.5, 1.5),
    "log2": Op(elementary("log2"), 1.5, 1.5, 2),
    "log1p": Op(elementary("log1p"), 1.5, 1.5, 1.5),
    "rsqrt": Op(lambda xp, x: 1 / xp.math.sqrt(x), 1.5, 2, 1.5),
    "sin": Op(elementary("sin"), 1.5, 1.5, 1.5),
    "cos": Op(elementary("cos"), 1.5, 1.5, 1.5),
    "tanh": Op(elementary("tanh"), 2, 4, 3),
    "erf": Op(lambda xp, x: xp.erf(x), 2, 2, 4),
    "sigmoid": Op(sigmoid, 4, 5, 4, tiny=1),
    "silu": Op(silu, 4.5, 6, 4.5, tiny=1024),
}


def ulp_errors(xp, got, truth, dtype, tiny):
    """|got - truth| in ULP at `truth`, as ulpError of the unit tests counts.

    Infinity counts as the power of two after the largest number; a NaN on one
    side alone, or a zero of the wrong sign, is infinitely wrong.
    """
    fmt, where = FORMATS[dtype], xp.math.where
    two = truth.dtype.type(2) if isinstance(xp, NumPy) else 2.0
    limit, least, most = two ** (fmt.most + 1), two**fmt.least, two**fmt.most
    error = xp.math.abs(
        xp.math.clip(got, -limit, limit) - xp.math.clip(truth, -limit, limit)
    )
    unit = xp.math.clip(xp.power_of_two(truth), least, most)
    small = error <= tiny * (least if dtype == "f64" else 2.0**-126)
    error = error / unit * two**fmt.mantissa
    zero = (got == 0) & (xp.math.signbit(got) == xp.math.signbit(truth))
    error = where(truth == 0, where(zero, 0.0, math.inf), error)
    error = where(small & (tiny > 0), 0.0, error)
    nan, nan_got = xp.math.isnan(truth), xp.math.isnan(got)
    return where(nan | nan_got, where(nan & nan_got, 0.0, math.inf), error)


def compile_op(name, dtype, target):
    """The program of one op on a tensor of any length."""
    tensor = f"tensor<?x{dtype}>"
    return fuse.compile(
        f"func.func @f(%x: {tensor}) -> {tensor} {{\n"
        f"  %y = fuse.{name} %x : {tensor}\n  return %y : {tensor}\n}}\n",
        target=target,
    )


def sample_of_f64(count):
    """Random bits, ordinary numbers, and the special ones, as bits."""
    random = np.random.default_rng(1)
    special = [0, np.inf, np.nan, 5e-324, 2.2e-308, 1.7e308, 1, 0.5, 709.8, 745.2]
    values = np.concatenate(
        [
            random.integers(0, 2**64, count, dtype=np.uint64).view(np.float64),
            random.uniform(-700, 700, count),
            random.uniform(-2, 2, count),
            special,
            np.negative(special),
        ]
    )
    return values.view(np.uint64)


def batches(xp, dtype, stride):
    """All inputs of a measurement, as bits."""
    if dtype == "f64":
        bits = sample_of_f64((1 << 32) // stride // 3)
        yield from np.array_split(bits, max(1, len(bits) // xp.chunk))
        return
    end = 1 << (8 * FORMATS[dtype].bits().itemsize)
    stride = stride if dtype == "f32" else 1
    for first in range(0, end, xp.chunk * stride):
        count = min(xp.chunk, (end - first + stride - 1) // stride)
        yield xp.bits(dtype, first, count, stride)


def measure(name, dtype, target="cpu", stride=4099):
    """The largest error in ULP, and the input that has it."""
    if target == "cuda" and dtype == "f64":
        raise ValueError("expected f16, bf16 or f32 on cuda, but got f64; use the cpu")
    op, program = OPS[name], compile_op(name, dtype, target)
    xp = Torch() if target == "cuda" else NumPy()
    worst, at = 0.0, 0.0
    with np.errstate(all="ignore"):
        for bits in batches(xp, dtype, stride):
            x = xp.as_argument(bits, dtype)
            exact = xp.widen(x, dtype)
            got = xp.widen(program(x), dtype)
            truth = op.reference(xp, exact)
            errors = ulp_errors(xp, got, truth, dtype, op.tiny)
            most = float(errors.max())
            if most > worst:
                worst, at = most, float(exact[errors.argmax()])
    return worst, at


def print_table(figures):
    """The figures of a merged file as the table of docs/math.md."""
    columns = sorted({key for values in figures.values() for key in values})
    print("| op |", " | ".join(columns), "|")
    print("| --- " * (len(columns) + 1) + "|")
    for name in OPS:
        values = figures.get(name, {})
        cells = [f"{values[key]:.3f}" if key in values else "" for key in columns]
        print(f"| {name} |", " | ".join(cells), "|")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--target", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--dtype", action="append", choices=list(FORMATS))
    parser.add_argument("--op", action="append", choices=list(OPS))
    parser.add_argument("--stride", type=int, help="between f32; 4099, or 1 on cuda")
    parser.add_argument("--merge", type=Path, help="a JSON file to add figures to")
    parser.add_argument("--table", type=Path, help="print such a file, and no more")
    options = parser.parse_args()
    if options.table:
        print_table(json.loads(options.table.read_text()))
        return 0

    on_gpu = options.target == "cuda"
    stride = options.stride or (1 if on_gpu else 4099)
    dtypes = options.dtype or ["f16", "bf16", "f32"] + ([] if on_gpu else ["f64"])
    failed = False
    for name in options.op or OPS:
        for dtype in dtypes:
            start = time.monotonic()
            worst, at = measure(name, dtype, options.target, stride)
            bound = OPS[name].bound(dtype, options.target)
            verdict = "" if worst <= bound else f", above {bound}"
            failed |= worst > bound
            seconds = time.monotonic() - start
            print(
                f"{name:8} {dtype:4} {worst:.4f} ULP at {at!r}{verdict} ({seconds:.1f} s)",
                flush=True,
            )
            if options.merge:
                text = options.merge.read_text() if options.merge.exists() else "{}"
                figures = json.loads(text)
                figures.setdefault(name, {})[f"{options.target} {dtype}"] = worst
                options.merge.write_text(json.dumps(figures, indent=1) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
