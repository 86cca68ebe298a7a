# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Making an op of torch from a formula: eager, fake, and inside of regions.

An op of the library `fuse` may be called eagerly, traced, exported and differentiated.
The torch backend knows its formula, so that it fuses with what is around it.
"""

import torch

from fuse_compiler._library import Error
from fuse_compiler.ops._run import run
from fuse_compiler.torch._convert import converter


def define(name, schema, formula, specs, fake):
    """Registers an op.

    name     "fuse::rms_norm"; without a namespace it is in fuse's
    schema   as torch.library has it: "(Tensor x, float eps) -> Tensor"
    formula  a function of _formulas with the same arguments
    specs    the dims of its tensors, see run()
    fake     a function with the same arguments to empty tensors like the results
    """

    def compute(*arguments):
        refuse_forward_mode(name)
        return run(formula, specs, *arguments)

    qualified = name if "::" in name else f"fuse::{name}"
    namespace, _, short = qualified.partition("::")
    torch.library.define(qualified, schema, tags=(torch.Tag.pt2_compliant_tag,))
    torch.library.impl(qualified, ("cpu", "cuda"))(compute)
    torch.library.register_fake(qualified)(fake)
    op = getattr(getattr(torch.ops, namespace), short).default

    @converter(op)
    def convert(context, *arguments, **keywords):
        return formula(*arguments, **keywords)

    return op


def refuse_forward_mode(name):
    """An Error while tangents are computed: torch would take those of an op for zero."""
    if torch.autograd.forward_ad._current_level >= 0:
        raise Error(
            f"expected no derivatives in forward mode (torch.func.jvp, forward_ad) of {name}, but "
            "got a call for one; take gradients by backward(), or call torch's own operators"
        )


def empty_like(x, shape=None, dtype=None):
    """A contiguous tensor like x; for fakes."""
    shape = x.shape if shape is None else shape
    return torch.empty(shape, dtype=dtype or x.dtype, device=x.device)


def differentiate(op, backward, saved):
    """Registers the gradient of an op.

    backward  a function (context, *gradients) to a gradient or None for each argument
    saved     a function (context, inputs, output) that remembers what backward needs
    """

    def setup_context(ctx, inputs, output):
        saved(ctx, inputs, output)

    torch.library.register_autograd(op.name(), backward, setup_context=setup_context)
