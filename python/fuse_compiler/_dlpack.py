# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of any other framework, through DLPack."""

import ctypes
import sys

from fuse_compiler._adapter import (
    CUDA,
    Layout,
    element_name,
    is_contiguous,
    known_code,
    not_writable,
    type_name,
)
from fuse_compiler._library import DLTensor, Error

# Frameworks whose arrays never change, though their capsules do not say so.
_IMMUTABLE = ("jax", "jaxlib", "tensorflow")

# Of DLPack's type codes.
_KINDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex", 6: "bool"}

# The flags of a versioned capsule.
_READ_ONLY, _IS_COPIED = 1, 2


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


class DLPack:
    """Anything else with __dlpack__. Needs `out`, or an array API namespace."""

    def __init__(self, kind):
        modules = {base.__module__.partition(".")[0] for base in kind.__mro__}
        self._immutable = next((each for each in _IMMUTABLE if each in modules), None)
        # What cannot be assigned to in Python is not meant to be written to.
        self._is_assignable = hasattr(kind, "__setitem__")
        api = ctypes.pythonapi
        self._is_valid, self._pointer = api.PyCapsule_IsValid, api.PyCapsule_GetPointer
        self._is_valid.argtypes = self._pointer.argtypes = [
            ctypes.py_object,
            ctypes.c_char_p,
        ]
        self._pointer.restype = ctypes.c_void_p

    def describe(self, array):
        return self._open(array)[:3]

    def describe_out(self, array, name):
        if self._immutable:
            raise not_writable(
                name,
                f"an array of {self._immutable}, which are immutable",
                "pass a NumPy array or a torch tensor",
            )
        address, key, capsule, flags = self._open(array)
        if flags is None and not self._is_assignable:
            raise not_writable(
                name,
                f"a {type_name(type(array))}, which does not say that it may be written to",
                "pass a NumPy array or a torch tensor",
            )
        if flags and flags & _READ_ONLY:
            raise not_writable(name, "a read-only array", "copy it")
        if flags and flags & _IS_COPIED:
            raise not_writable(
                name,
                f"a {type_name(type(array))} of which __dlpack__() gives a copy",
                "pass a NumPy array or a torch tensor",
            )
        return address, key, capsule

    def address(self, array):
        return self._open(array)[0]

    wrote = None

    def check_stream(self, array):
        pass

    def _open(self, array):
        """Address, key, capsule, and its flags; None where it has none.

        The capsule stays the owner: it frees the export when it goes.
        """
        capsule = self._export(array)
        if self._is_valid(capsule, b"dltensor_versioned"):
            managed = self._at(capsule, b"dltensor_versioned", _Versioned)
            if managed.major != 1:
                raise Error(
                    f"expected DLPack 1.x from __dlpack__(), but got {managed.major}."
                    f"{managed.minor}; pass a NumPy array"
                )
            flags = managed.flags
        elif self._is_valid(capsule, b"dltensor"):
            managed, flags = self._at(capsule, b"dltensor", _Managed), None
        else:
            raise Error(
                "expected __dlpack__() to give a capsule of DLPack, but got another object; pass "
                "a NumPy array"
            )
        tensor = managed.tensor
        address = (tensor.data or 0) + tensor.byte_offset
        return address, self._key(array, tensor), capsule, flags

    def _at(self, capsule, name, struct):
        return struct.from_address(self._pointer(capsule, name))

    @staticmethod
    def _export(array):
        # The code of other frameworks may raise anything.
        try:
            # Work on the default stream waits for the array: 1 is its number.
            stream = 1 if array.__dlpack_device__()[0] == CUDA else None
            try:
                return array.__dlpack__(stream=stream, max_version=(1, 0))
            except TypeError:
                return array.__dlpack__(stream=stream)
        except Exception as error:
            raise Error(
                f"expected {type_name(type(array))} to give its memory by __dlpack__(), but got: "
                f"{error}; pass a NumPy array"
            ) from error

    @staticmethod
    def _key(array, tensor):
        if tensor.dtype.lanes != 1:
            raise Error(
                f"expected elements of one number, but got {tensor.dtype.lanes} (DLPack's lanes); "
                "pass a NumPy array"
            )
        shape = tuple(tensor.shape[: tensor.ndim])
        strides = tuple(tensor.strides[: tensor.ndim]) if tensor.strides else None
        if strides and is_contiguous(shape, strides):
            strides = None
        dtype = (tensor.dtype.code, tensor.dtype.bits)
        device = (tensor.device.device_type, tensor.device.device_id)
        return (
            Layout(shape, dtype, device, strides),
            type(array),
            _array_namespace(array),
        )

    def layout(self, key, wanted):
        code, bits = key[0].dtype
        known_code(
            (code, bits), f"{_KINDS.get(code, f'DLPack type code {code} of ')}{bits}"
        )
        return key[0]

    def empty(self, like_key, dtype):
        namespace = like_key[2]
        element = getattr(namespace, element_name(dtype), None)
        if element is None or self._immutable:
            raise Error(
                f"expected out for arrays of type {like_key[1].__name__}, but got none; "
                "pass arrays to write to, such as those of numpy.empty()"
            )
        return lambda shape: namespace.empty(shape, dtype=element)

    def recipe(self, like_key, dtype, shape):
        return None

    def stream(self, key):
        return 0


def _array_namespace(array):
    """The array API namespace of an array's framework, or None."""
    if hasattr(array, "__array_namespace__"):
        return array.__array_namespace__()
    module = sys.modules.get(type(array).__module__.partition(".")[0])
    return module if hasattr(module, "empty") else None
