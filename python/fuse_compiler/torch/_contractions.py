# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which matrix products a region takes.

A library's products are fast; ours save what a region around them would move, where they
are as fast. One alone is no region, and stays the library's. CONTRACTION_LIMITS is what was measured (docs/tensor-cores.md), not a rule of
the hardware.
"""

import torch

from fuse_compiler.torch._convert import first_value
from fuse_compiler.torch._symbols import size_hint

# Of Hopper's tensor cores: from so many rows on, and for K a multiple of so many
# elements, a product is as fast as cuBLAS's in the median.
CONTRACTION_LIMITS = {"rows": 1024, "k_multiple": 64, "columns_multiple": 8}
CHOICES = ("auto", "never", "always")


def tf32_is_allowed():
    """Whether products of float32 may be of TF32. torch traces anew when that changes."""
    try:
        return torch.backends.cuda.matmul.allow_tf32
    except (
        RuntimeError
    ):  # Chosen by the newer setting, beside which torch refuses the older.
        return torch.backends.cuda.matmul.fp32_precision == "tf32"


def contraction_reason(node, options):
    """Why a product stays eager, or None if a region may take it."""
    choice = options["contractions"]
    if choice == "always" or first_value(node.args[-2]).shape[-1] == 1:
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
    if value.dtype not in (torch.float16, torch.bfloat16, torch.float32):
        return (
            f"tensor cores are used for float16, bfloat16 and TF32, not {value.dtype}"
        )
    limits = CONTRACTION_LIMITS
    left, right = (first_value(each) for each in node.args[-2:])
    if value.dtype == torch.float32:
        if not tf32_is_allowed():
            return (
                "float32 is multiplied exactly, by ordinary cores "
                "(torch.set_float32_matmul_precision('high') allows TF32)"
            )
        # Tensor cores read it along K: others would be transposed first.
        if left.stride(-1) != 1 or right.stride(-2) != 1:
            return "the library is faster where TF32 does not lie along K"
    rows, k, columns = (
        size_hint(n) for n in (left.shape[-2], left.shape[-1], value.shape[-1])
    )
    if rows < limits["rows"]:
        return (
            f"the library is faster for {rows} rows; ours is from {limits['rows']} on"
        )
    if k % limits["k_multiple"] or columns % limits["columns_multiple"]:
        return f"the library is faster for K = {k} and {columns} columns"
    return None
