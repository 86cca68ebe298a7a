# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The structs of calls, which are kept for the next call with the same layouts."""

import ctypes

from fuse_compiler._library import DLTensor


class Frame:
    """The structs of calls with one set of layouts. One call at a time uses it."""

    def __init__(self, layouts, num_inputs):
        self.tensors = (DLTensor * len(layouts))()
        self._arrays = []
        pointers = [ctypes.pointer(tensor) for tensor in self.tensors]
        for tensor, layout in zip(self.tensors, layouts):
            self._fill(tensor, layout)
        self._inputs = (ctypes.POINTER(DLTensor) * num_inputs)(*pointers[:num_inputs])
        outputs = pointers[num_inputs:]
        self._outputs = (ctypes.POINTER(DLTensor) * len(outputs))(*outputs)
        self.inputs = ctypes.addressof(self._inputs)
        self.outputs = ctypes.addressof(self._outputs)

    def _dims(self, values):
        array = (ctypes.c_int64 * len(values))(*values)
        self._arrays.append(array)
        return ctypes.cast(array, ctypes.POINTER(ctypes.c_int64))

    def _fill(self, tensor, layout):
        tensor.ndim = len(layout.shape)
        tensor.shape = self._dims(layout.shape)
        if layout.strides is not None:
            tensor.strides = self._dims(layout.strides)
        tensor.dtype.code, tensor.dtype.bits = layout.dtype
        tensor.dtype.lanes = 1
        tensor.device.device_type, tensor.device.device_id = layout.device


class Site:
    """What calls with equal input layouts share: shapes of the outputs, and frames."""

    def __init__(self, layouts, shapes):
        self.layouts = layouts
        # Per output, its shape, and later a function from a shape to a new array.
        self.shapes = shapes
        self.makers = None
        # Of the package's own way, by the layouts of outputs that are given; the extension is
        # offered such calls at powers of two.
        self.calls = {}
        # By the outputs' layouts, frames that no call uses.
        self.frames = {}
