# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of JAX arrays from formulas on symbolic ones."""

import functools
import inspect

import jax

from fuse_compiler import lang
from fuse_compiler._library import Error
from fuse_compiler.jax._call import ELEMENTS, call, compiled


def define(formula, gradient=None):
    """A function of JAX arrays, which is one program.

        capped = define(
            lambda x, *, cap: lang.tanh(x / cap) * cap,
            lambda dy, x, *, cap: (dy * (1 - lang.tanh(x / cap) ** 2),),
        )

    formula   a function of symbolic arrays (fuse_compiler.lang), and of numbers, strings or
              None, which are keywords or have a default
    gradient  a function of the results' gradients and all arguments of the formula to a
              gradient for each array, or None for those that have none; without it the
              function has no gradient

    It may be called under jax.jit, vmap and, with a gradient, grad.
    """
    signature = inspect.signature(formula)

    @functools.wraps(formula)
    def function(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        arrays = {n: v for n, v in bound.arguments.items() if _is_array(v)}
        others = {n: v for n, v in bound.arguments.items() if n not in arrays}
        return _differentiable(formula, gradient, tuple(arrays), _key(others))(
            *arrays.values()
        )

    return function


def _is_array(value):
    return hasattr(value, "dtype") and hasattr(value, "shape")


def _key(others):
    try:
        hash(tuple(others.items()))
    except TypeError:
        raise Error(
            f"expected arrays, numbers, strings or None, but got {others}; make arrays of lists"
        ) from None
    # 1, 1.0 and True are equal, and not the same.
    return tuple((name, type(value), value) for name, value in others.items())


@functools.cache
def _differentiable(formula, gradient, names, others):
    """The function of the arrays alone."""
    keywords = {name: value for name, _, value in others}

    def primal(*arrays):
        return _run(formula, dict(zip(names, arrays)), keywords)

    if gradient is None:
        return primal
    function = jax.custom_vjp(primal)

    def forward(*arrays):
        return primal(*arrays), arrays

    def backward(arrays, incoming):
        given = incoming if isinstance(incoming, tuple) else (incoming,)
        named = {f"d{i}": each for i, each in enumerate(given)}

        values = named | dict(zip(names, arrays))
        return _run_gradient(gradient, values, keywords, names, arrays)

    function.defvjp(forward, backward)
    return function


def _run(formula, arrays, others):
    builder, symbolic = _inputs(formula, arrays)
    result = formula(**symbolic, **others)
    several = isinstance(result, tuple)
    for each in result if several else (result,):
        builder.output(each)
    made = call(compiled(builder.text()), *arrays.values())
    return made if several or not isinstance(made, tuple) else made[0]


def _run_gradient(gradient, arrays, others, names, primals):
    builder, symbolic = _inputs(gradient, arrays)
    found = gradient(*symbolic.values(), **others)
    found = found if isinstance(found, tuple) else (found,)
    if len(found) != len(names):
        raise Error(
            f"expected a gradient, or None, for each of {', '.join(names)}, but got {len(found)}; "
            "return as many"
        )
    for each in found:
        if each is not None:
            builder.output(each)
    made = call(compiled(builder.text()), *arrays.values())
    made = iter(made if isinstance(made, tuple) else (made,))
    return tuple(
        _no_gradient(x) if each is None else next(made)
        for each, x in zip(found, primals)
    )


def _no_gradient(x):
    if jax.numpy.issubdtype(x.dtype, jax.numpy.inexact):
        return jax.numpy.zeros_like(x)
    # Integers have a tangent space of one point.
    import numpy

    return numpy.zeros(x.shape, jax.dtypes.float0)


def _inputs(formula, arrays):
    """A program with an input for each array, and the symbolic arrays by name."""
    builder = lang.Builder(getattr(formula, "__name__", "function"))
    symbolic = {}
    for name, array in arrays.items():
        dtype = ELEMENTS.get(str(array.dtype))
        if dtype is None:
            raise Error(
                f"expected '{name}' to be of {', '.join(ELEMENTS)}, but got {array.dtype}; use "
                "astype()"
            )
        symbolic[name] = builder.input(name, array.shape, dtype)
    return builder, symbolic
