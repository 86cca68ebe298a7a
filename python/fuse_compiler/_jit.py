# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs from Python functions on symbolic arrays."""

import functools
import inspect
import threading

from fuse_compiler import lang
from fuse_compiler._adapter import CUDA, DTYPES
from fuse_compiler._arrays import adapters
from fuse_compiler._compile import compile as compile_program
from fuse_compiler._library import Error
from fuse_compiler.lang._dims import symbol
from fuse_compiler.lang._sizes import Sizes

_NAMES = {code: name for name, code in DTYPES.items()}
_STATIC = (bool, int, float, str, bytes, type(None))


def jit(function=None, *, dims=None, target=None, **options):
    """Makes a program of a function, and calls it with arrays.

        @fuse.jit(dims={"x": ("rows", None)})
        def normalized(x, *, eps=1e-6):
            return x * lang.rsqrt((x * x).mean(-1, keepdims=True) + eps)

    The function gets a symbolic array (lang.Array) for each array that it is called
    with, and returns one or a tuple of them. It runs once for each combination of types,
    ranks, static sizes and other arguments, which are numbers, strings, None, or tuples
    of these.

    dims     by argument, a name for each dim that may have any size, None for one whose
             size is part of the program; equal names are equal sizes. Without it all
             sizes are static.
    target   as of compile(); default: the device of the first array
    options  of compile()

    The result takes what Program takes: arrays, out= and stream=. Raises Error for what
    compile() refuses, and for functions that need what the dialect has not.
    """
    if function is None:
        return functools.partial(jit, dims=dims, target=target, **options)
    return Jitted(function, dims or {}, target, options)


class Jitted:
    """A function that becomes a program when it is called; see jit().

    function  that was given, to be called on symbolic arrays in another one
    """

    def __init__(self, function, dims, target, options):
        functools.update_wrapper(self, function)
        self.function, self._dims = function, dims
        self._target, self._options = target, options
        self._signature = inspect.signature(function)
        unknown = set(dims) - set(self._signature.parameters)
        if unknown:
            raise Error(
                f"expected dims of {', '.join(self._signature.parameters)}, but got some of "
                f"{', '.join(sorted(unknown))}; name the arguments of {function.__name__}"
            )
        self._traces = {}
        self._lock = threading.Lock()

    def __call__(self, *args, out=None, stream=None, **kwargs):
        trace, arrays = self._trace(args, kwargs)
        return trace.program(*trace.inputs(arrays), out=out, stream=stream)

    def program(self, *args, **kwargs):
        """The Program for such arguments."""
        return self._trace(args, kwargs)[0].program

    def text(self, *args, **kwargs):
        """The text of the program for such arguments."""
        return self._trace(args, kwargs)[0].text

    def prepared(self, *args, **kwargs):
        """A function of the list of arrays among such arguments, for others like them."""
        trace, _ = self._trace(args, kwargs)
        if not trace.has_sizes:
            return lambda arrays: trace.program(*arrays)
        return lambda arrays: trace.program(*trace.inputs(arrays))

    def _trace(self, args, kwargs):
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        arrays, key = {}, []
        for name, value in bound.arguments.items():
            if _is_static(value):
                key.append((name, _key(value)))
            else:
                arrays[name] = value
                key.append((name, *_facts(name, value, self._dims.get(name))))
        key = tuple(key)
        trace = self._traces.get(key)
        if trace is None:
            with self._lock:
                trace = self._traces.get(key) or self._write(bound.arguments, arrays)
                self._traces[key] = trace
        return trace, list(arrays.values())

    def _write(self, arguments, arrays):
        if not arrays:
            raise Error(
                f"expected an array among the arguments of {self.function.__name__}, but got none; "
                "pass one, which says where results are to be"
            )
        builder = lang.Builder(self.function.__name__)
        sizes, values = Sizes(), dict(arguments)
        for index, (name, array) in enumerate(arrays.items()):
            dtype, shape, _ = _facts(name, array, self._dims.get(name))
            values[name] = builder.input(name, shape, dtype)
            sizes.add_tensor(index, values[name].shape)
        bound = inspect.BoundArguments(self._signature, values)
        result = self.function(*bound.args, **bound.kwargs)
        for each in result if isinstance(result, (tuple, list)) else (result,):
            if not isinstance(each, lang.Array):
                raise Error(
                    f"expected {self.function.__name__} to return symbolic arrays, but got "
                    f"{type(each).__name__}; return what functions of lang give"
                )
            builder.output(each)
        kind, number = _facts(*next(iter(arrays.items())), None)[2]
        target = self._target or ("cuda" if kind == CUDA else "cpu")
        options = {"device": number} | self._options
        return _Trace(builder, sizes, target, options)


class _Trace:
    """One program of a function, and what it is called with beside the arrays."""

    def __init__(self, builder, sizes, target, options):
        self.text = builder.text()
        self.program = compile_program(self.text, target=target, **options)
        self._sizes = [sizes.resolver(a.shape[0]) for a in builder.sizes.values()]

    @property
    def has_sizes(self):
        """Whether it has inputs beside the arrays, which carry sizes."""
        return bool(self._sizes)

    def inputs(self, arrays):
        return [*arrays, *(_of_size(arrays[0], size(arrays)) for size in self._sizes)]


def _is_static(value):
    if isinstance(value, (tuple, list)):
        return all(map(_is_static, value))
    return isinstance(value, _STATIC)


def _key(value):
    """What tells arguments apart that are part of a program: also 1 and True, and both zeros."""
    if isinstance(value, (tuple, list)):
        return type(value), *map(_key, value)
    return type(value), repr(value) if isinstance(value, float) else value


def _facts(name, array, dims):
    """The element type, the shape with names of dynamic dims, and the device of an array."""
    adapter = adapters[type(array)]
    layout = adapter.layout(adapter.describe(array)[1], None)
    shape = layout.shape
    if dims is not None:
        if len(dims) != len(shape):
            raise Error(
                f"expected '{name}' to have the {len(dims)} dims {list(dims)}, but got the shape "
                f"{list(shape)}; reshape it"
            )
        shape = tuple(
            symbol(d) if isinstance(d, str) else n for d, n in zip(dims, shape)
        )
    return _NAMES[layout.dtype], shape, layout.device


def _of_size(like, size):
    """An array of so many elements of i1 that nobody reads, where `like` is."""
    if type(like).__module__.partition(".")[0] == "torch":
        import torch

        return like.new_zeros(1, dtype=torch.bool).expand(size)
    import numpy

    return numpy.broadcast_to(numpy.zeros(1, numpy.bool_), (size,))
