# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights of 8 and 4 bits that warps compute in registers, by what PTX says."""

import re

import numpy as np
import pytest

from test_ptx_simulator import compute, inspect, rounded, simulate, small_integers  # noqa: F401

PROGRAM = """
func.func @f(%x: tensor<MxKxTYPE>, %w: tensor<NxBYTESxi8>, %s: tensor<Nx1xTYPE>) -> tensor<MxNxTYPE> {
  %y = fuse.kernel "f" ins(%x, %w, %s : tensor<MxKxTYPE>, tensor<NxBYTESxi8>, tensor<Nx1xTYPE>) -> tensor<MxNxTYPE>
      schedule = #fuse.mma<isa = mma_sync, tile_m = 64, tile_n = 16, tile_k = 128, stages = 3, consumers = 1, raster = 2, store = direct, persistent = 4, swap = true, column_bits = BITS> {
  ^bb0(%a: tensor<MxKxTYPE>, %b: tensor<NxBYTESxi8>, %c: tensor<Nx1xTYPE>):
    UNPACK
    %f = fuse.cast %q : tensor<NxKxi8> -> tensor<NxKxTYPE>
    %d = fuse.mul %f, %c : tensor<NxKxTYPE>, tensor<Nx1xTYPE> -> tensor<NxKxTYPE>
    %p = fuse.contract "mk,nk->mn" %a, %d : tensor<MxKxTYPE>, tensor<NxKxTYPE> -> tensor<MxNxTYPE>
    fuse.yield %p : tensor<MxNxTYPE>
  }
  return %y : tensor<MxNxTYPE>
}
"""


def program(m, n, k, dtype, bits, unsigned):
    if bits == 4:
        sign = "unsigned " if unsigned else ""
        unpack = f"%q = fuse.unpack {sign}%b : tensor<NxBYTESxi8> -> tensor<NxKxi8>"
        text = PROGRAM.replace("UNPACK", unpack)
    else:
        text = PROGRAM.replace("UNPACK", "").replace("%q", "%b")
    text = text.replace("BITS", str(bits)).replace("TYPE", dtype)
    for name, size in (("M", m), ("N", n), ("K", k), ("BYTES", k * bits // 8)):
        text = text.replace(f"<{name}x", f"<{size}x").replace(f"x{name}x", f"x{size}x")
    return text


@pytest.mark.parametrize(
    "bits, unsigned, dtype",
    [(8, False, "bf16"), (8, False, "f16"), (4, False, "bf16"), (4, True, "f16")],
)
def test_weights_in_registers(inspect, bits, unsigned, dtype):  # noqa: F811
    """All values of a byte, scales that keep sums exact; the last step and tile are not whole."""
    m, n, k = 11, 72, 288
    rng = np.random.default_rng(3)
    x = rng.integers(-1, 2, (m, k)).astype(np.float32)
    stored = rng.integers(-128, 128, (n, k * bits // 8)).astype(np.int8)
    stored.flat[:256] = np.arange(-128, 128)
    weights = stored.astype(np.float32)
    if bits == 4:
        low, high = stored & 15, stored >> 4 & 15
        weights = np.stack((low, high), -1).reshape(n, k).astype(np.float32)
        if not unsigned:
            weights -= 16 * (weights > 7)
    scales = np.exp2(rng.integers(-2, 2, (n, 1))).astype(np.float32)
    text = program(m, n, k, dtype, bits, unsigned)
    ptx = inspect(text, "ptx")
    assert "ldmatrix" not in ptx and f"mul.rn.{dtype}x2" in ptx.replace(
        "mul.f16x2", "mul.rn.f16x2"
    )
    (y,) = simulate(inspect, text, [x, stored, scales])
    expected = (x @ (weights * scales).T).astype(np.float32)
    expected = rounded(expected) if dtype == "bf16" else expected.astype(np.float16)
    np.testing.assert_array_equal(y, expected)


ROW = """
func.func @f(%x: tensor<1xGROUPSx128xbf16>, %w: tensor<NxBYTESxi8>, %s: tensor<NxGROUPSx1xbf16>) -> tensor<Nxf32> {
  %q = fuse.unpack SIGN %w : tensor<NxBYTESxi8> -> tensor<NxKxi8>
  %g = tensor.expand_shape %q [[0], [1, 2]] output_shape [N, GROUPS, 128] : tensor<NxKxi8> into tensor<NxGROUPSx128xi8>
  %f = fuse.cast %g : tensor<NxGROUPSx128xi8> -> tensor<NxGROUPSx128xbf16>
  %d = fuse.mul %f, %s : tensor<NxGROUPSx128xbf16>, tensor<NxGROUPSx1xbf16> -> tensor<NxGROUPSx128xbf16>
  %e = fuse.cast %d : tensor<NxGROUPSx128xbf16> -> tensor<NxGROUPSx128xf32>
  %v = fuse.cast %x : tensor<1xGROUPSx128xbf16> -> tensor<1xGROUPSx128xf32>
  %p = fuse.mul %e, %v : tensor<NxGROUPSx128xf32>, tensor<1xGROUPSx128xf32> -> tensor<NxGROUPSx128xf32>
  %y = fuse.reduce sum %p dims = [1, 2] : tensor<NxGROUPSx128xf32> -> tensor<Nxf32>
  return %y : tensor<Nxf32>
}
"""


# Two of a row's groups of 128 for each warp, and two rows of each thread.
KERNEL = """
func.func @f(%x: tensor<1xGROUPSx128xbf16>, %w: tensor<NxBYTESxi8>, %s: tensor<NxGROUPSx1xbf16>) -> tensor<Nxf32> {
  %k = fuse.kernel "f" ins(%x, %w, %s : tensor<1xGROUPSx128xbf16>, tensor<NxBYTESxi8>, tensor<NxGROUPSx1xbf16>) -> tensor<Nxf32>
      schedule = #fuse.rows<threads = 64, vector = 16, rows_per_block = 4, hold = registers<rows_per_thread = 4>> {
  ^bb0(%x_: tensor<1xGROUPSx128xbf16>, %w_: tensor<NxBYTESxi8>, %s_: tensor<NxGROUPSx1xbf16>):
BODY
    fuse.yield %y : tensor<Nxf32>
  }
  return %k : tensor<Nxf32>
}
"""


def in_kernel(text):
    """The program of ROW with a schedule."""
    body = [line for line in text.splitlines() if line.startswith("  %")]
    body = "\n".join(re.sub(r"%([xws])\b", r"%\1_", line) for line in body)
    return KERNEL.replace("BODY", body)


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("bits, unsigned", [(8, False), (4, False), (4, True)])
def test_weights_of_one_row(inspect, bits, unsigned, several):  # noqa: F811
    """Of ordinary cores, which multiply a group's sums with its scale; of tensor cores
    where threads have several rows."""
    n, k, groups = 12, 1024, 8
    rng = np.random.default_rng(4)
    x = rng.integers(-3, 4, (1, k)).astype(np.float32)
    stored = rng.integers(-128, 128, (n, k * bits // 8)).astype(np.int8)
    stored.flat[:256] = np.arange(-128, 128)
    weights = stored.astype(np.float32)
    text = ROW.replace("SIGN ", "unsigned " if unsigned else "")
    if bits == 4:
        weights = np.stack((stored & 15, stored >> 4 & 15), -1).reshape(n, k)
        weights = weights.astype(np.float32)
        if not unsigned:
            weights -= 16 * (weights > 7)
    else:
        stored = stored.reshape(n, groups, -1)
        lines = [line for line in text.splitlines() if "%q" not in line]
        text = "\n".join(lines).replace("%g", "%w").replace("NxBYTES", "NxGROUPSx128")
    scales = np.exp2(rng.integers(-2, 2, (n, groups, 1))).astype(np.float32)
    if several:
        text = in_kernel(text)
        if bits == 8:
            text = text.replace("NxBYTES", "NxGROUPSx128")
    sizes = {"N": n, "K": k, "BYTES": k * bits // 8, "GROUPS": groups}
    for name, size in sizes.items():
        text = re.sub(rf"(?<![A-Z]){name}(?![A-Z])", str(size), text)
    assert ("mma.sync" in inspect(text, "ptx")) == several
    (y,) = simulate(inspect, text, [x.reshape(1, groups, -1), stored, scales])
    wide = (weights.reshape(n, groups, -1) * scales).reshape(n, k)
    np.testing.assert_array_equal(y, wide @ x[0])


@pytest.mark.parametrize(
    "opcode, operands, expected",
    [
        ("add.rn.bf16x2", (0x43004308, 0xC300C308), 0x00000000),
        ("mul.rn.bf16x2", (0x40003F80, 0x3F804000), 0x40004000),
        ("sub.f16x2", (0x64016480, 0x64006480), 0x3C000000),
        ("lop3.b32", (0x12345678, 0xF000F, 0x43084308, 0x6A), 0x430C4300),
        ("lop3.b32", (0x12345678, 0xF000F, 0x43004300, 0xEA), 0x43044308),
    ],
)
def test_pairs(opcode, operands, expected):
    assert compute(opcode, *operands) == expected
