# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the arrays of each framework are read, written and made.

An adapter describes an array by its address and its layout. Calls with equal
layouts share the structs that libfuse_compiler.so takes, so a layout is a cheap key: a
tuple of the framework's own objects. Expanding one is for the first call.

What an array is decides its type alone, once for each type: a subclass may give
elements another meaning (a mask, a unit, a placeholder), so that only types which
are known to be plain memory are taken. No framework is imported for that.
"""

import ctypes
import sys

from fuse_compiler._adapter import CPU, DTYPES, Layout, type_name
from fuse_compiler._dlpack import DLPack
from fuse_compiler._library import Error
from fuse_compiler._numbers import HostNumber
from fuse_compiler._numpy import NumPy
from fuse_compiler._torch import Torch


class _HostNumbers:
    """The adapter of HostNumber."""

    wrote = None

    def describe(self, number):
        return ctypes.addressof(number.value), ((), number.dtype), number

    def check_stream(self, number):
        pass

    def layout(self, key, wanted):
        return Layout((), DTYPES[key[1]], (CPU, 0))


class _Adapters(dict):
    def __missing__(self, kind):
        adapter = self[kind] = _choose(kind)
        return adapter


# By the type of an array: adapters[type(array)] is an Error where none fits.
adapters = _Adapters()


def _choose(kind):
    if kind is HostNumber:
        return _HostNumbers()
    for base in kind.__mro__:
        name = (base.__module__.partition(".")[0], base.__name__)
        if name == ("numpy", "ndarray"):
            return NumPy(sys.modules["numpy"], kind)
        if name == ("torch", "Tensor"):
            return Torch(sys.modules["torch"], kind)
        if name == ("jax", "Tracer"):
            raise Error(
                f"expected an array, but got a {kind.__name__} of jax.jit, vmap or grad, which "
                "has no elements; call the program outside of these, or by jax.pure_callback"
            )
    if hasattr(kind, "__dlpack__"):
        return DLPack(kind)
    raise Error(
        f"expected an array with __dlpack__, but got {type_name(kind)}; pass {_remedy(kind)}"
    )


def _remedy(kind):
    """What to pass for an object that is no array."""
    for method in ("to_numpy", "toarray"):
        if hasattr(kind, method):
            return f"x.{method}()"
    return "a NumPy array or a torch tensor"
