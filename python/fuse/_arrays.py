# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the arrays of each framework are read and made.

An adapter describes an array by its address and its layout. Calls with equal
layouts share the structs that libfuse.so takes, so a layout is a cheap key: a
tuple of the framework's own objects. Expanding one is for the first call.
"""

import ctypes
import math
import sys
from typing import NamedTuple

from fuse._library import DLTensor, Error

CPU, CUDA = 1, 2

# DLPack's code and bits of each element type.
DTYPES = {
    "f16": (2, 16),
    "f32": (2, 32),
    "f64": (2, 64),
    "bf16": (4, 16),
    "f8E4M3FN": (10, 8),
    "f8E5M2": (12, 8),
    "i1": (6, 8),
    "i8": (0, 8),
    "i32": (0, 32),
    "i64": (0, 64),
}


class Layout(NamedTuple):
    shape: tuple
    # DLPack's code and bits.
    dtype: tuple
    # DLPack's type and number.
    device: tuple
    # In elements; None if the array is contiguous.
    strides: tuple | None = None


# The types of ml_dtypes and array frameworks for what NumPy lacks, and the
# unsigned integers that may hold their bits.
_EXTENSIONS = {
    "bf16": ("bfloat16", "uint16"),
    "f8E4M3FN": ("float8_e4m3fn", "uint8"),
    "f8E5M2": ("float8_e5m2", "uint8"),
}


def _element_name(dtype):
    """What frameworks call an element type."""
    if dtype in _EXTENSIONS:
        return _EXTENSIONS[dtype][0]
    if dtype == "i1":
        return "bool"
    return ("int" if dtype[0] == "i" else "float") + dtype[1:]


class NumPy:
    """NumPy arrays.

    bf16 is ml_dtypes.bfloat16, or uint16 that holds its bits; f8E4M3FN and f8E5M2
    are ml_dtypes.float8_e4m3fn and float8_e5m2, or uint8.
    """

    def __init__(self, numpy):
        self._numpy = numpy

    def describe(self, array):
        """Address, key of the layout, and what must live during the call."""
        if array.flags.c_contiguous:
            return array.ctypes.data, (array.shape, array.dtype), array
        return array.ctypes.data, (array.shape, array.dtype, array.strides), array

    def layout(self, key, wanted):
        """The layout of `key`. `wanted` is the element type of the program."""
        shape, dtype = key[0], key[1]
        strides = None
        if len(key) == 3:
            if any(stride % dtype.itemsize for stride in key[2]):
                raise Error(
                    "expected strides that are a multiple of the element size, but got "
                    f"{key[2]} bytes; make the array contiguous"
                )
            strides = tuple(stride // dtype.itemsize for stride in key[2])
        return Layout(shape, self._code(dtype, wanted), (CPU, 0), strides)

    def _code(self, dtype, wanted):
        for name, (extension, bits) in _EXTENSIONS.items():
            if dtype.name == extension or (dtype.name == bits and wanted == name):
                return DTYPES[name]
        code = {"f": 2, "i": 0, "u": 1, "b": 6, "c": 5}.get(dtype.kind)
        if code is None or not dtype.isnative:
            raise Error(
                f"expected an array of numbers in the byte order of this machine, but got {dtype}; "
                "convert it"
            )
        return code, dtype.itemsize * 8

    def empty(self, like_key, dtype):
        """A function from a shape to a new array of element type `dtype`."""
        numpy = self._numpy
        if dtype in _EXTENSIONS:
            element = self._extension(like_key, *_EXTENSIONS[dtype])
        else:
            element = numpy.dtype(_element_name(dtype))
        return lambda shape: numpy.empty(shape, element)

    def _extension(self, like_key, name, bits):
        if like_key and like_key[1].name in (name, bits):
            return like_key[1]
        ml_dtypes = sys.modules.get("ml_dtypes")
        return self._numpy.dtype(getattr(ml_dtypes, name) if ml_dtypes else bits)

    def is_writable(self, array):
        return array.flags.writeable

    def stream(self, key):
        return 0


class Torch:
    """PyTorch tensors. Work goes to the tensor's device's current stream."""

    def __init__(self, torch):
        self._torch = torch
        self._is_grad_enabled = torch.is_grad_enabled
        self._types = {
            torch.float16: DTYPES["f16"],
            torch.float32: DTYPES["f32"],
            torch.float64: DTYPES["f64"],
            torch.bfloat16: DTYPES["bf16"],
            torch.bool: DTYPES["i1"],
            torch.int32: DTYPES["i32"],
            torch.int8: DTYPES["i8"],
            torch.int64: DTYPES["i64"],
        }
        for name in ("f8E4M3FN", "f8E5M2"):
            # Not in old versions.
            element = getattr(torch, _element_name(name), None)
            if element is not None:
                self._types[element] = DTYPES[name]
        # Both give the stream's handle; the first skips building an object.
        self._raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (
            lambda index: torch.cuda.current_stream(index).cuda_stream
        )

    def describe(self, tensor):
        if tensor.requires_grad and self._is_grad_enabled():
            raise Error(
                "expected tensors without gradients, but got one that requires them; "
                "detach it or call under torch.no_grad()"
            )
        if tensor.is_contiguous():
            return (
                tensor.data_ptr(),
                (tensor.shape, tensor.dtype, tensor.device),
                tensor,
            )
        key = (tensor.shape, tensor.dtype, tensor.device, tensor.stride())
        return tensor.data_ptr(), key, tensor

    def layout(self, key, wanted):
        shape, dtype, device = key[:3]
        code = self._types.get(dtype)
        if code is None:
            raise Error(
                "expected float16, float32, float64, bfloat16, float8_e4m3fn, float8_e5m2, bool, "
                f"int8, int32 or int64, but got {dtype}; convert it"
            )
        kinds = {"cpu": (CPU, 0), "cuda": (CUDA, device.index or 0)}
        if device.type not in kinds:
            raise Error(f"expected a tensor on cpu or cuda, but got {device}; move it")
        return Layout(
            tuple(shape), code, kinds[device.type], key[3] if len(key) == 4 else None
        )

    def empty(self, like_key, dtype):
        torch, device = self._torch, like_key[2]
        element = {code: each for each, code in self._types.items()}[DTYPES[dtype]]
        return lambda shape: torch.empty(shape, dtype=element, device=device)

    def is_writable(self, tensor):
        return True

    def stream(self, key):
        return self._raw_stream(key[2].index or 0)


class DLPack:
    """Anything else with __dlpack__. Needs `out`, or an array API namespace."""

    class _Managed(ctypes.Structure):
        _fields_ = [("tensor", DLTensor)]

    class _Versioned(ctypes.Structure):
        # Version, manager context, deleter and flags come first.
        _fields_ = [
            ("major", ctypes.c_uint32),
            ("minor", ctypes.c_uint32),
            ("context", ctypes.c_void_p),
            ("deleter", ctypes.c_void_p),
            ("flags", ctypes.c_uint64),
            ("tensor", DLTensor),
        ]

    def __init__(self):
        api = ctypes.pythonapi
        self._is_valid, self._pointer = api.PyCapsule_IsValid, api.PyCapsule_GetPointer
        self._is_valid.argtypes = self._pointer.argtypes = [
            ctypes.py_object,
            ctypes.c_char_p,
        ]
        self._pointer.restype = ctypes.c_void_p

    def _export(self, array):
        # Work on the default stream waits for the array: 1 is its number.
        stream = 1 if array.__dlpack_device__()[0] == CUDA else None
        try:
            return array.__dlpack__(stream=stream, max_version=(1, 0))
        except TypeError:
            return array.__dlpack__(stream=stream)

    def describe(self, array):
        # The capsule stays the owner: it frees the export when it goes.
        capsule = self._export(array)
        for name, struct in (
            (b"dltensor_versioned", self._Versioned),
            (b"dltensor", self._Managed),
        ):
            if self._is_valid(capsule, name):
                tensor = struct.from_address(self._pointer(capsule, name)).tensor
                return (
                    (tensor.data or 0) + tensor.byte_offset,
                    self._key(array, tensor),
                    capsule,
                )
        raise Error(
            "expected __dlpack__() to give a capsule of DLPack, but got another object"
        )

    @staticmethod
    def _key(array, tensor):
        shape = tuple(tensor.shape[: tensor.ndim])
        strides = tuple(tensor.strides[: tensor.ndim]) if tensor.strides else None
        if strides and is_contiguous(shape, strides):
            strides = None
        dtype = (tensor.dtype.code, tensor.dtype.bits)
        device = (tensor.device.device_type, tensor.device.device_id)
        return (
            Layout(shape, dtype, device, strides),
            type(array),
            array_namespace(array),
        )

    def layout(self, key, wanted):
        return key[0]

    def empty(self, like_key, dtype):
        namespace = like_key[2]
        element = getattr(namespace, _element_name(dtype), None)
        if element is None or namespace.__name__.startswith("jax"):
            raise Error(
                f"expected out for arrays of type {like_key[1].__name__}, but got none; "
                "pass arrays to write to"
            )
        return lambda shape: namespace.empty(shape, dtype=element)

    def is_writable(self, array):
        capsule = self._export(array)
        if not self._is_valid(capsule, b"dltensor_versioned"):
            return True
        address = self._pointer(capsule, b"dltensor_versioned")
        return not self._Versioned.from_address(address).flags & 1

    def stream(self, key):
        return 0


def array_namespace(array):
    """The array API namespace of an array's framework, or None."""
    if hasattr(array, "__array_namespace__"):
        return array.__array_namespace__()
    module = sys.modules.get(type(array).__module__.partition(".")[0])
    return module if hasattr(module, "empty") else None


def is_contiguous(shape, strides):
    """Whether elements lie row major without gaps."""
    if 0 in shape:
        return True
    expected = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    return all(n == 1 or s == e for n, s, e in zip(shape, strides, expected))


_adapters = {}


def adapter_of(array):
    """The adapter of an array's type."""
    kind = type(array)
    adapter = _adapters.get(kind)
    if adapter is None:
        adapter = _adapters[kind] = _choose(kind)
    return adapter


def _choose(kind):
    for base in kind.__mro__:
        name = (base.__module__.partition(".")[0], base.__name__)
        if name == ("numpy", "ndarray"):
            return NumPy(sys.modules["numpy"])
        if name == ("torch", "Tensor"):
            return Torch(sys.modules["torch"])
    if hasattr(kind, "__dlpack__"):
        return DLPack()
    raise Error(
        f"expected an array with __dlpack__, but got {kind.__name__}; "
        "pass a NumPy array or a torch tensor"
    )
