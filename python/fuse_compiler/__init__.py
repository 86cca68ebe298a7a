# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fuse, a kernel fusion compiler: text in, a function on arrays out.

    >>> import fuse_compiler as fuse, numpy
    >>> double = fuse.compile('''
    ... func.func @double(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
    ...   %y = fuse.add %x, %x : tensor<?x4xf32>
    ...   return %y : tensor<?x4xf32>
    ... }''', target="cpu")
    >>> double(numpy.ones((2, 4), numpy.float32))
    array([[2., 2., 2., 2.],
           [2., 2., 2., 2.]], dtype=float32)
    >>> [kernel.ops for kernel in double.kernels]
    [('add',)]

Everything that goes wrong is a fuse.Error with the compiler's or the runtime's
message: "expected X, but got Y; remedy".
"""

from fuse_compiler._compile import compile, inspect, load, write_bundle
from fuse_compiler._description import Inspection, Kernel, Tensor
from fuse_compiler._jit import Jitted, jit
from fuse_compiler._library import Error, version
from fuse_compiler._program import Program

__version__ = version()

__all__ = [
    "Error",
    "Inspection",
    "Jitted",
    "Kernel",
    "Program",
    "Tensor",
    "compile",
    "inspect",
    "jit",
    "load",
    "version",
    "write_bundle",
]
