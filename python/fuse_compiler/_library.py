# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libfuse_compiler.so through ctypes: the structs and functions of fuse-c/Fuse.h.

The library is $FUSE_LIBRARY, or lies beside this package or in the build folder of a
source tree that the package is in. It must have this package's version.
"""

import ctypes
import importlib.machinery
import importlib.util
import os
from pathlib import Path

from fuse_compiler._version import VERSION


class Error(Exception):
    """What the compiler or the runtime refuses, and why."""


class DLDevice(ctypes.Structure):
    _fields_ = [("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32)]


class DLDataType(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
    ]


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", DLDevice),
        ("ndim", ctypes.c_int32),
        ("dtype", DLDataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class Options(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("entry", ctypes.c_char_p),
        ("target", ctypes.c_int32),
        ("device", ctypes.c_int32),
        ("chip", ctypes.c_char_p),
        ("strict", ctypes.c_int32),
        ("line_info", ctypes.c_int32),
        ("cache", ctypes.c_int32),
        ("cache_directory", ctypes.c_char_p),
        ("tuning_file", ctypes.c_char_p),
        ("launch_overlap", ctypes.c_int32),
        ("sizes", ctypes.c_char_p),
        ("lengths", ctypes.c_int32),
        ("graphs", ctypes.c_int32),
        ("allocator", ctypes.c_void_p),
    ]


TARGETS = {"auto": 0, "cpu": 1, "cuda": 2, "emu": 3}
STAGES = {"kernels": 0, "schedule": 1, "gpu": 2, "llvm": 3, "ptx": 4}

_NAME = "libfuse_compiler.so"


def _candidates():
    """Paths where the library may be, the first that exists first.

    Always absolute: a bare name would be looked for by the dynamic loader, which may find
    a library that only has the same name.
    """
    named = os.environ.get("FUSE_LIBRARY")
    if named:
        return [Path(named).absolute()]
    package = Path(__file__).resolve().parent
    built = (package.parents[1] / b / "lib" for b in ("build", "build-release"))
    return [folder / _NAME for folder in (package, *built)]


def _find():
    candidates = _candidates()
    for path in candidates:
        if path.exists():
            return path
    raise Error(
        f"expected {_NAME}, but there is none at {' or '.join(map(str, candidates))}; run "
        "`make build` in the source tree, or set FUSE_LIBRARY to its path"
    )


def _load():
    path = _find()
    try:
        return _checked(path, ctypes.CDLL(str(path)))
    except OSError as error:
        raise Error(
            f"expected {_NAME}, but it could not be loaded: {error}; run `make build` in the "
            "source tree, or set FUSE_LIBRARY to its path"
        ) from None


def _checked(path, library):
    """The library, if it is Fuse's and of this package's version."""
    if not hasattr(library, "fuseVersion"):
        raise Error(
            f"expected {path} to be {_NAME}, but it has no fuseVersion; set FUSE_LIBRARY to the "
            "path of Fuse's library"
        )
    library.fuseVersion.restype = ctypes.c_char_p
    got = library.fuseVersion().decode()
    if got != VERSION:
        raise Error(
            f"expected {path} to have this package's version {VERSION}, but got {got}; install "
            "both from the same sources"
        )
    return library


def _declare(library):
    status, program, text = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p
    size, count, out = ctypes.c_size_t, ctypes.c_int32, ctypes.c_void_p
    options = ctypes.POINTER(Options)
    for name, result, *arguments in (
        ("fuseVersion", text),
        ("fuseStatusMessage", text, status),
        ("fuseStatusFree", None, status),
        ("fuseOptionsInit", None, options),
        ("fuseCompile", status, text, size, text, options, out),
        ("fuseCompileFile", status, text, options, out),
        ("fuseProgramSave", status, program, text),
        ("fuseProgramLoad", status, text, options, out),
        ("fuseProgramFree", None, program),
        ("fuseProgramDevice", DLDevice, program),
        ("fuseProgramDescribe", status, program, out),
        ("fuseProgramRemarks", status, program, out),
        ("fuseProgramPrint", status, program, count, out),
        ("fuseInspect", status, text, size, text, options, out),
        ("fuseWriteBundle", status, text, size, text, options, text, text, out),
        ("fuseAutotune", status, text, size, text, options, out, count, out),
        ("fuseStringFree", None, ctypes.c_void_p),
        ("fuseProgramOutputDims", count, program),
        ("fuseProgramInferShapes", status, program, out, count, out),
        ("fuseRun", status, program, out, count, out, count, ctypes.c_void_p),
        ("fusePrepare", status, program, out, count, out),
        ("fusePrepareOutputs", status, program, out, count, out, count, out),
        ("fuseCallFree", None, ctypes.c_void_p),
        ("fuseCallRun", status, ctypes.c_void_p, out, count, ctypes.c_void_p),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def _load_native(library):
    """The extension that calls programs without ctypes, or None where there is none.

    It lies beside the library. FUSE_NATIVE=0 does without it.
    """
    if os.environ.get("FUSE_NATIVE") == "0":
        return None
    path = Path(library._name).parent / "_native.abi3.so"
    name = "fuse_compiler._native"
    loader = importlib.machinery.ExtensionFileLoader(name, str(path))
    spec = importlib.util.spec_from_loader(name, loader)
    try:
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
    except ImportError:
        return None
    if module.VERSION != VERSION:
        return None
    functions = ("fuseCallRun", "fuseCallFree", "fuseStatusMessage", "fuseStatusFree")
    addresses = (
        ctypes.cast(getattr(library, each), ctypes.c_void_p).value for each in functions
    )
    module.bind(*addresses, Error)
    return module


lib = _declare(_load())
native = _load_native(lib)


def version():
    """The version of libfuse_compiler, such as "0.1.0"."""
    return lib.fuseVersion().decode()


def check(status):
    """Raises the error that a status holds."""
    if status:
        message = lib.fuseStatusMessage(status).decode(errors="replace")
        lib.fuseStatusFree(status)
        raise Error(message)


def take_string(call):
    """The text that `call` writes to the char * it is given."""
    text = ctypes.c_void_p()
    check(call(ctypes.byref(text)))
    try:
        return ctypes.string_at(text).decode()
    finally:
        lib.fuseStringFree(text)
