# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy arrays."""

import sys

from fuse_compiler._adapter import (
    CPU,
    DTYPES,
    EXTENSIONS,
    Layout,
    element_name,
    known_code,
    not_writable,
    type_name,
)
from fuse_compiler._library import Error, native


class NumPy:
    """NumPy arrays.

    bf16 is ml_dtypes.bfloat16, or uint16 that holds its bits; f8E4M3FN and f8E5M2
    are ml_dtypes.float8_e4m3fn and float8_e5m2, or uint8.
    """

    def __init__(self, numpy, kind):
        # A masked array ignores elements, others have units or another product.
        if kind not in (numpy.ndarray, numpy.memmap):
            masked = issubclass(kind, numpy.ma.MaskedArray)
            remedy = "x.filled(value)" if masked else "numpy.asarray(x)"
            raise Error(
                f"expected a plain NumPy array, but got {type_name(kind)}, whose elements may "
                f"mean more than their numbers; pass {remedy}"
            )
        self._numpy = numpy
        self._is_native = bool(native) and native.know(kind, None)

    def describe(self, array):
        if array.flags.c_contiguous:
            return array.ctypes.data, (array.shape, array.dtype), array
        return array.ctypes.data, (array.shape, array.dtype, array.strides), array

    def describe_out(self, array, name):
        if not array.flags.writeable:
            raise not_writable(name, "a read-only array", "copy it")
        return self.describe(array)

    def address(self, array):
        return array.ctypes.data

    wrote = None

    def check_stream(self, array):
        pass

    def layout(self, key, wanted):
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
        for name, (extension, bits) in EXTENSIONS.items():
            if dtype.name == extension or (dtype.name == bits and wanted == name):
                return DTYPES[name]
        code = {"f": 2, "i": 0, "u": 1, "b": 6, "c": 5}.get(dtype.kind)
        if code is None or not dtype.isnative:
            raise Error(
                f"expected an array of numbers in the byte order of this machine, but got {dtype}; "
                "convert it"
            )
        return known_code((code, dtype.itemsize * 8), dtype)

    def empty(self, like_key, dtype):
        element = self._element(like_key, dtype)
        return lambda shape: self._numpy.empty(shape, element)

    def recipe(self, like_key, dtype, shape):
        if not self._is_native:
            return None
        return self._numpy.empty, (shape, self._element(like_key, dtype)), {}

    def _element(self, like_key, dtype):
        if dtype in EXTENSIONS:
            return self._extension(like_key, *EXTENSIONS[dtype])
        return self._numpy.dtype(element_name(dtype))

    def _extension(self, like_key, name, bits):
        if like_key and like_key[1].name in (name, bits):
            return like_key[1]
        ml_dtypes = sys.modules.get("ml_dtypes")
        return self._numpy.dtype(getattr(ml_dtypes, name) if ml_dtypes else bits)

    def stream(self, key):
        return 0
