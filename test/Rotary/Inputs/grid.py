"""Every form of rotary embedding as a small program.

The forms are the product of the lists below. Each program has to be one kernel
with 128-bit accesses of what is rotated, and no spills, on sm_90 (`--inspect
N` looks at every N-th program; the neighbours differ in all that matters), and
is run on the CPU and on the emulated GPU against the oracle.
"""

import argparse
import concurrent.futures
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

HEAD, PARTIAL = 32, 16
PAIRS = {"full": HEAD // 2, "partial": PARTIAL // 2}
TOKENS = 13

LAYOUTS = ("interleaved", "half")
SCALINGS = {
    "plain": lambda pairs: "",
    "linear": lambda pairs: "#fuse.rope_linear<factor = 8.0>",
    "ntk": lambda pairs: "#fuse.rope_ntk<factor = 4.0>",
    "yarn": lambda pairs: ("#fuse.rope_yarn<factor = 4.0, original_max_position = 64>"),
    "llama3": lambda pairs: (
        "#fuse.rope_llama3<factor = 8.0, low_freq_factor = 1.0, "
        "high_freq_factor = 4.0, original_max_position = 512>"
    ),
    # Random lengths are below 64, so that both lists are used.
    "longrope": lambda pairs: (
        "#fuse.rope_longrope<factor = 4.0, original_max_position = 32, "
        f"short_factors = {factors(pairs, 0.01)}, "
        f"long_factors = {factors(pairs, 0.5)}>"
    ),
}
ANGLES = ("table", *SCALINGS)
EXTENTS = ("full", "partial")
POSITIONS = ("contiguous", "offset", "ids", "ragged")
PLACES = ("out", "in place")
TENSORS = ("q", "q+k", "packed", "split")
DTYPES = ("f32", "f16", "bf16")


def factors(pairs, step):
    return [1.0 + step * pair for pair in range(pairs)]


class Form:
    """One program; `number` varies what the product has no list for."""

    def __init__(self, number, choice):
        (
            self.layout,
            self.angles,
            self.extent,
            self.positions,
            self.place,
            self.tensors,
            self.dtype,
        ) = choice
        self.number = number
        self.name = "_".join(choice).replace(" ", "_").replace("+", "")
        self.order = ("tokens_heads", "heads_tokens")[number // 5 % 2]
        self.pairs = PAIRS[self.extent]
        self.arguments, self.lines = [], []

    def shape(self, heads):
        parts = ["?", str(heads)]
        if self.order == "heads_tokens":
            parts.reverse()
        return f"tensor<{'x'.join(parts)}x{HEAD}x{self.dtype}>"

    def argument(self, name, type_):
        dims = ' {fuse.dims = ["tokens"]}' if "?" in type_ else ""
        self.arguments.append(f"%{name}: {type_}{dims}")
        return f"%{name}", type_

    def clauses(self):
        """The op's text between its input and its types, and those types."""
        before, after, types = "", "", []
        if self.angles == "table":
            rows = "?" if self.positions == "contiguous" else "9"
            table = (
                f"tensor<{rows}x{self.pairs}x{('f32', self.dtype)[self.number % 2]}>"
            )
            names = [self.argument(name, table)[0] for name in ("cos", "sin")]
            before += f" tables({', '.join(names)})"
            types.append(table)
        else:
            after += " base = 1.0e4"
        number = ("i32", "i64")[self.number // 3 % 2]
        for clause, type_ in self.position_clauses(number):
            name = self.argument(clause[0], type_)[0]
            if clause == "sequences":
                name = self.cumulative(type_, name)
            before += f" {clause}({name})"
            types.append(type_)
        if self.angles == "longrope":
            name, type_ = self.argument("n", "tensor<i32>")
            before += f" length({name})"
            types.append(type_)
        if self.extent == "partial":
            after += f" dims = {PARTIAL}"
        return before, after, types

    def position_clauses(self, number):
        if self.positions == "offset":
            return [("offset", f"tensor<{number}>")]
        if self.positions == "ids":
            ids = [("positions", f"tensor<?x{number}>")]
            return ids + [("offset", "tensor<i32>")] * (self.number // 7 % 2)
        if self.positions == "ragged":
            ragged = [("sequences", f"tensor<5x{number}>")]
            offsets = ["", f"tensor<4x{number}>", f"tensor<{number}>"]
            offset = offsets[self.number // 7 % 3]
            return ragged + ([("offset", offset)] if offset else [])
        return []

    def cumulative(self, type_, name):
        """Numbers that ascend: an argument would be random."""
        self.arguments.pop()
        self.lines.append(f"{name} = fuse.constant dense<[0, 5, 5, 11, 13]> : {type_}")
        return name

    def slice(self, name, first, heads):
        """Some heads of the packed tensor."""
        offsets, sizes = [0, first, 0], [-1, heads, HEAD]
        if self.order == "heads_tokens":
            offsets, sizes = [first, 0, 0], [heads, -1, HEAD]
        self.lines.append(
            f"%{name} = fuse.slice %qkv offsets = {offsets} sizes = {sizes} : "
            f"{self.shape(8)} -> {self.shape(heads)}"
        )
        return f"%{name}", self.shape(heads), ""

    def rotate(self, name, heads, rotated, clauses):
        before, after, types = clauses
        type_ = self.shape(heads)
        is_slice = self.tensors == "split"
        source = f"%{name}" if is_slice else self.argument(name, type_)[0]
        if rotated != heads:
            after += f" heads = {rotated}"
        scaling = SCALINGS[self.angles](self.pairs) if self.angles != "table" else ""
        if scaling:
            after += f" scaling({scaling})"
        if self.number // 11 % 4 == 0:
            after += " inverse"
        self.lines.append(
            f"{source}r = fuse.rotary {self.layout} {self.order} {source}"
            f"{before}{after} : {', '.join([type_, *types])}"
        )
        # A slice has no buffer of its own.
        in_place = self.place != "out" and not is_slice
        attribute = f' {{fuse.in_place = "{name}"}}' if in_place else ""
        return f"{source}r", type_, attribute

    def text(self):
        clauses = self.clauses()
        if self.tensors == "packed":
            results = [self.rotate("qkv", 8, 6, clauses)]
        elif self.tensors == "split":
            self.argument("qkv", self.shape(8))
            self.slice("q", 0, 4)
            self.slice("k", 4, 2)
            results = [self.rotate("q", 4, 4, clauses), self.rotate("k", 2, 2, clauses)]
            results.append(self.slice("v", 6, 2))
        else:
            results = [self.rotate("q", 4, 4, clauses)]
        if self.tensors == "q+k":
            keys = 1 + self.number % 2
            results.append(self.rotate("k", keys, keys, clauses))
        lines = "".join(f"  {line}\n" for line in self.lines)
        return (
            f"// --dim tokens={TOKENS}\n// --seed {self.number}\n"
            "// --check fused,emulated\n"
            f"func.func @rope({', '.join(self.arguments)})\n"
            f"    -> ({', '.join(type_ + attribute for _, type_, attribute in results)})"
            f" {{\n{lines}"
            f"  return {', '.join(name for name, *_ in results)} : "
            f"{', '.join(type_ for _, type_, _ in results)}\n}}\n"
        )


def all_forms():
    lists = (LAYOUTS, ANGLES, EXTENTS, POSITIONS, PLACES, TENSORS, DTYPES)
    for number, choice in enumerate(itertools.product(*lists)):
        yield Form(number, choice)


def run(*command):
    return subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def check_results(paths):
    """What is wrong; nothing where every program agrees with the oracle."""
    output = run("fuse-crosscheck", *map(str, paths)).stdout.splitlines()
    wrong = [line for line in output if not line.startswith("right ")]
    missing = len(paths) - (len(output) - len(wrong))
    return wrong or ([f"{missing} programs without a verdict"] if missing else [])


def check_code(path):
    output = run("fuse", "inspect", str(path), "--chip=sm_90", "--json")
    if output.returncode != 0:
        return [f"{path}: {output.stdout}"]
    kernels = json.loads(output.stdout)["kernels"]
    if len(kernels) != 1:
        return [f"{path}: expected one kernel, but got {len(kernels)}"]
    # Without an assembler there is only PTX, which cannot spill.
    resources = kernels[0].get("ptxas")
    if resources and resources["spill_bytes"] != 0:
        return [f"{path}: expected no spills, but got {resources}"]
    wide = run("fuse", "inspect", str(path), "--chip=sm_90", "--expect-bits=128")
    return [f"{path}: {wide.stdout}"] if wide.returncode != 0 else []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--run", type=int, default=1, help="every N-th program")
    parser.add_argument("--inspect", type=int, default=1, help="every N-th program")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for form in all_forms():
        paths.append(arguments.folder / f"{form.name}.mlir")
        paths[-1].write_text(form.text())

    ran, inspected = paths[:: arguments.run], paths[:: arguments.inspect]
    threads = os.cpu_count() or 1
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        chunks = [ran[start::threads] for start in range(threads)]
        wrong = [*pool.map(check_results, chunks), *pool.map(check_code, inspected)]
    wrong = list(itertools.chain.from_iterable(wrong))
    print(*wrong, sep="\n")
    print(f"{len(ran)} run, {len(inspected)} inspected, {len(wrong)} wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
