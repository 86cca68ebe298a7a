# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators and methods of symbolic arrays."""

import functools

from fuse_compiler.lang import _pointwise as p
from fuse_compiler.lang import _reduce as r
from fuse_compiler.lang import _shapes as s
from fuse_compiler.lang._builder import Unsupported
from fuse_compiler.lang._dims import Dim


def _constant(x, value):
    return x.builder.constant(value, x.dtype)


def _getitem(x, index):
    """Slices, whole numbers, None and ... , as in NumPy."""
    index = index if isinstance(index, tuple) else (index,)
    given = sum(1 for i in index if i is not None and i is not Ellipsis)
    if given > x.ndim:
        raise Unsupported(
            f"expected at most {x.ndim} indices, but got {given}; index what is there"
        )
    axis, drop, add = 0, [], []
    for each in index:
        if each is Ellipsis:
            axis += x.ndim - given
        elif each is None:
            add.append(axis - len(drop) + len(add))
        else:
            x = _index_axis(x, axis, each, drop)
            axis += 1
    x = s.squeeze(x, drop) if drop else x
    for axis in add:
        x = s.expand_dims(x, axis)
    return x


def _index_axis(x, axis, index, drop):
    size = x.shape[axis]
    if isinstance(index, slice):
        start, stop = _from_front(index.start, size), index.stop
        if isinstance(size, int):
            stop = _from_front(stop, size)
        step = 1 if index.step is None else index.step
        if step < 1:
            raise Unsupported(f"expected a positive step, but got {step}; use flip()")
        return s.slice_(x, axis, start or 0, stop, step)
    if not isinstance(index, int) or isinstance(index, bool):
        raise Unsupported(
            f"expected slices and numbers to index with, but got {type(index).__name__}; use take()"
        )
    if not isinstance(size, int):
        raise Unsupported(
            f"expected a number to index a static dim with, but axis {axis} is {size}; use take()"
        )
    if not -size <= index < size:
        raise Unsupported(
            f"expected an index from {-size} to {size - 1} for axis {axis}, but got {index}; index "
            "what is there"
        )
    drop.append(axis)
    start = _from_front(index, size)
    return s.slice_(x, axis, start, start + 1)


def _from_front(i, size):
    if i is None or i >= 0:
        return i
    if not isinstance(size, int):
        raise Unsupported(
            f"expected indices from the front of the dynamic dim {size}, but got {i}; slice outside"
        )
    return max(size + i, 0)


# NumPy's names of functions that are called otherwise here.
_UFUNCS = {
    "absolute": p.abs_,
    "divide": p.true_divide,
    "invert": p.bitwise_not,
    "matmul": r.matmul,
    "multiply": p.mul,
    "negative": p.neg,
    "reciprocal": p.recip,
    "rint": p.round,
    "subtract": p.sub,
}
_COMPARISONS = {
    "equal": "eq",
    "not_equal": "ne",
    "less": "lt",
    "less_equal": "le",
    "greater": "gt",
    "greater_equal": "ge",
}


def _ufunc(x, ufunc, method, *inputs, **options):
    """A function of NumPy on symbolic arrays, or an operator whose left side is NumPy's number."""
    name = ufunc.__name__
    if name in _COMPARISONS:
        function = functools.partial(p.compare, _COMPARISONS[name])
    else:
        function = _UFUNCS.get(name) or getattr(p, name, None)
    if function is None or method != "__call__" or options:
        raise Unsupported(
            f"expected functions of fuse_compiler.lang on symbolic arrays, but got numpy.{name}; "
            "compute with those that lang has"
        )
    return function(*inputs)


def _length(x):
    if not x.ndim or not isinstance(x.shape[0], int):
        raise Unsupported(
            f"expected the length of a static dim, but got {x}; name no dim of that axis"
        )
    return x.shape[0]


def _refuse_assignment(x, index, value):
    raise Unsupported(
        "expected values, which do not change, but got an assignment to elements; use where(), put() "
        "or dynamic_update_slice()"
    )


def install(array):
    """Gives the class its operators; they are functions on arrays like any other."""
    both = {
        "add": p.add,
        "sub": p.sub,
        "mul": p.mul,
        "truediv": p.true_divide,
        "floordiv": p.floor_divide,
        "mod": p.remainder,
        "pow": p.power,
        "and": p.bitwise_and,
        "or": p.bitwise_or,
        "xor": p.bitwise_xor,
        "lshift": p.left_shift,
        "rshift": p.right_shift,
    }
    for name, function in both.items():
        setattr(array, f"__{name}__", lambda a, b, f=function: f(a, b))
        setattr(array, f"__r{name}__", lambda a, b, f=function: f(_constant(a, b), a))
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(array, f"__{name}__", lambda a, b, n=name: p.compare(n, a, b))
    array.__hash__ = object.__hash__
    array.__neg__ = p.neg
    array.__abs__ = p.abs_
    array.__invert__ = p.bitwise_not
    array.__matmul__ = r.matmul
    array.__getitem__ = _getitem
    array.__setitem__ = _refuse_assignment
    array.__len__ = _length
    array.__round__ = lambda x, digits=None: p.round(x)
    array.__array_ufunc__ = _ufunc
    array.astype = p.cast
    array.reshape = lambda x, *shape: s.reshape(
        x, shape if len(shape) != 1 or isinstance(shape[0], int | Dim) else shape[0]
    )
    array.transpose = lambda x, *axes: s.transpose(x, axes or None)
    array.T = property(s.transpose)
    array.sum, array.mean, array.max, array.min = r.sum_, r.mean, r.max_, r.min_
