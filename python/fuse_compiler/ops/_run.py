# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How an op's formula is run on tensors.

Leading dims have any size: one program serves all batches. The last dim's size is part
of the program, so that its schedule fits.
"""

import functools
import inspect

import torch

from fuse_compiler._jit import jit

LEADING = "*"


@functools.cache
def _jitted(formula, dims):
    return jit(formula, dims=dict(dims))


@functools.cache
def _parameters(formula):
    return tuple(inspect.signature(formula).parameters)


def _named(spec, rank):
    """("*", None) for rank 3 as ("d0", "d1", None)."""
    if LEADING not in spec:
        return spec
    at = spec.index(LEADING)
    more = rank - (len(spec) - 1)
    return (*spec[:at], *(f"d{i}" for i in range(more)), *spec[at + 1 :])


def run(formula, specs, *arguments):
    """The formula's results for tensors and numbers.

    specs  by argument, in their order, its dims: a name where the size may be any, None
           where it is static, "*" for all leading ones; what is said of numbers is ignored
    """
    key = formula, *map(_facts, arguments)
    call = _calls.get(key)
    if call is None:
        if len(_calls) >= _MOST_CALLS:
            _calls.clear()
        call = _calls[key] = _new_call(formula, specs, arguments)
    tensors = [a for a in arguments if isinstance(a, torch.Tensor)]
    if not torch.is_grad_enabled():
        return call(tensors)
    with torch.no_grad():
        return call(tensors)


# What finding the program of a call takes is longer than the call.
_MOST_CALLS = 4096
_calls = {}


def _facts(argument):
    """All of an argument that a program may depend on, as a key."""
    if isinstance(argument, torch.Tensor):
        return argument.shape, argument.dtype, argument.device
    return type(argument), argument


def _new_call(formula, specs, arguments):
    """A function of the tensors among such arguments, which runs their program."""
    dims = []
    # A formula may have other names than the schema.
    for name, spec, tensor in zip(_parameters(formula), specs.values(), arguments):
        if isinstance(tensor, torch.Tensor):
            dims.append((name, _named(spec, tensor.ndim)))
    with torch.no_grad():
        return _jitted(formula, tuple(dims)).prepared(*arguments)


ROWS = (LEADING, None)
VECTOR = (None,)
EACH_ROW = (LEADING,)
