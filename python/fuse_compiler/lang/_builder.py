# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Symbolic arrays, and the program that is written down while they are combined.

A Builder holds the text of one program. An Array is a value in it; the functions of
fuse_compiler.lang make new ones.

Broadcasting costs nothing until somebody needs it: an Array has the shape that it
stands for, and the shape that its value in the program has, where a repeated
dimension is still 1. Pointwise ops broadcast by themselves; materialize() writes the
repetition down for those that do not.
"""

import functools
import re

from fuse_compiler._library import Error
from fuse_compiler.lang._dims import Dim, divide, product, symbol
from fuse_compiler.lang._types import checked, literal, tensor_type


class Unsupported(Error):
    """What the dialect has no op for, or not of this type or shape."""


class Array:
    """A value of a program.

    shape   sizes: ints, and Dims where they are dynamic
    dtype   "f32", "bf16", ... as in Tensor.dtype
    stored  the shape of the value in the program: as `shape`, with 1 where it repeats
    source  how it was made, where what follows can look through that: an op and its
            arguments, or None
    """

    __slots__ = ("builder", "name", "shape", "stored", "dtype", "source")

    def __init__(self, builder, name, shape, dtype, stored=None, source=None):
        self.builder, self.name, self.dtype = builder, name, dtype
        self.shape = tuple(shape)
        self.stored = self.shape if stored is None else tuple(stored)
        self.source = source

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def type(self):
        return tensor_type(self.stored, self.dtype)

    def with_shape(self, shape, stored):
        """The same value, standing for another shape; `stored` is that of the value."""
        is_repeated = self.shape != self.stored
        base = self.source[1] if is_repeated else self
        source = base.source if tuple(shape) == tuple(stored) else ("repeat", base)
        return Array(self.builder, self.name, shape, self.dtype, stored, source)

    def __bool__(self):
        raise Error(
            "expected a condition that is known, but got a symbolic array, which has no elements "
            "while a program is written; use where(condition, x, y)"
        )

    def __iter__(self):
        raise Error(
            "expected something to iterate over, but got a symbolic array; index or split it"
        )

    def __repr__(self):
        dims = ", ".join(map(str, self.shape))
        return f"<symbolic {self.dtype} [{dims}]>"


class Builder:
    """Writes one program.

    name     of its function
    inputs   that were added
    sizes    further inputs, which carry nothing but a size, by name; see size()
    numbers  further inputs, which are sizes passed by value, by Dim; see number()
    """

    def __init__(self, name="program"):
        self.name = _identifier(name)
        self.inputs = []
        self._scalars = set()
        self.sizes, self.numbers = {}, {}
        self._body = []
        self._outputs = []
        self._counter = 0
        self._known_dims = {}
        self._by_shape = {}
        self._constants = {}
        self._dim_names = {}

    def input(self, name, shape, dtype):
        """An input; sizes are ints, Dims, or strings that name dynamic dims."""
        shape = tuple(symbol(d) if isinstance(d, str) else d for d in shape)
        array = Array(self, f"%{_identifier(name)}", shape, checked(dtype))
        self.inputs.append(array)
        self._know(array)
        return array

    def scalar(self, name, dtype):
        """An input that is a number, of rank 0, which kernels get by value."""
        array = self.input(name, (), dtype)
        self._scalars.add(array.name)
        return array

    def constant(self, value, dtype):
        """A number, of rank 0."""
        key = literal(value, checked(dtype)), dtype
        if key not in self._constants:
            text = f"fuse.constant dense<{key[0]}> : tensor<{dtype}>"
            self._constants[key] = self.emit(
                text, (), dtype, source=("constant", value)
            )
        return self._constants[key]

    def emit(self, text, shape, dtype, source=None):
        """The result of one op, whose text follows the equals sign."""
        array = Array(self, self._fresh(), shape, dtype, source=source)
        self._body.append(f"  {array.name} = {text}")
        self._by_shape.setdefault(array.shape, array)
        return array

    def emit_all(self, text, results):
        """The results of one op of several: pairs of a shape and an element type."""
        arrays = [Array(self, self._fresh(), shape, dtype) for shape, dtype in results]
        names = ", ".join(a.name for a in arrays)
        self._body.append(f"  {names} = {text}")
        for array in arrays:
            self._by_shape.setdefault(array.shape, array)
        return arrays

    def size(self, dim):
        """An array of shape [dim] that is only asked for its size: an input more.

        Behind the others the caller passes any array of that many elements of i1 for each.
        """
        key = str(dim)
        if key not in self.sizes:
            array = Array(self, f"%size_{_identifier(key)}", (dim,), "i1")
            self.sizes[key] = array
            self._know(array)
        return self.sizes[key]

    def number(self, dim):
        """A size as an array of i64 and rank 0: an input more.

        Behind the others, and those of size(), the caller passes the number for each.
        """
        if dim not in self.numbers:
            array = Array(self, f"%number_{len(self.numbers)}", (), "i64")
            self.numbers[dim] = array
            self._scalars.add(array.name)
        return self.numbers[dim]

    def like(self, shape):
        """An array stored in exactly this shape, for ops that take their sizes from one."""
        found = self._by_shape.get(tuple(shape))
        if found is not None:
            return found
        result = None
        for axis, dim in enumerate(shape):
            if not isinstance(dim, Dim):
                continue
            part = self._along(self.size(dim), axis, len(shape))
            result = part if result is None else self._combine(result, part)
        static = [d if isinstance(d, int) else 1 for d in shape]
        if set(static) - {1}:
            ones = self.emit(
                f"fuse.constant dense<false> : {tensor_type(static, 'i1')}",
                static,
                "i1",
            )
            result = self._combine(result, ones)
        return result

    def materialize(self, array):
        """The array with its repetitions written down: stored in its shape."""
        if array.stored == array.shape:
            return array
        missing = any(
            isinstance(d, Dim) and s != d for d, s in zip(array.shape, array.stored)
        )
        result = tensor_type(array.shape, array.dtype)
        if not missing:
            text = f"fuse.broadcast {array.name} : {array.type} -> {result}"
        else:
            like = self.like(array.shape)
            text = (
                f"fuse.broadcast {array.name} like {like.name} : {array.type}, "
                f"{like.type} -> {result}"
            )
        source = ("repeated", array.source[1])
        return self.emit(text, array.shape, array.dtype, source=source)

    def dim_value(self, dim):
        """The name of an index value that holds a size."""
        if isinstance(dim, int):
            return self._index(dim)
        found = self._known_dims.get(dim)
        if found is None:
            found = self._known_dims[dim] = self._computed_dim(dim)
        if isinstance(found, str):
            return found
        array, axis = found
        name = self._fresh()
        self._body.append(
            f"  {name} = tensor.dim {array.name}, {self._index(axis)} : {array.type}"
        )
        self._known_dims[dim] = name
        return name

    def _computed_dim(self, dim):
        """A size that no array has, from those of the names in it."""
        if not all(
            symbol(name) in self._known_dims for names, _ in dim.terms for name in names
        ):
            self.size(dim)
            return self._known_dims[dim]
        total = None
        for names, c in dim.terms:
            parts = ([self._index(c)] if c != 1 or not names else []) + [
                self.dim_value(symbol(name)) for name in names
            ]
            term = functools.reduce(functools.partial(self._arith, "muli"), parts)
            total = term if total is None else self._arith("addi", total, term)
        return total

    def _arith(self, op, a, b):
        name = self._fresh()
        self._body.append(f"  {name} = arith.{op} {a}, {b} : index")
        return name

    def output(self, array):
        """Adds an output."""
        self._outputs.append(self.materialize(array))

    def text(self):
        """The program."""
        inputs = ", ".join(
            f"{a.name}: {a.type}"
            f"{' {fuse.scalar}' if a.name in self._scalars else self._dims_attribute(a)}"
            for a in (*self.inputs, *self.sizes.values(), *self.numbers.values())
        )
        types = ", ".join(a.type for a in self._outputs)
        names = ", ".join(a.name for a in self._outputs)
        body = "\n".join(self._body)
        return (
            f"func.func @{self.name}({inputs}) -> ({types}) {{\n{body}\n"
            f"  return {names} : {types}\n}}\n"
        )

    def _along(self, array, axis, rank):
        """An array of rank 1 as one of another rank, with the other sizes 1."""
        if rank == 1:
            return array
        shape = tuple(array.shape[0] if i == axis else 1 for i in range(rank))
        sizes = ", ".join(
            self.dim_value(d) if isinstance(d, Dim) else str(d) for d in shape
        )
        group = ", ".join(map(str, range(rank)))
        return self.emit(
            f"tensor.expand_shape {array.name} [[{group}]] output_shape [{sizes}] : "
            f"{array.type} into {tensor_type(shape, array.dtype)}",
            shape,
            array.dtype,
        )

    def _combine(self, a, b):
        shape = tuple(y if x == 1 else x for x, y in zip(a.shape, b.shape))
        result = tensor_type(shape, "i1")
        return self.emit(
            f"fuse.or {a.name}, {b.name} : {a.type}, {b.type} -> {result}", shape, "i1"
        )

    def _know(self, array):
        for axis, dim in enumerate(array.shape):
            if isinstance(dim, Dim):
                self._known_dims.setdefault(dim, (array, axis))
        self._by_shape.setdefault(array.shape, array)

    def _index(self, number):
        key = number, "index"
        if key not in self._constants:
            name = self._fresh()
            # Constants stand first: what needs them may be anywhere.
            self._body.insert(0, f"  {name} = arith.constant {number} : index")
            self._constants[key] = name
        return self._constants[key]

    def _fresh(self):
        self._counter += 1
        return f"%{self._counter}"

    def _dims_attribute(self, array):
        names = [self._dim_name(d) for d in array.shape if isinstance(d, Dim)]
        if not names:
            return ""
        quoted = ", ".join(f'"{name}"' for name in names)
        return f" {{fuse.dims = [{quoted}]}}"

    def _dim_name(self, dim):
        """What a size is called: its own name, or a made one for an expression."""
        factors = dim.factors
        if factors and len(factors) == 1:
            return _identifier(factors[0])
        return self._dim_names.setdefault(dim, f"size{len(self._dim_names)}")


def _identifier(name):
    cleaned = re.sub(r"\W", "_", str(name))
    return cleaned if re.match(r"[A-Za-z_]", cleaned) else f"_{cleaned}"


def reshape_groups(old, new):
    """Runs of dims of two shapes with equal products, as pairs (old dims, new dims).

    Raises Unsupported where the shapes do not hold provably as many elements.
    """
    groups, i, j = [], 0, 0
    while i < len(old) or j < len(new):
        start = (i, j)
        i, j = _next_split(old, new, i, j)
        groups.append((range(start[0], i), range(start[1], j)))
    return groups


def _next_split(old, new, i, j):
    """The shortest runs from i and j on that hold as many elements."""
    left = [product(old[i:k]) for k in range(i, len(old) + 1)]
    right = [product(new[j:k]) for k in range(j, len(new) + 1)]
    for a in range(1, len(left)):
        for b in range(1, len(right)):
            if left[a] == right[b]:
                return _with_ones(old, i + a, new, j + b)
    if left[-1] == 1 and right[-1] == 1:
        return len(old), len(new)
    raise Unsupported(
        f"expected a reshape to as many elements, but got one from [{_sizes(old)}] to "
        f"[{_sizes(new)}], which are not provably the same; give sizes that are factors"
    )


def _with_ones(old, i, new, j):
    """Ones that nothing else follows belong to the run before them."""
    if all(d == 1 for d in old[i:]) and all(d == 1 for d in new[j:]):
        return len(old), len(new)
    return i, j


def _sizes(shape):
    return ", ".join(map(str, shape))


def infer_size(old, new):
    """A shape with its -1 replaced by what is left of the elements."""
    if -1 not in [d for d in new if isinstance(d, int)]:
        return tuple(new)
    rest = product(d for d in new if d != -1)
    left = divide(product(old), rest)
    if left is None:
        raise Unsupported(
            f"expected a shape whose elements divide those of [{_sizes(old)}], but got "
            f"[{_sizes(new)}]; give the size in place of -1"
        )
    return tuple(left if isinstance(d, int) and d == -1 else d for d in new)
