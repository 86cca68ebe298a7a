# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions of f64 on tensor cores, by what PTX says."""

import re

import numpy as np
import pytest

from ptx_simulator import warp
from test_ptx_simulator import compute, inspect, simulate, small_integers  # noqa: F401

PROGRAM = """
func.func @f(%x: tensor<LEFTxf64>, %w: tensor<RIGHTxf64>) -> tensor<MxNxf64> {
  %y = fuse.kernel "f" ins(%x, %w : tensor<LEFTxf64>, tensor<RIGHTxf64>) -> tensor<MxNxf64>
      schedule = #fuse.mma<isa = mma_sync, SCHEDULE, raster = 1, store = direct, operand_bits = 64> {
  ^bb0(%a: tensor<LEFTxf64>, %b: tensor<RIGHTxf64>):
    %p = fuse.contract "ORDER->mn" %a, %b : tensor<LEFTxf64>, tensor<RIGHTxf64> -> tensor<MxNxf64>
    fuse.yield %p : tensor<MxNxf64>
  }
  return %y : tensor<MxNxf64>
}
"""
PLAIN = (
    "tile_m = 64, tile_n = 32, tile_k = 16, stages = 3, consumers = 2, persistent = 3"
)
LONG = (
    "tile_m = 128, tile_n = 32, tile_k = 32, stages = 2, consumers = 1, persistent = 2"
)
PARTS = (
    "tile_m = 64, tile_n = 16, tile_k = 16, stages = 4, consumers = 1, persistent = 4, "
    "split_k = 2, swap = true"
)


def program(order, sizes, schedule):
    left, right = order.split(",")
    text = PROGRAM.replace("ORDER", order).replace("SCHEDULE", schedule)
    for name, axes in (("LEFT", left), ("RIGHT", right), ("MxN", "mn")):
        text = text.replace(name, "x".join(str(sizes[axis]) for axis in axes))
    return text


@pytest.mark.parametrize("schedule", [PLAIN, LONG, PARTS])
@pytest.mark.parametrize("order", ["mk,nk", "mk,kn", "km,kn", "km,nk"])
def test_orders(inspect, order, schedule, monkeypatch):  # noqa: F811
    """Ragged sizes; 16 lanes that read 8 bytes each at the same time meet in no bank."""
    met = []
    access = warp.HANDLERS["ld"]

    def counted(its, instruction, mask):
        if re.match(r"ld\.shared\.b64", instruction.opcode) and mask.all():
            banks = its.addresses(instruction.operands[1]) // 8 % 16
            met.append(min(len(set(half)) for half in np.split(banks, 2)))
        return access(its, instruction, mask)

    monkeypatch.setitem(warp.HANDLERS, "ld", counted)
    sizes = {"m": 70, "n": 36, "k": 58}
    text = program(order, sizes, schedule)
    ptx = inspect(text, "ptx")
    assert "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64" in ptx
    assert "ldmatrix" not in ptx
    rng = np.random.default_rng(5)
    x, w = (
        small_integers(rng, *(sizes[axis] for axis in axes)).astype(np.float64)
        for axes in order.split(",")
    )
    (y,) = simulate(inspect, text, [x, w])
    left, right = x if order[0] == "m" else x.T, w if order[3] == "k" else w.T
    np.testing.assert_array_equal(y, left @ right)
    assert met
    assert min(met) == 16
