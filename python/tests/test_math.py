# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The errors that docs/math.md promises, of whole programs on the CPU."""

import fuse_compiler as fuse
import numpy as np
import pytest
from accuracy import op_accuracy


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
@pytest.mark.parametrize("op", op_accuracy.OPS)
def test_every_16_bit_value(op, dtype):
    worst, at = op_accuracy.measure(op, dtype)
    assert worst <= op_accuracy.OPS[op].bound(dtype, "cpu"), at


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("op", op_accuracy.OPS)
def test_a_sample_of_wide_values(op, dtype):
    worst, at = op_accuracy.measure(op, dtype, stride=65537)
    assert worst <= op_accuracy.OPS[op].bound(dtype, "cpu"), at


def test_a_wrong_zero_or_nan_is_an_error():
    xp = op_accuracy.NumPy()
    truth = np.array([0.0, np.nan, 1.0, np.inf])
    got = np.array([-0.0, 1.0, np.nan, 2.0**127])
    with np.errstate(all="ignore"):
        errors = op_accuracy.ulp_errors(xp, got, truth, "f32", 0)
    assert (errors[:3] == np.inf).all() and errors[3] == 2.0**23


ROTARY = """
func.func @phases(%x: tensor<?x1x128x{dtype}> {{fuse.dims = ["n"]}},
                  %p: tensor<?xi32> {{fuse.dims = ["n"]}}) -> tensor<?x1x128x{dtype}> {{
  %y = fuse.rotary half tokens_heads %x positions(%p) base = {base}
      : tensor<?x1x128x{dtype}>, tensor<?xi32>
  return %y : tensor<?x1x128x{dtype}>
}}"""


@pytest.mark.parametrize(("dtype", "numpy"), [("f32", np.float32), ("f16", np.float16)])
@pytest.mark.parametrize("base", ["1.0e4", "5.0e5"])
def test_rotary_phases_up_to_two_to_the_20(base, dtype, numpy):
    """Within 2 ULP of f64; computed in f16 they were noise: EleutherAI/gpt-neox#1003."""
    end = 1 << 20
    positions = np.r_[0:64, 64:end:997, end - 64 : end + 1].astype(np.int32)
    # The pair (1, 0) becomes (cos, sin).
    x = np.zeros((len(positions), 1, 128), numpy)
    x[:, :, :64] = 1
    program = fuse.compile(ROTARY.format(base=base, dtype=dtype), target="cpu")
    result = program(x, positions)[:, 0].astype(np.longdouble)

    exponents = np.arange(64, dtype=np.longdouble) / -64
    angles = np.outer(positions, np.longdouble(float(base)) ** exponents)
    # The reference's own error, of a 64-bit mantissa.
    slack = positions[:, None] * np.longdouble(2) ** -62
    for got, truth in (
        (result[:, :64], np.cos(angles)),
        (result[:, 64:], np.sin(angles)),
    ):
        ulp = np.spacing(np.abs(truth).astype(numpy)).astype(np.longdouble)
        assert (np.abs(got - truth) <= 2 * ulp + slack).all()
