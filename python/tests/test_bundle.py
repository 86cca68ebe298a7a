# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`fuse compile`: bundles that run without a compiler.

On the CPU they run; for GPUs a driver that launches nothing says what they ask for.
"""

import ctypes
import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import fuse_compiler as fuse
import numpy
import pytest
from fuse_compiler._library import DLDataType, DLDevice, DLTensor

ROOT = Path(__file__).resolve().parents[2]
FUSE = Path(os.environ["FUSE_LIBRARY"]).absolute().parents[1] / "bin" / "fuse"
CC = shutil.which("cc") or shutil.which("clang-22")
CXX = shutil.which("c++") or shutil.which("clang++-22")

# Several kernels with a temporary, a constant, a size that is computed, an output that may
# be an input's memory.
PROGRAM = """
func.func @several(%x: tensor<?x48xf32> {fuse.dims = ["rows"]}, %w: tensor<48xf32>)
    -> (tensor<?x48xf32>, tensor<48xf32>, tensor<f32>) {
  %c = fuse.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %m = fuse.reduce sum %c dims = [0] : tensor<4xf32> -> tensor<f32>
  %n = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x48xf32>, tensor<48xf32>
  %y = fuse.mul %n, %m : tensor<?x48xf32>, tensor<f32>
  %s = fuse.reduce sum %y dims = [0] : tensor<?x48xf32> -> tensor<48xf32>
  %t = fuse.reduce mean %y dims = [0, 1] : tensor<?x48xf32> -> tensor<f32>
  return %y, %s, %t : tensor<?x48xf32>, tensor<48xf32>, tensor<f32>
}"""
LINEAR = """
func.func @linear(%x: tensor<?x256xbf16> {fuse.dims = ["rows"]}, %w: tensor<512x256xbf16>)
    -> tensor<?x512xbf16> {
  %p = fuse.matmul %x, %w transpose_rhs
       : tensor<?x256xbf16>, tensor<512x256xbf16> -> tensor<?x512xbf16>
  return %p : tensor<?x512xbf16>
}"""


def compile_bundle(folder, text, *options):
    """The files of a bundle, by `fuse compile`."""
    source = folder / "program.mlir"
    source.write_text(text)
    done = subprocess.run(
        [FUSE, "compile", source, "-o", folder / "bundle", *options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {Path(line).name for line in done.stdout.splitlines()}


def build(folder):
    """The bundle as a shared library, and its runtime's functions."""
    bundle = folder / "bundle"
    subprocess.run(
        [CC, "-std=c11", "-Wall", "-Werror", "-O1", "-shared", "-fPIC", "-I", bundle]
        + sorted(map(str, [*bundle.glob("*.c"), *bundle.glob("*.o")]))
        + ["-o", folder / "bundle.so", "-lm", "-ldl", "-pthread"],
        check=True,
    )
    return folder / "bundle.so"


def view(array):
    types = {
        "float32": (2, 32),
        "uint16": (4, 16),
        "int32": (0, 32),
        "int64": (0, 64),
    }
    return DLTensor(
        array.ctypes.data,
        DLDevice(1, 0),
        array.ndim,
        DLDataType(*types[str(array.dtype)], 1),
        (ctypes.c_int64 * max(array.ndim, 1))(*array.shape),
        (ctypes.c_int64 * max(array.ndim, 1))(
            *(s // array.itemsize for s in array.strides)
        ),
        0,
    )


class Bundle:
    """A bundle through ctypes; a message that comes back is an Error."""

    def __init__(self, library, name, folder):
        self.lib = ctypes.CDLL(str(library))
        self.message = ctypes.create_string_buffer(512)
        self.loaded = ctypes.c_void_p()
        tables = ctypes.byref(ctypes.c_char.in_dll(self.lib, f"{name}_bundle"))
        self.check(
            self.lib.fuse_bundle_open(
                tables,
                str(folder).encode(),
                0,
                ctypes.byref(self.loaded),
                self.message,
            )
        )

    def check(self, status):
        if status:
            raise fuse.Error(self.message.value.decode())

    def shapes(self, inputs, count):
        dims = (ctypes.c_int64 * count)()
        tensors, pointers = self._pointers(inputs)
        self.check(
            self.lib.fuse_bundle_shapes(
                self.loaded, pointers, len(inputs), dims, self.message
            )
        )
        return list(dims)

    def run(self, inputs, outputs, device=1):
        a, inputs_at = self._pointers(inputs, device)
        b, outputs_at = self._pointers(outputs, device)
        self.check(
            self.lib.fuse_bundle_run(
                self.loaded,
                inputs_at,
                len(inputs),
                outputs_at,
                len(outputs),
                ctypes.c_void_p(7),
                self.message,
            )
        )

    def close(self):
        self.lib.fuse_bundle_close(self.loaded)

    @staticmethod
    def _pointers(arrays, device=1):
        tensors = [view(a) if a is not None else None for a in arrays]
        for tensor in tensors:
            if tensor is not None:
                tensor.device.device_type = device
        pointers = (ctypes.POINTER(DLTensor) * len(tensors))(
            *(t if t is None else ctypes.pointer(t) for t in tensors)
        )
        return tensors, pointers


@pytest.fixture(name="several", scope="module")
def fixture_several(tmp_path_factory):
    folder = tmp_path_factory.mktemp("several")
    files = compile_bundle(folder, PROGRAM, "--target", "cpu")
    assert files == {
        "several.c",
        "several.h",
        "several.json",
        "several.cpu.o",
        "fuse_bundle.c",
        "fuse_bundle.h",
        "DLPack.h",
        "CMakeLists.txt",
    }
    bundle = Bundle(build(folder), "several", folder / "bundle")
    yield bundle
    bundle.close()


def expected(x, w):
    n = x / numpy.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * w * 10
    return n, n.sum(0), n.mean()


@pytest.mark.parametrize("rows", [0, 1, 5, 300])
def test_it_computes_what_the_program_does(several, rows):
    rng = numpy.random.default_rng(rows)
    x, w = (rng.standard_normal(s).astype("f") for s in ((rows, 48), (48,)))
    outputs = [numpy.full(s, 9, "f") for s in ((rows, 48), (48,), ())]
    assert several.shapes([x, w], 3) == [rows, 48, 48]
    several.run([x, w], outputs)
    for ours, theirs in zip(outputs, expected(x, w) if rows else []):
        numpy.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-5)


def test_threads_of_the_caller_share_the_blocks(several):
    parts = []
    signature = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)

    def parallel_for(blocks, body, context):
        body = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)(
            body
        )
        for first in range(blocks):
            parts.append(first)
            body(context, first, first + 1)

    callback = signature(parallel_for)
    several.lib.fuse_bundle_set_parallel_for(callback)
    test_it_computes_what_the_program_does(several, 300)
    several.lib.fuse_bundle_set_parallel_for(None)
    assert len(parts) > 1


def test_what_a_call_refuses(several):
    x, w = numpy.ones((3, 48), "f"), numpy.ones(48, "f")
    outputs = [numpy.empty(s, "f") for s in ((3, 48), (48,), ())]

    def refused(inputs, outputs, message):
        with pytest.raises(fuse.Error, match=message):
            several.run(inputs, outputs)

    refused([x], outputs, "expected 2 inputs of 'several', but got 1")
    refused([x, w], outputs[:2], "expected 3 outputs of 'several', but got 2")
    refused([x, None], outputs, "expected 'w' to be a tensor, but got NULL")
    refused([x.astype("i4"), w], outputs, "expected 'x' to be float32, but got int32")
    refused([x[0], w], outputs, "expected 'x' to have rank 2, but got 1")
    refused([x[:, :40], w], outputs, "expected 'x' to be contiguous")
    refused([x[:, :40].copy(), w], outputs, "dimension 1 of 'x' to be 48, but got 40")
    refused([x, w], [outputs[0][:2], *outputs[1:]], "to be 3, but got 2")
    refused([x, w], [outputs[0], w, outputs[2]], "not to overlap input 'w'")
    refused([x, w], [outputs[0], outputs[0].reshape(-1)[:48], outputs[2]], "overlap")


NUMBERS = """
func.func @numbers(%x: tensor<?x64xf32> {fuse.dims = ["n"]}, %rate: tensor<f32> {fuse.scalar},
                   %first: tensor<i64> {fuse.scalar}) -> tensor<4x64xf32> {
  %y = fuse.mul %x, %rate : tensor<?x64xf32>, tensor<f32> -> tensor<?x64xf32>
  %z = fuse.dynamic_slice %y, %first dim = 0 size = 4
       : tensor<?x64xf32>, tensor<i64> -> tensor<4x64xf32>
  return %z : tensor<4x64xf32>
}"""


def test_numbers_are_passed_by_value(tmp_path):
    compile_bundle(tmp_path, NUMBERS, "--target", "cpu")
    header = (tmp_path / "bundle" / "numbers.h").read_text()
    assert "rate: f32, a number by value: fuse_bundle_number()" in header
    bundle = Bundle(build(tmp_path), "numbers", tmp_path / "bundle")
    x = numpy.arange(8 * 64, dtype="f").reshape(8, 64)
    z = numpy.empty((4, 64), "f")
    for rate, first in ((0.5, 0), (-3.0, 4)):
        numbers = [numpy.array(rate, "f"), numpy.array(first, "i8")]
        bundle.run([x, *numbers], [z])
        numpy.testing.assert_array_equal(z, x[first : first + 4] * numpy.float32(rate))
    with pytest.raises(fuse.Error, match="expected 'first' to be int64, but got int32"):
        bundle.run([x, numbers[0], numpy.array(1, "i4")], [z])
    with pytest.raises(
        fuse.Error, match="expected 'rate' to be a tensor, but got NULL"
    ):
        bundle.run([x, None, numbers[1]], [z])
    with pytest.raises(fuse.Error, match="expected 'rate' to have rank 0, but got 1"):
        bundle.run([x, numpy.ones(1, "f"), numbers[1]], [z])
    bundle.close()


def test_a_caller_in_c_passes_numbers(tmp_path):
    compile_bundle(tmp_path, NUMBERS, "--target", "cpu")
    bundle = tmp_path / "bundle"
    (tmp_path / "main.c").write_text("""
#include "numbers.h"
#include <stdio.h>
int main(int count, char **arguments) {
  float x[5 * 64], z[4 * 64], rate = 2;
  int64_t first = 1, shape[] = {5, 64}, small[] = {4, 64};
  for (int i = 0; i < 5 * 64; ++i)
    x[i] = i;
  DLDataType f32 = {kDLFloat, 32, 1}, i64 = {kDLInt, 64, 1};
  DLTensor in = {x, {kDLCPU, 0}, 2, f32, shape, NULL, 0};
  DLTensor out = {z, {kDLCPU, 0}, 2, f32, small, NULL, 0};
  DLTensor a = fuse_bundle_number(&rate, f32), b = fuse_bundle_number(&first, i64);
  const DLTensor *inputs[] = {&in, &a, &b}, *outputs[] = {&out};
  char message[FUSE_BUNDLE_MESSAGE];
  FuseLoaded *program;
  if (fuse_bundle_open(&numbers_bundle, arguments[1], 0, &program, message) ||
      fuse_bundle_run(program, inputs, 3, outputs, 1, NULL, message))
    return puts(message);
  printf("%g %g\\n", z[0], z[4 * 64 - 1]);
  fuse_bundle_close(program);
  return count != 2;
}
""")
    subprocess.run(
        [CC, "-std=c11", "-Wall", "-Werror", "-I", bundle, tmp_path / "main.c"]
        + sorted(map(str, [*bundle.glob("*.c"), *bundle.glob("*.o")]))
        + ["-o", tmp_path / "main", "-lm", "-ldl", "-pthread"],
        check=True,
    )
    done = subprocess.run(
        [tmp_path / "main", bundle], check=True, capture_output=True, text=True
    )
    assert done.stdout == "128 638\n"


def test_a_project_builds_with_cmake_and_cxx(tmp_path):
    compile_bundle(tmp_path, PROGRAM, "--target", "cpu")
    (tmp_path / "main.cpp").write_text(
        '#include "several.h"\n#include <cstdio>\n'
        "int main(int, char **argv) {\n"
        "  FuseLoaded *loaded; char message[FUSE_BUNDLE_MESSAGE];\n"
        "  if (fuse_bundle_open(&several_bundle, argv[1], 0, &loaded, message))\n"
        "    return std::puts(message), 1;\n"
        "  fuse_bundle_close(loaded);\n  return 0;\n}\n"
    )
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(p LANGUAGES C CXX)\n"
        "add_subdirectory(bundle several_bundle)\nadd_executable(p main.cpp)\n"
        "target_link_libraries(p PRIVATE several_bundle)\n"
    )
    subprocess.run(
        ["cmake", "-S", tmp_path, "-B", tmp_path / "b"], check=True, capture_output=True
    )
    subprocess.run(
        ["cmake", "--build", tmp_path / "b"], check=True, capture_output=True
    )
    subprocess.run([tmp_path / "b" / "p", tmp_path / "bundle"], check=True)


def test_of_gpus_there_is_code_for_each_chip(tmp_path):
    files = compile_bundle(tmp_path, LINEAR, "--chip", "sm_80,sm_90a")
    code = {f for f in files if f.endswith((".cubin", ".ptx"))}
    stems = {f.rpartition(".")[0] for f in code}
    assert stems == {
        f"linear.{chip}{kind}"
        for chip in ("sm_80", "sm_90a")
        for kind in ("", ".general")
    }
    report = json.loads((tmp_path / "bundle" / "linear.json").read_text())
    assert set(report) == {"sm_80", "sm_90a"}
    assert "#fuse.mma" in report["sm_90a"]["kernels"][0]["schedule"]
    for name in code:
        bytes_ = (tmp_path / "bundle" / name).read_bytes()
        assert bytes_.startswith(b"\x7fELF" if name.endswith("cubin") else b"//")


_SCRIPT = """
import sys; sys.path.insert(0, {tests!r})
import numpy, test_bundle as t
b = t.Bundle({library!r}, "linear", {folder!r})
memory = numpy.zeros(1 << 20, numpy.uint16)
start = (-memory.ctypes.data % 256) // 2
def at(offset, *shape):
    return memory[start + offset:][:int(numpy.prod(shape))].reshape(shape)
for rows, offset in {calls!r}:
    print("call", rows, offset, file=open({log!r}, "a"), flush=True)
    b.run([at(offset, rows, 256), at(200000, 512, 256)], [at(400000, rows, 512)], device=2)
b.close()
{after}
"""


def run_with_driver(folder, calls, capability="90", after="", **environment):
    """The lines that a driver logs which launches nothing."""
    log = folder / "log"
    log.write_text("")
    subprocess.run(
        [CC, "-shared", "-fPIC", "-o", folder / "libcuda.so.1"]
        + [Path(__file__).with_name("fake_cuda.c")],
        check=True,
    )
    script = _SCRIPT.format(
        tests=str(Path(__file__).parent),
        library=str(build(folder)),
        folder=str(folder / "bundle"),
        calls=calls,
        after=after,
        log=str(log),
    )
    environment = {
        **os.environ,
        "LD_LIBRARY_PATH": str(folder),
        "FAKE_CUDA_LOG": str(log),
        "FAKE_CUDA_CAPABILITY": capability,
        "PYTHONPATH": os.pathsep.join([str(ROOT / "python"), *sys.path]),
        **environment,
    }
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return log.read_text().splitlines(), done


def test_a_driver_is_asked_for_launches(tmp_path):
    compile_bundle(tmp_path, LINEAR, "--chip", "sm_80,sm_90a")
    lines, done = run_with_driver(tmp_path, [(128, 0), (128, 0), (64, 1), (0, 0)])
    assert done.returncode == 0, done.stderr
    kernels = fuse.inspect(LINEAR, chip="sm_90a").kernels
    calls = "\n".join(lines).split("call ")[1:]
    # The code is loaded once; tensor maps are of each call.
    assert calls[0].count("load ") == 1 and calls[1].count("load ") == 0
    for call in calls[:2]:
        assert call.count("launch ") == len(kernels)
        assert call.count("map type 1 256 128") == 1 and " stream 7 " in call
    # What is not aligned takes other code, without tensor maps.
    assert calls[2].count("load ") == 1 and "map type" not in calls[2]
    assert "launch" in calls[2] and "launch" not in calls[3]
    assert lines[-1] == "release 0"
    assert sum(x.startswith("alloc") for x in lines) == lines.count("free")


def test_a_graph_keeps_the_program_that_it_recorded(tmp_path):
    compile_bundle(tmp_path, LINEAR, "--chip", "sm_90a")
    after = """
import ctypes
assert ctypes.CDLL("libcuda.so.1").fakeDestroyGraph() == 2
t.Bundle({library!r}, "linear", {folder!r}).close()
""".format(library=str(tmp_path / "bundle.so"), folder=str(tmp_path / "bundle"))
    calls = [(128, 0), (128, 0)]
    lines, done = run_with_driver(tmp_path, calls, after=after, FAKE_CUDA_CAPTURES="1")
    assert done.returncode == 0, done.stderr
    # Closed before the graph ends, freed by the first call after it.
    end = lines.index("graph destroyed")
    assert not {"free", "unload", "release 0"} & set(lines[:end])
    assert lines[end:].count("unload") == 1 and lines[end:].count("release 0") == 2
    assert sum(x.startswith("alloc") for x in lines) == lines.count("free")


def test_the_chip_decides(tmp_path):
    compile_bundle(tmp_path, LINEAR, "--chip", "sm_80,sm_90a")
    for capability, has_maps in (("80", False), ("89", False), ("90", True)):
        lines, done = run_with_driver(tmp_path, [(128, 0)], capability)
        assert done.returncode == 0, done.stderr
        assert any(x.startswith("map") for x in lines) == has_maps
    lines, done = run_with_driver(tmp_path, [(128, 0)], "75")
    assert "expected 'linear' to have code for sm_75, but it has none" in done.stderr


def test_what_a_driver_refuses(tmp_path):
    compile_bundle(tmp_path, LINEAR, "--chip", "sm_90a")
    _, done = run_with_driver(tmp_path, [(128, 0)], FAKE_CUDA_REFUSES="700")
    assert "error 700: as the test wants" in done.stderr
    for path in (tmp_path / "bundle").glob("linear.sm_90a.*"):
        path.unlink()
    _, done = run_with_driver(tmp_path, [(128, 0)])
    assert (
        "expected to read" in done.stderr and "pass the bundle's folder" in done.stderr
    )


@pytest.mark.parametrize(
    "options, message",
    [
        ((), "expected the chips to compile for, but got none; pass --chip"),
        (("--chip", "sm_90x"), "sm_90x"),
        (("--target", "emu"), "expected the chips to compile for"),
    ],
)
def test_what_compile_refuses(tmp_path, options, message):
    source = tmp_path / "program.mlir"
    source.write_text(LINEAR)
    done = subprocess.run(
        [FUSE, "compile", source, "-o", tmp_path / "bundle", *options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1 and message in done.stderr


def test_the_server(tmp_path):
    """The example under examples/server answers several clients, and is small."""
    folder = tmp_path / "server"
    shutil.copytree(ROOT / "examples" / "server", folder)
    subprocess.run(
        [FUSE, "compile", ROOT / "examples" / "softmax.mlir", "--target", "cpu"]
        + ["-o", folder / "bundle"],
        check=True,
        capture_output=True,
    )
    for command in (["-S", folder, "-B", folder / "b"], ["--build", folder / "b"]):
        subprocess.run(["cmake", *command], check=True, capture_output=True)
    binary = folder / "b" / "server"
    assert binary.stat().st_size < 1 << 20
    server = subprocess.Popen(
        [binary, folder / "bundle", "0"], stdout=subprocess.PIPE, text=True
    )
    try:
        port = int(server.stdout.readline().split()[-1])
        for rows in (1, 7):
            x = numpy.random.default_rng(rows).standard_normal((rows, 4096)).astype("f")
            with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
                for _ in range(2):
                    client.sendall(numpy.uint32(rows).tobytes() + x.tobytes())
                    got, size = b"", x.nbytes
                    while len(got) < size:
                        got += client.recv(size - len(got))
                    y = numpy.frombuffer(got, "f").reshape(x.shape)
                    e = numpy.exp(x - x.max(-1, keepdims=True))
                    numpy.testing.assert_allclose(
                        y, e / e.sum(-1, keepdims=True), rtol=1e-5
                    )
    finally:
        server.terminate()
        server.wait(timeout=10)


def test_from_python(tmp_path):
    files = fuse.write_bundle(PROGRAM, tmp_path / "b", ["cpu"], sizes={"rows": 3})
    assert "several.cpu.o" in files and (tmp_path / "b" / "several.h").exists()
    with pytest.raises(fuse.Error, match="expected the chips to compile for"):
        fuse.write_bundle(PROGRAM, tmp_path / "b", [])
    with pytest.raises(fuse.Error, match="expected to make the folder"):
        fuse.write_bundle(PROGRAM, "/dev/null/b", ["cpu"])
