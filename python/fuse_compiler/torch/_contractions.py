# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which matrix products a region takes.

A library's products are fast; ours save what an epilogue would move, where they come
near it. CONTRACTION_LIMITS is what was measured (docs/tensor-cores.md), not a rule of
the hardware.
"""

import operator

import torch

from fuse_compiler.torch._convert import first_value
from fuse_compiler.torch._convert_shapes import VIEWS

# Of Hopper's tensor cores: from so many rows on, and for K a multiple of so many
# elements, a product is as fast as cuBLAS's in the median.
CONTRACTION_LIMITS = {"rows": 1024, "k_multiple": 64, "columns_multiple": 8}
CHOICES = ("auto", "never", "always")


def contraction_reason(node, options):
    """Why a product stays eager, or None if a region may take it."""
    choice = options["contractions"]
    if choice == "always":
        return None
    value = first_value(node)
    if choice == "never":
        return "contractions are left to the library (contractions='never')"
    if value.device.type != "cuda":
        return (
            "the library's product is faster on a CPU (contractions='always' takes it)"
        )
    return _reason_on_gpu(node, value)


def _reason_on_gpu(node, value):
    if torch.cuda.get_device_capability(value.device) != (9, 0):
        return "only Hopper's tensor cores are used"
    if value.dtype not in (torch.float16, torch.bfloat16):
        return f"tensor cores are used for float16 and bfloat16, not {value.dtype}"
    limits = CONTRACTION_LIMITS
    left = first_value(node.args[-2])
    rows, k, columns = (
        _hint(n) for n in (left.shape[-2], left.shape[-1], value.shape[-1])
    )
    if rows < limits["rows"]:
        return (
            f"the library is faster for {rows} rows; ours is from {limits['rows']} on"
        )
    if k % limits["k_multiple"] or columns % limits["columns_multiple"]:
        return f"the library is faster for K = {k} and {columns} columns"
    if not _has_epilogue(node):
        return "nothing follows that would save memory traffic"
    return None


def _has_epilogue(node):
    """Whether something that is computed element by element reads the product."""
    if node.target in (torch.ops.aten.addmm.default, torch.ops.aten.baddbmm.default):
        return True
    waiting = list(node.users)
    while waiting:
        user = waiting.pop()
        if user.target in VIEWS or user.target is operator.getitem:
            waiting += user.users
        elif torch.Tag.pointwise in getattr(user.target, "tags", ()):
            return True
    return False


def _hint(size):
    return size if isinstance(size, int) else int(size.node.hint or 0)
