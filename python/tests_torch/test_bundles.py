# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bundles on tensors of torch, and the server example: on a GPU if there is one, else on the CPU.

They need a C and a C++ compiler, and of Fuse nothing while they run.
"""

import ctypes
import os
import shutil
import socket
import subprocess
from pathlib import Path

import fuse_compiler as fuse
import pytest
import torch
from fuse_compiler._adapter import DTYPES, element_name
from fuse_compiler._library import DLDataType, DLDevice, DLTensor
from torch.nn import functional as F

ROOT = Path(__file__).resolve().parents[2]
CC = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang-22")
CXX = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++-22")
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
# What a loaded bundle may bring along.
LIBRARIES = ("libc.", "libm.", "libdl.", "libpthread.", "libstdc++.", "libgcc_s.")

LINEAR = """
func.func @linear(%x: tensor<?x256xbf16> {fuse.dims = ["rows"]}, %w: tensor<512x256xbf16>)
    -> tensor<?x512xbf16> {
  %p = fuse.matmul %x, %w transpose_rhs
       : tensor<?x256xbf16>, tensor<512x256xbf16> -> tensor<?x512xbf16>
  return %p : tensor<?x512xbf16>
}"""


def example(name):
    return (ROOT / "examples" / f"{name}.mlir").read_text()


def rotated(x, base=5e5):
    """Halves of heads, turned by their token's angle."""
    tokens, features = x.shape[1], x.shape[-1]
    powers = torch.arange(0, features, 2, dtype=torch.double) / features
    angles = torch.arange(tokens, dtype=torch.double)[:, None] * base**-powers
    cos, sin = (f(angles)[:, None].to(x) for f in (torch.cos, torch.sin))
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)


def llama_block(x, norm1, norm2, wq, wk, wv, wo, wgate, wup, wdown):
    """What examples/llama3_block_gqa_f16.mlir says."""
    h = F.rms_norm(x, x.shape[-1:], norm1, 1e-5)
    q, k, v = ((h @ w.T).unflatten(-1, (-1, 64)) for w in (wq, wk, wv))
    q, k, v = (y.transpose(1, 2) for y in (rotated(q), rotated(k), v))
    a = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    h = x + a.transpose(1, 2).flatten(2) @ wo.T
    n = F.rms_norm(h, h.shape[-1:], norm2, 1e-5)
    return h + (F.silu(n @ wgate.T) * (n @ wup.T)) @ wdown.T


CASES = {
    "rms_norm": (example("rms_norm"), lambda x, w: F.rms_norm(x, (4096,), w, 1e-5)),
    "softmax": (example("softmax"), lambda x: F.softmax(x, -1)),
    "layer_norm": (
        example("layer_norm"),
        lambda x, w, b: F.layer_norm(x, (4096,), w, b, 1e-5),
    ),
    "swiglu": (example("swiglu"), lambda gate, up: F.silu(gate) * up),
    "bias_gelu_residual": (
        example("bias_gelu_residual"),
        lambda x, bias, r: F.gelu(x + bias, approximate="tanh") + r,
    ),
    "linear": (LINEAR, lambda x, w: x @ w.T),
    # Tensor cores, attention, temporaries.
    "llama3_block_gqa_f16": (example("llama3_block_gqa_f16"), llama_block),
}


def chip():
    if DEVICE == "cpu":
        return "cpu"
    major, minor = torch.cuda.get_device_capability()
    return f"sm_{major}{minor}{'a' if (major, minor) == (9, 0) else ''}"


def tensor_of(x):
    kind = next(
        code for name, code in DTYPES.items() if element_name(name) == str(x.dtype)[6:]
    )
    place = DLDevice(2, x.device.index or 0) if x.is_cuda else DLDevice(1, 0)
    shape = (ctypes.c_int64 * max(x.ndim, 1))(*x.shape)
    return DLTensor(x.data_ptr(), place, x.ndim, DLDataType(*kind, 1), shape, None, 0)


def pointers(tensors):
    made = [tensor_of(x) for x in tensors]
    return (ctypes.POINTER(DLTensor) * len(made))(*map(ctypes.pointer, made))


class Bundle:
    """A bundle that is written, built and loaded."""

    def __init__(self, text, name, folder):
        fuse.write_bundle(text, folder / "bundle", [chip()])
        self.path = folder / "bundle.so"
        sources = [*(folder / "bundle").glob("*.c"), *(folder / "bundle").glob("*.o")]
        subprocess.run(
            [CC, "-std=c11", "-O1", "-shared", "-fPIC", "-I", folder / "bundle"]
            + [*sources, "-o", self.path, "-lm", "-ldl", "-pthread"],
            check=True,
        )
        self.lib = ctypes.CDLL(str(self.path))
        self.message = ctypes.create_string_buffer(512)
        self.loaded = ctypes.c_void_p()
        tables = ctypes.byref(ctypes.c_char.in_dll(self.lib, f"{name}_bundle"))
        place = str(folder / "bundle").encode()
        self._check(
            self.lib.fuse_bundle_open(
                tables, place, 0, ctypes.byref(self.loaded), self.message
            )
        )

    def _check(self, status):
        assert not status, self.message.value.decode()

    def run(self, inputs, outputs):
        stream = torch.cuda.current_stream().cuda_stream if DEVICE == "cuda" else 0
        self._check(
            self.lib.fuse_bundle_run(
                self.loaded,
                pointers(inputs),
                len(inputs),
                pointers(outputs),
                len(outputs),
                ctypes.c_void_p(stream),
                self.message,
            )
        )

    def close(self):
        self.lib.fuse_bundle_close(self.loaded)


def made(tensor, rows):
    """Elements for an input, whose dynamic dims have a size."""
    shape = [rows if isinstance(size, str) else size for size in tensor.shape]
    x = torch.randn(shape, device=DEVICE)
    # Sums of products stay small, so that no near tie of a softmax decides.
    is_weight = len(shape) == 2 and not any(isinstance(n, str) for n in tensor.shape)
    x = x * shape[-1] ** -0.5 if is_weight else x
    return x.to(getattr(torch, element_name(tensor.dtype)))


def check_near(found, eager, exact):
    """No further from f64 than twice what eager is, in the mean and at most: its operators round to
    the same type, and more often. Beside a result that eager has exactly, half a unit; in f32 some
    units, which the compiler's own functions are off (docs/math.md)."""
    unit = torch.finfo(found.dtype).eps * (8 if found.dtype == torch.float32 else 0.5)
    off, allowed = ((y.double() - exact).abs() for y in (found, eager))
    half = unit * exact.abs()
    assert off.square().mean() <= (2 * allowed + half).square().mean()
    assert off.max() <= 2 * allowed.max() + half.max()


@pytest.mark.parametrize("name", CASES)
def test_a_bundle_computes_what_torch_does(name, tmp_path):
    torch.manual_seed(0)
    text, function = CASES[name]
    program = fuse.compile(text, target=DEVICE)
    bundle = Bundle(text, program.name, tmp_path)
    for rows in (1, 129, 640):
        inputs = [made(tensor, rows) for tensor in program.inputs]
        compiled, eager = program(*inputs), function(*inputs)
        exact = function(*(x.double() for x in inputs))
        outputs = [torch.full_like(compiled, 9)]
        bundle.run(inputs, outputs)
        for ours in (*outputs, compiled):
            check_near(ours, eager, exact)
    if DEVICE == "cuda":
        check_capture(bundle, inputs, outputs)
    bundle.close()


def check_capture(bundle, inputs, outputs):
    """A call that has run on a stream is captured there, and replayed on other elements."""
    other = torch.randn_like(inputs[0])
    graph, stream = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        # Temporaries are of a stream: they must be there.
        bundle.run(inputs, outputs)
    with torch.cuda.graph(graph, stream=stream):
        bundle.run(inputs, outputs)
    inputs[0].copy_(other)
    expected = [torch.empty_like(y) for y in outputs]
    bundle.run(inputs, expected)
    for y in outputs:
        y.fill_(9)
    graph.replay()
    torch.cuda.synchronize()
    for a, b in zip(outputs, expected):
        assert torch.equal(a, b)


def test_the_server(tmp_path):
    """It answers several clients, is small, and loads of a GPU the driver alone."""
    folder = tmp_path / "bundle"
    fuse.write_bundle(example("softmax"), folder, [chip()])
    objects = []
    for source in folder.glob("*.c"):
        objects.append(source.with_suffix(".made.o"))
        subprocess.run(
            [CC, "-std=c11", "-O2", "-c", source, "-o", objects[-1]], check=True
        )
    objects += folder.glob("*.cpu.o")
    binary = tmp_path / "server"
    subprocess.run(
        [CXX, "-std=c++17", "-O2", "-I", folder]
        + [ROOT / "examples" / "server" / "main.cpp", *objects]
        + ["-o", binary, "-lm", "-ldl", "-pthread"],
        check=True,
    )
    assert binary.stat().st_size < 1 << 20
    environment = {k: v for k, v in os.environ.items() if not k.startswith("FUSE_")}
    server = subprocess.Popen(
        [binary, folder, "0"], stdout=subprocess.PIPE, text=True, env=environment
    )
    try:
        port = int(server.stdout.readline().split()[-1])
        for rows in (1, 7, 300):
            x = torch.randn(rows, 4096, device="cpu")
            torch.testing.assert_close(ask(port, x), F.softmax(x, -1))
        maps = Path(f"/proc/{server.pid}/maps").read_text()
        loaded = {Path(line.split()[-1]).name for line in maps.splitlines()}
        loaded = {name for name in loaded if ".so" in name}
        assert any(name.startswith("libcuda.so") for name in loaded) == (
            DEVICE == "cuda"
        )
        assert not [n for n in loaded if "LLVM" in n or "fuse" in n or "cudart" in n]
        if DEVICE == "cpu":
            others = [n for n in loaded if not n.startswith((*LIBRARIES, "ld-"))]
            assert not others
    finally:
        server.terminate()
        server.wait(timeout=10)


def ask(port, x):
    """The server's answer, for rows that are sent twice on one connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        answers = []
        for _ in range(2):
            sent = len(x).to_bytes(4, "little") + x.numpy().tobytes()
            client.sendall(sent)
            got = bytearray()
            while len(got) < x.nbytes:
                part = client.recv(x.nbytes - len(got))
                assert part, "the server has hung up"
                got += part
            answers.append(torch.frombuffer(got, dtype=x.dtype).view(x.shape))
    assert torch.equal(*answers)
    return answers[0]
