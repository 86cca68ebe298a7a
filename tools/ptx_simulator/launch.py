# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A whole program of static shapes: what `fuse inspect --emit=gpu` says of its launches,
and the kernels of `--emit=ptx`."""

import math
import re
from dataclasses import dataclass, field

import numpy as np

from . import registers, text
from .machine import Machine
from .memory import GlobalMemory
from .tensor import TensorMap
from .text import PtxError

#: As NumPy keeps them; bf16 as bit patterns.
DTYPES = {
    "f32": np.float32, "f16": np.float16, "bf16": np.uint16, "f64": np.float64, "i32": np.int32,
    "i64": np.int64, "i8": np.int8, "i1": np.bool_, "f8E4M3FN": np.uint8, "f8E5M2": np.uint8,
}  # fmt: skip


@dataclass
class Tensor:
    shape: tuple
    dtype: str

    @staticmethod
    def parse(name):
        match = re.fullmatch(r"tensor<((?:\d+x)*)(\w+)>", name)
        if not match:
            raise PtxError(f"expected a tensor of static shape, but got {name}")
        dims = tuple(int(x) for x in match.group(1).split("x") if x)
        return Tensor(dims, match.group(2))

    @property
    def bytes(self):
        return math.prod(self.shape) * np.dtype(DTYPES[self.dtype]).itemsize


@dataclass
class Launch:
    results: list
    kernel: str
    grid: int
    threads: int
    inputs: list
    sizes: list
    map_dims: list
    types: list
    attributes: str
    #: (operand, box)
    maps: list = field(default_factory=list)

    def number(self, name, default):
        match = re.search(rf"\b{name} = (\d+) : i64", self.attributes)
        return int(match.group(1)) if match else default


_LAUNCH = re.compile(
    r"(?:(%[\w:]+) = )?fuse\.launch @\w+::@(\w+) blocks\((%\w+)\) threads\((\d+)\) "
    r"ins\(([^:)]*)(?: : [^)]*)?\)(?: sizes\(([^)]*)\))?(?: result_dims\([^)]*\))?"
    r"(?: map_dims\(([^)]*)\))?(?: -> (.*?))?(?: \{(.*)\})?$"
)


def _names(text_):
    return [x.strip() for x in (text_ or "").split(",") if x.strip()]


class Program:
    def __init__(self, gpu, ptx):
        self.kernels, self.variables = text.parse(ptx)
        header = re.search(r"func\.func @\w+\((.*?)\)(?: -> .*)? \{$", gpu, re.M)
        self.inputs = re.findall(r"(%arg\d+): (tensor<[^>]*>)", header.group(1))
        self.inputs = [(name, Tensor.parse(kind)) for name, kind in self.inputs]
        self.constants, self.launches, self.returned = {}, [], []
        host = gpu[header.end() : gpu.index("gpu.module", header.end())]
        for line in host.splitlines():
            self._read(line.strip())

    def _read(self, line):
        constant = re.match(r"(%\w+) = arith\.constant (-?\d+) : index", line)
        if constant:
            self.constants[constant.group(1)] = int(constant.group(2))
        elif "fuse.launch" in line:
            self._read_launch(line)
        elif line.startswith("return"):
            self.returned = _names(line.removeprefix("return").split(":")[0])
        elif line not in ("", "}"):
            raise PtxError(f"expected constants and launches, but got '{line}'")

    def _read_launch(self, line):
        match = _LAUNCH.match(line)
        if not match:
            raise PtxError(f"expected a launch, but got '{line}'")
        name, kernel, blocks, threads, inputs, sizes, dims, types, attributes = (
            match.groups()
        )
        kinds = [Tensor.parse(x) for x in re.findall(r"tensor<[^>]*>", types or "")]
        base, _, count = (name or "").partition(":")
        results = [f"{base}#{i}" for i in range(int(count))] if count else [base]
        numbers = [[self.constants[x] for x in _names(each)] for each in (sizes, dims)]
        launch = Launch(
            results[: len(kinds)], kernel, self.constants[blocks], int(threads), _names(inputs),
            *numbers, kinds, attributes or "",
        )  # fmt: skip
        for operand, box in re.findall(
            r"tensor_map<operand = (\d+), box = \[([^\]]*)\]", line
        ):
            launch.maps.append((int(operand), [int(x) for x in box.split(",")]))
        self.launches.append(launch)

    def run(self, arrays, timing="late", seed=0):
        """The results, for NumPy arrays of the inputs; bf16 as f32, rounded on the way."""
        memory, places = GlobalMemory(), {}
        for (name, tensor), array in zip(self.inputs, arrays, strict=True):
            raw = _encode(np.asarray(array).reshape(tensor.shape), tensor.dtype)
            places[name] = (tensor, raw, memory.add(f"input {name}", raw, False))
        for launch in self.launches:
            self._run(launch, memory, places, timing, seed)
        return [_decode(places[name][1], places[name][0]) for name in self.returned]

    def _run(self, launch, memory, places, timing, seed):
        for name, tensor in zip(launch.results, launch.types, strict=True):
            # What nobody writes is a NaN.
            raw = np.full(tensor.bytes, 0xFF, np.uint8)
            places[name] = (tensor, raw, memory.add(f"result {name}", raw, True))
        operands = [*launch.inputs, *launch.results]
        arguments = [places[name][2] for name in operands] + launch.sizes
        dims = list(launch.map_dims)
        for operand, box in launch.maps:
            tensor, _, address = places[operands[operand]]
            size = np.dtype(DTYPES[tensor.dtype]).itemsize
            sizes = [dims.pop(0) for _ in box]
            strides = [size] + [dims.pop(0) * size for _ in box[1:]]
            arguments.append(TensorMap(address, size, sizes, strides, box))
        machine = Machine(
            self.kernels[launch.kernel], self.variables, memory, timing, seed
        )
        machine.launch(
            launch.grid, launch.threads, arguments, launch.number("shared_bytes", 0),
            launch.number("cluster", 1),
        )  # fmt: skip


def _encode(array, dtype):
    if dtype == "bf16":
        array = registers.bfloat_of(np.asarray(array, np.float32))
    return np.ascontiguousarray(array, DTYPES[dtype]).reshape(-1).view(np.uint8).copy()


def _decode(raw, tensor):
    array = raw.view(DTYPES[tensor.dtype]).reshape(tensor.shape)
    return registers.from_bfloat(array) if tensor.dtype == "bf16" else array
