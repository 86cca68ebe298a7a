#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long programs of many ops take to compile, and how that grows.

measure_compile_time.py [--fuse build/bin/fuse] [--chip sm_90] [--json FILE]

Times are what the processors worked for the process, the least of some runs, less that of a program
of one op: other work on the machine changes them little. Without disk cache, and to PTX with ptxas
where one is installed.
"""

import argparse
import json
import resource
import subprocess
import tempfile
from pathlib import Path

T = "tensor<4096x1024xf32>"


def function(name, arguments, body, results, types):
    return (
        f"func.func @{name}({', '.join(f'{a}: {t}' for a, t in arguments)}) -> ({', '.join(types)}) {{\n"
        + "\n".join(body)
        + f"\n  return {', '.join(results)} : {', '.join(types)}\n}}\n"
    )


def chain(count):
    """Pointwise ops, one after the other."""
    body = [
        f"  %v{i + 1} = fuse.{('exp', 'neg', 'abs', 'sqrt')[i % 4]} %v{i} : {T}"
        for i in range(count)
    ]
    return function("chain", [("%v0", T)], body, [f"%v{count}"], [T])


def norms(count):
    """Norms of rows and what stands between them: five ops of the text each."""
    row = "tensor<1024xf32>"
    body, last = [], "%v0"
    for i in range(count // 5):
        body += [
            f"  %a{i} = fuse.rms_norm {last}, %w eps = 1.0e-5 : {T}, {row}",
            f"  %b{i} = fuse.silu %a{i} : {T}",
            f"  %c{i} = fuse.mul %b{i}, %a{i} : {T}",
            f"  %d{i} = fuse.add %c{i}, {last} : {T}",
            f"  %e{i} = fuse.softmax %d{i} dims = [1] : {T}",
        ]
        last = f"%e{i}"
    return function("norms", [("%v0", T), ("%w", row)], body, [last], [T])


def siblings(count):
    """Ops of tensors that have nothing to do with each other, four a tensor."""
    arguments, body, results = [], [], []
    for i in range(count // 4):
        arguments.append((f"%x{i}", T))
        body += [
            f"  %{n}{i} = fuse.{op} %{o}{i} : {T}"
            for n, op, o in (
                ("a", "exp", "x"),
                ("b", "neg", "a"),
                ("c", "abs", "b"),
                ("y", "sqrt", "c"),
            )
        ]
        results.append(f"%y{i}")
    return function("siblings", arguments, body, results, [T] * len(results))


def adam(tensors):
    """A step of Adam for each of so many tensors, 14 ops each."""
    t, s = "tensor<1024x1024xf32>", "tensor<f32>"
    arguments, results = [], []
    body = [
        f"  %c{name} = fuse.constant dense<{value}> : {s}"
        for name, value in (
            ("b1", "0.9"),
            ("n1", "0.1"),
            ("b2", "0.999"),
            ("n2", "0.001"),
            ("eps", "1.0e-8"),
            ("lr", "0.001"),
        )
    ]
    for i in range(tensors):
        arguments += [(f"%{n}{i}", t) for n in "pgmv"]

        def op(name, kind, a, b, i=i):
            kinds = f"{t}, {s} -> {t}" if b.startswith("%c") else t
            body.append(f"  %{name}_{i} = fuse.{kind} {a}, {b} : {kinds}")

        op("m1", "mul", f"%m{i}", "%cb1")
        op("g1", "mul", f"%g{i}", "%cn1")
        op("mm", "add", f"%m1_{i}", f"%g1_{i}")
        op("gg", "mul", f"%g{i}", f"%g{i}")
        op("v1", "mul", f"%v{i}", "%cb2")
        op("g2", "mul", f"%gg_{i}", "%cn2")
        op("vv", "add", f"%v1_{i}", f"%g2_{i}")
        body.append(f"  %r_{i} = fuse.sqrt %vv_{i} : {t}")
        op("d", "add", f"%r_{i}", "%ceps")
        op("q", "div", f"%mm_{i}", f"%d_{i}")
        op("u", "mul", f"%q_{i}", "%clr")
        op("pp", "sub", f"%p{i}", f"%u_{i}")
        results += [f"%pp_{i}", f"%mm_{i}", f"%vv_{i}"]
    return function("adam", arguments, body, results, [t] * len(results))


def layers(count):
    """Layers of a LLaMA of small size, 22 lines each."""
    width, hidden, heads = 512, 1376, 8
    x = f"tensor<1x?x{width}xbf16>"
    wide = f"tensor<1x?x{hidden}xbf16>"
    split = f"tensor<1x?x{heads}x{width // heads}xbf16>"
    arguments = [("%x", x)]
    body = ["  %c1 = arith.constant 1 : index", f"  %t = tensor.dim %x, %c1 : {x}"]
    last = "%x"

    def norm(name, value):
        arguments.append((f"%w{name}", f"tensor<{width}xbf16>"))
        body.append(
            f"  %{name} = fuse.rms_norm {value}, %w{name} eps = 1.0e-5 : {x}, tensor<{width}xbf16>"
        )

    def matmul(name, value, n=width, k=width):
        weight = f"tensor<{k}x{n}xbf16>"
        arguments.append((f"%w{name}", weight))
        body.append(
            f"  %{name} = fuse.matmul {value}, %w{name} : tensor<1x?x{k}xbf16>, {weight}"
            f" -> tensor<1x?x{n}xbf16>"
        )

    for i in range(count // 22):
        norm(f"a_{i}", last)
        for name in ("q", "k", "v"):
            matmul(f"{name}_{i}", f"%a_{i}")
            body.append(
                f"  %{name}h_{i} = tensor.expand_shape %{name}_{i} [[0], [1], [2, 3]]"
                f" output_shape [1, %t, {heads}, {width // heads}] : {x} into {split}"
            )
        for name in ("q", "k"):
            body.append(
                f"  %{name}r_{i} = fuse.rotary half tokens_heads %{name}h_{i} base = 5.0e5 : {split}"
            )
        body += [
            f"  %s_{i} = fuse.attention tokens_heads causal %qr_{i}, %kr_{i}, %vh_{i}"
            f" : {split}, {split}, {split}",
            f"  %f_{i} = tensor.collapse_shape %s_{i} [[0], [1], [2, 3]] : {split} into {x}",
        ]
        matmul(f"o_{i}", f"%f_{i}")
        body.append(f"  %m_{i} = fuse.add {last}, %o_{i} : {x}")
        norm(f"b_{i}", f"%m_{i}")
        matmul(f"g_{i}", f"%b_{i}", n=hidden)
        matmul(f"u_{i}", f"%b_{i}", n=hidden)
        body += [
            f"  %e_{i} = fuse.silu %g_{i} : {wide}",
            f"  %p_{i} = fuse.mul %e_{i}, %u_{i} : {wide}",
        ]
        matmul(f"d_{i}", f"%p_{i}", k=hidden)
        body.append(f"  %y_{i} = fuse.add %m_{i}, %d_{i} : {x}")
        last = f"%y_{i}"
    return function("layers", arguments, body, [last], [x])


PROGRAMS = [
    ("layers", layers, (176, 352, 704)),
    ("chain", chain, (250, 500, 1000)),
    ("norms", norms, (250, 500, 1000)),
    ("siblings", siblings, (250, 500, 1000)),
    ("adam", adam, (16, 32, 64)),
]


def seconds(fuse, chip, text, emit, runs=3):
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        command = [
            fuse,
            "inspect",
            file.name,
            "--chip",
            chip,
            f"--emit={emit}",
            "--no-cache",
        ]
        times = []
        for _ in range(runs):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(
                after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            )
    return min(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--fuse", default=str(Path(__file__).parents[2] / "build/bin/fuse")
    )
    parser.add_argument("--chip", default="sm_90")
    parser.add_argument("--json")
    options = parser.parse_args()
    rows = []
    for emit in ("gpu", "ptx"):
        least = seconds(options.fuse, options.chip, chain(1), emit)
        for name, program, counts in PROGRAMS:
            for count in counts:
                taken = (
                    seconds(options.fuse, options.chip, program(count), emit) - least
                )
                rows.append(
                    {
                        "program": name,
                        "count": count,
                        "to": emit,
                        "seconds": round(taken, 3),
                    }
                )
                print(
                    f"{name:10} {count:5} to {emit}: {taken * 1e3:8.0f} ms", flush=True
                )
    if options.json:
        Path(options.json).write_text(
            json.dumps({"chip": options.chip, "rows": rows}, indent=1) + "\n"
        )


if __name__ == "__main__":
    main()
