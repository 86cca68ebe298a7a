# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the sizes of a call come from."""

from fuse_compiler.lang._dims import Dim, symbol


class Sizes:
    """Where a call finds sizes: in its tensors' shapes and among its numbers.

    known  by Dim, the number of an argument and an axis of it, None for a number
    """

    def __init__(self):
        self.known = {}

    def add_tensor(self, index, shape):
        for axis, dim in enumerate(shape):
            if isinstance(dim, Dim):
                self.known.setdefault(dim, (index, axis))

    def add_number(self, index, dim):
        if isinstance(dim, Dim):
            self.known[dim] = (index, None)

    def resolver(self, dim):
        """A function from a call's arguments to the size, or None if it is not known."""
        if isinstance(dim, int):
            return lambda arguments: dim
        if dim in self.known:
            index, axis = self.known[dim]
            if axis is None:
                return lambda arguments: int(arguments[index])
            return lambda arguments: arguments[index].shape[axis]
        return self._polynomial(dim)

    def _polynomial(self, dim):
        parts = []
        for names, c in dim.terms:
            factors = [self.known.get(symbol(name)) for name in names]
            if None in factors:
                return None
            parts.append((c, [self.resolver(symbol(name)) for name in names]))

        def evaluate(arguments):
            total = 0
            for c, factors in parts:
                for factor in factors:
                    c *= factor(arguments)
                total += c
            return total

        return evaluate
