# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs as functions of JAX arrays, also of those that are being traced."""

import ctypes
import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

import jax
import jaxlib
import numpy as np

from fuse_compiler._compile import compile as compile_program
from fuse_compiler._library import DLDevice, DLDataType, DLTensor, Error, check, lib
from fuse_compiler._program import Program

_NUMPY = {
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
    "i1": "bool",
    "i8": "int8",
    "i32": "int32",
    "i64": "int64",
    "f8E4M3FN": "float8_e4m3fn",
    "f8E5M2": "float8_e5m2",
}
ELEMENTS = {name: ours for ours, name in _NUMPY.items()}
_DLPACK = {
    "f16": (2, 16),
    "bf16": (4, 16),
    "f32": (2, 32),
    "f64": (2, 64),
    "i1": (6, 8),
    "i8": (0, 8),
    "i32": (0, 32),
    "i64": (0, 64),
    "f8E4M3FN": (10, 8),
    "f8E5M2": (12, 8),
}
_TARGETS = {"cpu": "fuse_jax_cpu", "cuda": "fuse_jax_cuda"}


def call(program, *arrays):
    """The outputs of a program for JAX arrays: one, or a tuple of them.

    program  a fuse.Program for the device that JAX computes on, or a program's text,
             which is compiled for it
    arrays   one for each input, of its type

    Works under jax.jit and vmap. It has no gradient: see define(). Raises Error for arrays
    that the program does not take.
    """
    if not isinstance(program, Program):
        program = compiled(program)
    _check_types(program, arrays)
    shapes = _shapes_of(program, [a.shape for a in arrays])
    results = [
        jax.ShapeDtypeStruct(shape, np.dtype(jax.numpy.dtype(_NUMPY[output.dtype])))
        for shape, output in zip(shapes, program.outputs)
    ]
    _keep(program)
    made = jax.ffi.ffi_call(
        _registered("cuda" if program._is_cuda else "cpu"),
        results,
        vmap_method="sequential",
    )(*arrays, program=np.int64(program._handle), device=np.int64(program._place[1]))
    return made[0] if len(made) == 1 else tuple(made)


@functools.cache
def compiled(text):
    """The program of a text for the device that JAX computes on."""
    platform = jax.default_backend()
    if platform not in ("cpu", "gpu", "cuda"):
        raise Error(
            f"expected JAX to compute on a CPU or an NVIDIA GPU, but got {platform}; set "
            "JAX_PLATFORMS=cpu"
        )
    return compile_program(text, target="cpu" if platform == "cpu" else "cuda")


_kept = {}


def _keep(program):
    """What JAX has compiled calls the program as long as the process lives."""
    _kept[program._handle] = program


def _check_types(program, arrays):
    if len(arrays) != len(program.inputs):
        raise Error(
            f"expected {len(program.inputs)} arrays for {program.name}, but got {len(arrays)}; "
            "pass one for each input"
        )
    for spec, array in zip(program.inputs, arrays):
        got = str(array.dtype)
        if got != _NUMPY[spec.dtype]:
            raise Error(
                f"expected '{spec.name}' to be {_NUMPY[spec.dtype]}, but got {got}; use astype()"
            )


def _shapes_of(program, shapes):
    """The shapes of the outputs, which the program infers from those of its inputs."""
    tensors, keep = [], []
    for spec, shape in zip(program.inputs, shapes):
        dims = (ctypes.c_int64 * len(shape))(*shape)
        keep.append(dims)
        code, bits = _DLPACK[spec.dtype]
        tensors.append(
            DLTensor(
                None,
                DLDevice(1, 0),
                len(shape),
                DLDataType(code, bits, 1),
                dims,
                None,
                0,
            )
        )
    pointers = (ctypes.POINTER(DLTensor) * len(tensors))(*map(ctypes.pointer, tensors))
    count = lib.fuseProgramOutputDims(program._handle)
    dims = (ctypes.c_int64 * max(count, 1))()
    check(lib.fuseProgramInferShapes(program._handle, pointers, len(tensors), dims))
    result, start = [], 0
    for output in program.outputs:
        end = start + len(output.shape)
        result.append(tuple(dims[start:end]))
        start = end
    return result


_lock = threading.Lock()
_names = {}


def _registered(target):
    """The name under which XLA knows the handler of a target."""
    with _lock:
        if target not in _names:
            symbol = getattr(_handler(), _TARGETS[target])
            platform = "cpu" if target == "cpu" else "CUDA"
            jax.ffi.register_ffi_target(
                _TARGETS[target], jax.ffi.pycapsule(symbol), platform=platform
            )
            _names[target] = _TARGETS[target]
        return _names[target]


@functools.cache
def _handler():
    library = ctypes.CDLL(str(_built()))
    functions = (lib.fuseRun, lib.fuseStatusMessage, lib.fuseStatusFree)
    library.fuse_jax_bind(*(ctypes.cast(f, ctypes.c_void_p) for f in functions))
    return library


def _built():
    """The handler, compiled for the jaxlib that is there, and kept for the next process."""
    source = Path(__file__).with_name("_handler.cpp")
    key = hashlib.sha256(source.read_bytes())
    key.update(f"{jaxlib.__version__} {os.uname().machine}".encode())
    folder = Path(
        os.environ.get("FUSE_CACHE_DIR")
        or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fuse"
    )
    path = folder / f"jax-{key.hexdigest()[:32]}.so"
    if path.exists() and path.stat().st_uid in (0, os.geteuid()):
        return path
    compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("clang++")
    if compiler is None:
        raise Error(
            "expected a C++ compiler, which builds the handler of jaxlib's calls once, but found "
            "none; install one, or set CXX"
        )
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(suffix=".so", dir=folder)
    os.close(descriptor)
    done = subprocess.run(
        [compiler, "-std=c++17", "-O2", "-shared", "-fPIC", "-w"]
        + [f"-I{jax.ffi.include_dir()}", str(source), "-o", temporary],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        os.unlink(temporary)
        raise Error(
            f"expected {compiler} to build the handler of jaxlib's calls, but got: "
            f"{done.stderr[-600:]}; set CXX to a compiler of C++17"
        )
    os.replace(temporary, path)
    return path
