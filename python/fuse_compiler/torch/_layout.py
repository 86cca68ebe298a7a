# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The strides that a region's results must have.

torch has promised each tensor's strides to what follows. A program writes row major, so
a result whose dims lie in another order is computed transposed, and returned as a view.
"""

from fuse_compiler.lang import Unsupported
from fuse_compiler.torch._symbols import to_dim


def output_order(value):
    """The dims of a fake tensor from the farthest apart to the nearest.

    Raises Unsupported for strides that are not those of a permutation without gaps.
    """
    sizes = [to_dim(s) for s in value.shape]
    strides = [to_dim(s) for s in value.stride()]
    if _is_row_major(range(len(sizes)), sizes, strides):
        return tuple(range(len(sizes)))
    hints = [_hint(s) for s in value.stride()]
    order = sorted(range(len(sizes)), key=lambda axis: (-hints[axis], axis))
    # Where a dim has size 1 its stride means nothing: it stays where it is.
    if not _is_row_major(order, sizes, strides):
        raise Unsupported("strides that are not those of a permutation without gaps")
    return tuple(order)


def input_order(value):
    """The same of a tensor that is read, which may have any strides: those of a
    permutation give its order, others the dims as they are.
    """
    try:
        return output_order(value)
    except Unsupported:
        return tuple(range(value.ndim))


def _is_row_major(order, sizes, strides):
    expected = 1
    for axis in reversed(list(order)):
        if sizes[axis] == 1:
            continue
        if strides[axis] != expected:
            return False
        expected = sizes[axis] * expected
    return True


def _hint(size):
    if isinstance(size, int):
        return size
    found = size.node.hint
    if found is None:
        raise Unsupported("strides that depend on data")
    return int(found)
