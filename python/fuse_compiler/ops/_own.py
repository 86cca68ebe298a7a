# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of torch from a user's formula."""

import torch

from fuse_compiler._library import Error
from fuse_compiler.ops._define import define as define_op
from fuse_compiler.ops._define import differentiate, empty_like


def define(name, schema, formula, *, dims, results, gradient=None):
    """Makes an op of torch from a formula on symbolic arrays (fuse_compiler.lang).

        capped = ops.define(
            "mine::capped",
            "(Tensor x, float cap) -> Tensor",
            lambda x, cap: lang.tanh(x / cap) * cap,
            dims={"x": ("*", None)},
            results=("x",),
            gradient=lambda dy, x, cap: dy * (1 - lang.tanh(x / cap) ** 2),
        )

    name      with a namespace of your own
    schema    the arguments and results, as torch.library has them: tensors that are always
              there, and numbers or strings
    formula   a function of these arguments to an Array, or a tuple
    dims      for each tensor, per dim: a name where the size may be any, None where it is
              part of the program, and "*" for all leading ones
    results   for each result, the tensor whose shape and type it has
    gradient  a function of the results' gradients and all arguments to a gradient for each
              tensor; None if the op has none

    The op can be called, compiled by any backend and exported; with backend="fuse" it fuses
    with its neighbours. Raises Error where names do not fit.
    """
    arguments = torch._C.parse_schema(f"{name}{schema}").arguments
    tensors = [a.name for a in arguments if isinstance(a.type, torch.TensorType)]
    _check_names("dims", dims, tensors)
    _check_names("results", results, tensors)
    if set(dims) != set(tensors):
        raise Error(
            f"expected dims of all tensors, {', '.join(tensors)}, but got those of "
            f"{', '.join(dims) or 'none'}; add the others"
        )
    specs = {name: tuple(dims[name]) for name in tensors}
    names = [a.name for a in arguments]

    def fake(*given):
        like = dict(zip(names, given))
        made = tuple(empty_like(like[each]) for each in results)
        return made if len(made) > 1 else made[0]

    op = define_op(name, schema, formula, specs_in_order(specs, names), fake)
    if gradient is not None:
        _add_gradient(op, name, schema, gradient, specs, names, results)
    return op


def specs_in_order(specs, names):
    """The dims of each argument, () for numbers, which have none."""
    return {name: specs.get(name, ()) for name in names}


def _check_names(what, given, tensors):
    unknown = [name for name in given if name not in tensors]
    if unknown:
        raise Error(
            f"expected {what} of tensors of the schema, {', '.join(tensors)}, but got "
            f"{', '.join(unknown)}; use their names"
        )


def _add_gradient(op, name, schema, gradient, specs, names, results):
    """A second op that computes the gradients, which torch calls."""
    tensors = list(specs)
    incoming = [f"d{number}" for number in range(len(results))]
    declared = "".join(f"Tensor {each}, " for each in incoming)
    inside = schema[schema.index("(") + 1 : schema.rindex("->")].rstrip()[:-1]
    outgoing = ", ".join(["Tensor"] * len(tensors))
    all_names = incoming + names

    def fake(*given):
        like = dict(zip(all_names, given))
        made = tuple(empty_like(like[each]) for each in tensors)
        return made if len(made) > 1 else made[0]

    more = {each: specs[result] for each, result in zip(incoming, results)}
    backward = define_op(
        f"{name}_backward",
        f"({declared}{inside}) -> "
        + (f"({outgoing})" if len(tensors) > 1 else outgoing),
        gradient,
        specs_in_order(more | specs, all_names),
        fake,
    )

    def save(ctx, inputs, output):
        ctx.save_for_backward(*(x for n, x in zip(names, inputs) if n in specs))
        ctx.others = [x for n, x in zip(names, inputs) if n not in specs]

    def run_backward(ctx, *gradients):
        saved, others = iter(ctx.saved_tensors), iter(ctx.others)
        inputs = [next(saved) if n in specs else next(others) for n in names]
        found = backward(*gradients, *inputs)
        found = iter(found if isinstance(found, (tuple, list)) else (found,))
        return tuple(next(found) if n in specs else None for n in names)

    differentiate(op, run_backward, save)
