# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/ptx_simulator: the PTX of small programs, run on NumPy, against NumPy."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from ptx_simulator import flow, launch, registers, text
from ptx_simulator.tensor import TensorMap, swizzle

TIMINGS = ["late", "early", "random"]


@pytest.fixture(scope="module")
def inspect(tmp_path_factory):
    """What `fuse inspect` shows of a program, by kind."""
    build = os.environ.get("FUSE_BUILD_DIR")
    driver = Path(build, "bin", "fuse") if build else shutil.which("fuse")
    if not driver or not Path(driver).exists():
        pytest.skip("no fuse in FUSE_BUILD_DIR or the path")
    folder = tmp_path_factory.mktemp("ptx")

    def run(program, kind):
        path = folder / "program.mlir"
        path.write_text(program)
        command = [
            driver,
            "inspect",
            path,
            "--chip=sm_90a",
            "--no-cache",
            f"--emit={kind}",
        ]
        return subprocess.run(
            command, check=True, capture_output=True, text=True
        ).stdout

    return run


def rounded(array):
    """To bf16."""
    return registers.from_bfloat(registers.bfloat_of(np.asarray(array, np.float32)))


def simulate(inspect, program, arrays, change=lambda ptx: ptx, **options):
    ptx = change(inspect(program, "ptx"))
    return launch.Program(inspect(program, "gpu"), ptx).run(arrays, **options)


# ---------------------------------------------------------------- programs

GELU = """
func.func @f(%x: tensor<7x1001xbf16>) -> tensor<7x1001xbf16> {
  %y = fuse.gelu tanh %x : tensor<7x1001xbf16>
  return %y : tensor<7x1001xbf16>
}
"""

SOFTMAX = """
func.func @f(%x: tensor<5x1000xf32>) -> tensor<5x1000xf32> {
  %y = fuse.softmax %x dims = [1] : tensor<5x1000xf32>
  return %y : tensor<5x1000xf32>
}
"""

NORM = """
func.func @f(%x: tensor<ROWSx4096xbf16>, %r: tensor<ROWSx4096xbf16>, %w: tensor<4096xbf16>)
    -> (tensor<ROWSx4096xbf16>, tensor<ROWSx4096xbf16>) {
  %h = fuse.add %x, %r : tensor<ROWSx4096xbf16>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<ROWSx4096xbf16>, tensor<4096xbf16>
  return %h, %y : tensor<ROWSx4096xbf16>, tensor<ROWSx4096xbf16>
}
"""

MATMUL = """
func.func @f(%x: tensor<MxKxTYPE>, %w: tensor<NxKxTYPE>) -> tensor<MxNxTYPE> {
  %y = fuse.matmul %x, %w transpose_rhs : tensor<MxKxTYPE>, tensor<NxKxTYPE> -> tensor<MxNxTYPE>
  return %y : tensor<MxNxTYPE>
}
"""


SCHEDULED = """
func.func @f(%x: tensor<MxKxTYPE>, %w: tensor<NxKxTYPE>) -> tensor<MxNxTYPE> {
  %y = fuse.kernel "f" ins(%x, %w : tensor<MxKxTYPE>, tensor<NxKxTYPE>) -> tensor<MxNxTYPE>
      schedule = #fuse.mma<isa = wgmma, SCHEDULE> {
  ^bb0(%a: tensor<MxKxTYPE>, %b: tensor<NxKxTYPE>):
    %p = fuse.contract "mk,nk->mn" %a, %b : tensor<MxKxTYPE>, tensor<NxKxTYPE> -> tensor<MxNxTYPE>
    fuse.yield %p : tensor<MxNxTYPE>
  }
  return %y : tensor<MxNxTYPE>
}
"""

COPIED = (
    "tile_m = 128, tile_n = 128, tile_k = 64, stages = 4, consumers = 2, "
    "raster = 1, store = tma, persistent = 132"
)
SPLIT = (
    "tile_m = 64, tile_n = 64, tile_k = 64, stages = 3, consumers = 2, "
    "raster = 1, store = direct, persistent = 4, split_k = 2"
)
SWAPPED = (
    "tile_m = 128, tile_n = 16, tile_k = 64, stages = 3, consumers = 2, "
    "raster = 1, store = direct, persistent = 8, split_k = 4, swap = true"
)


def matmul(m, n, k, dtype="bf16", schedule=None):
    program = (SCHEDULED if schedule else MATMUL).replace("TYPE", dtype)
    program = program.replace("SCHEDULE", schedule or "")
    for name, size in (("M", m), ("N", n), ("K", k)):
        program = re.sub(rf"\b{name}x|(?<=x){name}x", f"{size}x", program)
    return program


def small_integers(rng, *shape):
    """Whose products' sums are exact in f32."""
    return rng.integers(-3, 4, shape).astype(np.float32)


def test_elementwise(inspect):
    x = rounded(np.random.default_rng(0).standard_normal((7, 1001)))
    (y,) = simulate(inspect, GELU, [x])
    x = x.astype(np.float64)
    expected = x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    np.testing.assert_allclose(y, expected, rtol=2**-8, atol=1e-3)


def test_rows(inspect):
    x = np.random.default_rng(1).standard_normal((5, 1000)).astype(np.float32)
    (y,) = simulate(inspect, SOFTMAX, [x])
    weights = np.exp(x.astype(np.float64))
    np.testing.assert_allclose(y, weights / weights.sum(1, keepdims=True), rtol=1e-5)


@pytest.mark.parametrize("timing", TIMINGS)
def test_rows_of_clusters(inspect, timing):
    """Few rows are shared by the blocks of a cluster, which tell each other by st.async."""
    rng = np.random.default_rng(2)
    x, r = (rounded(rng.standard_normal((2, 4096))) for _ in range(2))
    w = rounded(rng.standard_normal(4096))
    program = NORM.replace("ROWS", "2")
    assert "st.async" in inspect(program, "ptx")
    h, y = simulate(inspect, program, [x, r, w], timing=timing)
    np.testing.assert_array_equal(h, rounded(x + r))
    exact = (x + r).astype(np.float64)
    expected = exact / np.sqrt((exact**2).mean(1, keepdims=True) + 1e-5) * w
    np.testing.assert_allclose(y, expected, rtol=2**-7, atol=1e-2)


@pytest.mark.parametrize(
    "m, n, k, dtype",
    [
        (5, 7, 24, "bf16"),
        (128, 256, 64, "f16"),
        (200, 264, 136, "bf16"),
    ],
)
def test_contraction(inspect, m, n, k, dtype):
    rng = np.random.default_rng(3)
    x, w = small_integers(rng, m, k), small_integers(rng, n, k)
    program = matmul(m, n, k, dtype)
    if m > 64 and "wgmma.mma_async" not in inspect(program, "ptx"):
        pytest.skip(
            "the compiler takes no tensor cores for it, and others take minutes"
        )
    expected = (x @ w.T).astype(np.float32)
    expected = rounded(expected) if dtype == "bf16" else expected.astype(np.float16)
    for seed, timing in enumerate(TIMINGS):
        (y,) = simulate(inspect, program, [x, w], timing=timing, seed=seed)
        np.testing.assert_array_equal(y, expected)


BILINEAR_AND_ANOTHER = """
func.func @f(%x: tensor<70x136xbf16>, %a: tensor<72x136xbf16>, %b: tensor<72x136xbf16>,
             %c: tensor<40x136xbf16>) -> (tensor<70x72xbf16>, tensor<70x40xbf16>) {
  %p = fuse.matmul %x, %a transpose_rhs : tensor<70x136xbf16>, tensor<72x136xbf16> -> tensor<70x72xbf16>
  %q = fuse.matmul %x, %b transpose_rhs : tensor<70x136xbf16>, tensor<72x136xbf16> -> tensor<70x72xbf16>
  %r = fuse.matmul %x, %c transpose_rhs : tensor<70x136xbf16>, tensor<40x136xbf16> -> tensor<70x40xbf16>
  %y = fuse.mul %p, %q : tensor<70x72xbf16>
  return %y, %r : tensor<70x72xbf16>, tensor<70x40xbf16>
}
"""


@pytest.mark.parametrize("rows", [200, 5])
def test_several_contractions(inspect, rows):
    """Two that meet in the columns of a tile, or in its rows, and one with tiles of its own."""
    program = BILINEAR_AND_ANOTHER.replace("70", str(rows))
    assert ("swap = true" in inspect(program, "schedule")) == (rows < 64)
    assert inspect(program, "ptx").count(".entry") == 1
    rng = np.random.default_rng(5)
    x, a, b, c = (small_integers(rng, n, 136) for n in (rows, 72, 72, 40))
    for seed, timing in enumerate(TIMINGS):
        y, r = simulate(inspect, program, [x, a, b, c], timing=timing, seed=seed)
        np.testing.assert_array_equal(y, rounded((x @ a.T) * (x @ b.T)))
        np.testing.assert_array_equal(r, rounded(x @ c.T))


# ---------------------------------------------------------------- tensor cores


SYNC = (
    "tile_m = 128, tile_n = 64, tile_k = 64, stages = 3, consumers = 2, "
    "raster = 2, store = rows, persistent = 2"
)


@pytest.mark.parametrize(
    "m, n, k, dtype", [(70, 136, 200, "bf16"), (129, 64, 8, "f16")]
)
def test_products_of_warps(inspect, m, n, k, dtype):
    """cp.async, ldmatrix and mma.sync, whose copies come as late as they may."""
    rng = np.random.default_rng(6)
    x, w = small_integers(rng, m, k), small_integers(rng, n, k)
    program = matmul(m, n, k, dtype, SYNC).replace("isa = wgmma", "isa = mma_sync")
    assert "mma.sync" in inspect(program, "ptx")
    expected = (x @ w.T).astype(np.float32)
    expected = rounded(expected) if dtype == "bf16" else expected.astype(np.float16)
    (y,) = simulate(inspect, program, [x, w])
    np.testing.assert_array_equal(y, expected)
    # A step that nobody waits for.
    (y,) = simulate(
        inspect,
        program,
        [x, w],
        lambda ptx: ptx.replace("wait_group \t1", "wait_group \t2").replace(
            "wait_group 1", "wait_group 2"
        ),
    )
    assert np.any(y != expected)


ATTENTION = """
func.func @f(%q: tensor<1xMxDxbf16>, %k: tensor<1xNxDxbf16>, %v: tensor<1xNxDxbf16>) -> tensor<1xMxDxbf16> {
  %r = fuse.kernel "f" ins(%q, %k, %v : tensor<1xMxDxbf16>, tensor<1xNxDxbf16>, tensor<1xNxDxbf16>) -> tensor<1xMxDxbf16>
      schedule = #fuse.streamed<isa = mma_sync, tile_m = 64, tile_n = 64, tile_k = 64, depth = 64, stages = STAGES, consumers = 1, store = rows> {
  ^bb0(%a: tensor<1xMxDxbf16>, %b: tensor<1xNxDxbf16>, %c: tensor<1xNxDxbf16>):
    %s = fuse.contract "hqd,hkd->hqk" %a, %b : tensor<1xMxDxbf16>, tensor<1xNxDxbf16> -> tensor<1xMxNxbf16>
    %x = fuse.cast %s : tensor<1xMxNxbf16> -> tensor<1xMxNxf32>
    %m = fuse.reduce max %x dims = [2] keep : tensor<1xMxNxf32> -> tensor<1xMx1xf32>
    %d = fuse.sub %x, %m : tensor<1xMxNxf32>, tensor<1xMx1xf32> -> tensor<1xMxNxf32>
    %e = fuse.exp %d : tensor<1xMxNxf32>
    %t = fuse.reduce sum %e dims = [2] keep : tensor<1xMxNxf32> -> tensor<1xMx1xf32>
    %w = fuse.div %e, %t : tensor<1xMxNxf32>, tensor<1xMx1xf32> -> tensor<1xMxNxf32>
    %p = fuse.cast %w : tensor<1xMxNxf32> -> tensor<1xMxNxbf16>
    %y = fuse.contract "hqk,hkd->hqd" %p, %c : tensor<1xMxNxbf16>, tensor<1xNxDxbf16> -> tensor<1xMxDxbf16>
    fuse.yield %y : tensor<1xMxDxbf16>
  }
  return %r : tensor<1xMxDxbf16>
}
"""


@pytest.mark.parametrize("stages", [1, 2])
def test_attention_of_warps(inspect, stages):
    """Copies of tiles that come as late as they may, and one that nobody waits for."""
    rng = np.random.default_rng(8)
    m, n, d = 70, 200, 64
    q, k, v = (rounded(0.3 * rng.standard_normal((1, s, d))) for s in (m, n, n))
    program = ATTENTION.replace("STAGES", str(stages))
    for name, size in (("M", m), ("N", n), ("D", d)):
        program = re.sub(rf"(?<=x){name}x", f"{size}x", program)
    scores = np.einsum("hqd,hkd->hqk", q, k, dtype=np.float64)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    expected = np.einsum("hqk,hkd->hqd", weights / weights.sum(-1, keepdims=True), v)
    (y,) = simulate(inspect, program, [q, k, v])
    np.testing.assert_allclose(y, expected, atol=2e-3, rtol=1e-2)
    awaited = 2 * (stages - 1)
    (y,) = simulate(
        inspect,
        program,
        [q, k, v],
        lambda ptx: re.sub(
            rf"(cp.async.wait_group\s+){awaited};", rf"\g<1>{awaited + 2};", ptx
        ),
    )
    assert not np.allclose(y, expected, atol=2e-3, rtol=1e-2)


BYTES = (
    "tile_m = 128, tile_n = 64, tile_k = 128, stages = 3, consumers = 2, "
    "raster = 2, store = rows, persistent = 2, operand_bits = 8"
)


@pytest.mark.parametrize("right", ["f8E4M3FN", "f8E5M2"])
def test_products_of_bytes(inspect, right):
    """Ragged rows, columns and places of 8-bit floats of the same and of both formats."""
    rng = np.random.default_rng(7)
    m, n, k = 70, 72, 272
    program = matmul(m, n, k, "f8E4M3FN", BYTES).replace(
        "isa = wgmma", "isa = mma_sync"
    )
    shape = f"tensor<{n}x{k}x"
    program = program.replace(f"{shape}f8E4M3FN>", f"{shape}{right}>")
    program = program.replace(f"tensor<{m}x{n}xf8E4M3FN>", f"tensor<{m}x{n}xf32>")
    assert "mma.sync.aligned.m16n8k32" in inspect(program, "ptx")
    # All that are numbers, but for the largest.
    x, w = (rng.integers(0, 0x60, size, np.uint8) for size in ((m, k), (n, k)))
    x, w = (v | (rng.integers(0, 2, v.shape, np.uint8) << 7) for v in (x, w))
    left = registers.from_float8(x, "e4m3").astype(np.float64)
    kind = {"f8E4M3FN": "e4m3", "f8E5M2": "e5m2"}[right]
    expected = left @ registers.from_float8(w, kind).astype(np.float64).T
    (y,) = simulate(inspect, program, [x, w])
    sizes = np.abs(left) @ np.abs(registers.from_float8(w, kind)).astype(np.float64).T
    assert np.all(np.abs(y - expected) <= 1e-5 * sizes)


@pytest.mark.parametrize("isa", ["wgmma", "mma_sync"])
def test_products_of_tf32(inspect, isa):
    """Ragged rows, columns and places of f32, of which 10 bits of the fraction count."""
    rng = np.random.default_rng(8)
    m, n, k = 70, 72, 140
    schedule = (
        "tile_m = 128, tile_n = 64, tile_k = 32, stages = 3, consumers = 2, "
        "raster = 2, store = direct, persistent = 2, operand_bits = 32"
    )
    program = matmul(m, n, k, "f32", schedule).replace("isa = wgmma", f"isa = {isa}")
    program = program.replace("%a, %b :", "%a, %b precision = tf32 :")
    x, w = (rng.standard_normal(s).astype(np.float32) for s in ((m, k), (n, k)))
    (y,) = simulate(inspect, program, [x, w])
    left, right = (
        registers.from_tf32(v.view(np.uint32)).astype(np.float64) for v in (x, w)
    )
    assert np.all(np.abs(y - left @ right.T) <= 1e-5 * (np.abs(left) @ np.abs(right).T))


def scaled_by_blocks(name, rows, scale, count):
    """A product of blocks of LEFT, scaled by rows and by columns, and summed."""
    p = f"tensor<3x70x{count}xf32>"
    w = f"tensor<{count}x3x128xf8E4M3FN>"
    return f"""
  %p{name} = fuse.contract "mbk,nbk->bmn" %x, %{name} : tensor<70x3x128xLEFT>, {w} -> {p}
  %q{name} = fuse.mul %p{name}, %{rows} : {p}, tensor<3x70x1xf32> -> {p}
  %r{name} = fuse.mul %q{name}, %{scale} : {p}, tensor<3x1x{count}xf32> -> {p}
  %s{name} = fuse.reduce sum %r{name} dims = [0] : {p} -> tensor<70x{count}xf32>"""


SCALED_BY_BLOCKS = (
    """
func.func @f(%x: tensor<70x3x128xLEFT>, %g: tensor<136x3x128xf8E4M3FN>, %u: tensor<136x3x128xf8E4M3FN>,
    %a: tensor<3x70x1xf32>, %b: tensor<3x70x1xf32>, %c: tensor<3x1x136xf32>, %d: tensor<3x1x136xf32>) -> tensor<70x136xbf16> {"""
    + scaled_by_blocks("g", "a", "c", 136)
    + scaled_by_blocks("u", "b", "d", 136)
    + """
  %t = fuse.add %sg, %su : tensor<70x136xf32>
  %y = fuse.cast %t : tensor<70x136xf32> -> tensor<70x136xbf16>
  return %y : tensor<70x136xbf16>
}
"""
)


@pytest.mark.parametrize("left", ["f8E4M3FN", "f8E5M2"])
def test_scales_by_blocks_of_contractions_that_meet(inspect, left):
    """Each with scales of its own; sums of small integers and powers of two are exact."""
    program = SCALED_BY_BLOCKS.replace("LEFT", left)
    ptx = inspect(program, "ptx")
    assert ptx.count(".entry") == 1
    kind = {"f8E4M3FN": "e4m3", "f8E5M2": "e5m2"}[left]
    assert re.search(rf"wgmma\.mma_async\S*k32\.f32\.{kind}\.e4m3", ptx)
    rng = np.random.default_rng(8)
    # Zero, 1, 2 and 3 of either sign: 1 is 0x38 in e4m3, and 0x3C in e5m2.
    digits = {"e4m3": (0, 0x38, 0x40, 0x44), "e5m2": (0, 0x3C, 0x40, 0x42)}

    def integers(kind, rows):
        drawn = np.array(digits[kind], np.uint8)[rng.integers(0, 4, (rows, 3, 128))]
        return drawn | (rng.integers(0, 2, drawn.shape, np.uint8) << 7)

    def scales(*shape):
        return np.exp2(rng.integers(-2, 3, shape)).astype(np.float32)

    x, g, u = integers(kind, 70), integers("e4m3", 136), integers("e4m3", 136)
    a, b = scales(3, 70, 1), scales(3, 70, 1)
    c, d = scales(3, 1, 136), scales(3, 1, 136)
    wide = registers.from_float8(x, kind).astype(np.float64)

    def product(w, rows, columns):
        blocks = np.einsum("mbk,nbk->bmn", wide, registers.from_float8(w, "e4m3"))
        return (blocks * rows * columns).sum(0)

    expected = rounded(product(g, a, c) + product(u, b, d))
    for seed, timing in enumerate(TIMINGS):
        (y,) = simulate(
            inspect, program, [x, g, u, a, b, c, d], timing=timing, seed=seed
        )
        np.testing.assert_array_equal(y, expected)


TILED = """
func.func @f(%x: tensor<MxKxT>, %w: tensor<NxKxT>) -> tensor<MxNxT> {
  %r = fuse.kernel "f" ins(%x, %w : tensor<MxKxT>, tensor<NxKxT>) -> tensor<MxNxT>
      schedule = #fuse.tiled<threads = THREADS, vector = 2, tile_m = 16, tile_n = 32, tile_k = 16, rows = 4, columns = 4MMA> {
  ^bb0(%a: tensor<MxKxT>, %b: tensor<NxKxT>):
    %y = fuse.contract "mk,nk->mn" %a, %b : tensor<MxKxT>, tensor<NxKxT> -> tensor<MxNxT>
    fuse.yield %y : tensor<MxNxT>
  }
  return %r : tensor<MxNxT>
}
"""


@pytest.mark.parametrize("groups", [1, 4])
@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_tiles_in_shared_memory(inspect, dtype, groups):
    """Groups of a block's threads take steps in turn; f64 is multiplied by mma.sync."""
    rng = np.random.default_rng(9)
    m, n, k = 21, 40, 150
    program = TILED.replace("xT>", f"x{dtype}>").replace("THREADS", str(32 * groups))
    program = program.replace("MMA", ", mma_k = 8" if dtype == "f64" else "")
    for name, size in (("M", m), ("N", n), ("K", k)):
        program = re.sub(rf"(?<=[x<]){name}x", f"{size}x", program)
    wide = "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64"
    assert (wide in inspect(program, "ptx")) == (dtype == "f64")
    x, w = (small_integers(rng, size, k) for size in (m, n))
    x, w = (v.astype({"f32": np.float32, "f64": np.float64}[dtype]) for v in (x, w))
    (y,) = simulate(inspect, program, [x, w])
    np.testing.assert_array_equal(y, x @ w.T)


def test_parts_of_sums(inspect):
    """Two launches: blocks leave sums of parts of K, and others add them in order."""
    rng = np.random.default_rng(8)
    for m, n, k, schedule in [(70, 136, 328, SPLIT), (21, 200, 72, SWAPPED)]:
        x, w = small_integers(rng, m, k), small_integers(rng, n, k)
        program = matmul(m, n, k, schedule=schedule)
        program = program.replace("isa = wgmma", "isa = mma_sync")
        assert inspect(program, "ptx").count(".entry") == 2
        (y,) = simulate(inspect, program, [x, w])
        np.testing.assert_array_equal(y, rounded(x @ w.T))


@pytest.mark.parametrize("timing", TIMINGS)
@pytest.mark.parametrize(
    "m, n, k, schedule",
    [(70, 136, 328, SPLIT), (70, 64, 64, SPLIT), (21, 200, 456, SWAPPED)],
)
def test_sums_of_clusters(inspect, m, n, k, schedule, timing):
    """Blocks that share a tile, several tiles a cluster, fewer steps than blocks."""
    rng = np.random.default_rng(5)
    x, w = small_integers(rng, m, k), small_integers(rng, n, k)
    program = matmul(m, n, k, schedule=schedule)
    (y,) = simulate(inspect, program, [x, w], timing=timing)
    np.testing.assert_array_equal(y, rounded(x @ w.T))


@pytest.fixture(scope="module")
def tensor_cores(inspect):
    """A matmul that uses them, with its operands."""
    program = matmul(128, 256, 256, schedule=COPIED)
    rng = np.random.default_rng(4)
    return program, [small_integers(rng, 128, 256), small_integers(rng, 256, 256)]


def refuse(inspect, tensor_cores, pattern, by, error, count=1):
    """Changes the PTX, and expects an error at every timing."""
    program, arrays = tensor_cores

    def change(ptx):
        changed, number = re.subn(pattern, by, ptx, count=count)
        assert number > 0, "expected PTX that the fault fits"
        return changed

    for timing in TIMINGS:
        with pytest.raises(text.PtxError, match=error):
            simulate(inspect, program, arrays, change, timing=timing)


def test_sums_stay_as_they_are_until_the_wait(inspect, tensor_cores):
    refuse(
        inspect, tensor_cores,
        r"(?s)(wgmma\.mma_async\S+\s+\{(%r\d+),.*?wgmma\.commit_group\.sync\.aligned;)",
        r"\1\n\tmov.b32 \2, 0;", "to be left alone, as a wgmma under way adds to it",
    )  # fmt: skip


def test_a_fence_comes_before_the_first_multiplication(inspect, tensor_cores):
    refuse(inspect, tensor_cores, r"wgmma\.fence\.sync\.aligned;", "", "wgmma.fence", 0)


def test_a_wait_comes_before_the_end(inspect, tensor_cores):
    refuse(
        inspect, tensor_cores, r"cp\.async\.bulk\.wait_group(\.read)?\s+0;", "",
        "expected waits for all stores", 0,
    )  # fmt: skip


def test_all_bytes_come(inspect, tensor_cores):
    refuse(
        inspect, tensor_cores, r"(mbarrier\.init\.shared\S*\s+\[[^\]]*\]), \S+;", r"\1, 3;",
        "expected a warp that can go on", 0,
    )  # fmt: skip


# ---------------------------------------------------------------- the parts


def kernel_of(body, parameters=""):
    head = f".visible .entry k({parameters})\n"
    return text.parse(head + "{\n" + body + "\n}\n")[0]["k"]


def test_reads_scopes_vectors_and_guards():
    kernel = kernel_of(
        ".reg .b32 %r<4>;\n.reg .pred %p<2>;\n"
        "@!%p1 ld.shared.v2.b32 {%r1, %r2}, [%r3+8];\n"
        "{\n.reg .pred %p1;\nL:\nsetp.ne.b32 %p1, %r1, 0;\n@%p1 bra L;\n}\n"
        "$L__BB0_1:\nret;"
    )
    load, compare, branch, _ = kernel.instructions
    assert load.operands == [["%r1", "%r2"], "[%r3+8]"]
    assert (load.guard, load.is_negated) == ("%p1", True)
    # The scope's own, and its own label.
    assert compare.operands[0] == branch.guard == "%p1@1"
    assert kernel.labels == {"L@1": 1, "$L__BB0_1": 3}
    assert branch.operands == ["L@1"]


def test_lanes_meet_where_their_ways_do():
    kernel = kernel_of(
        "@%p1 bra $A;\nmov.b32 %r1, 1;\nbra $B;\n$A:\nmov.b32 %r1, 2;\n"
        "@%p2 bra $C;\n$B:\nadd.s32 %r1, %r1, 1;\n@%p3 bra $B;\nret;\n$C:\ntrap;"
    )
    meets = flow.meeting_points(kernel)
    # A trap is no way out; the loop is left behind its branch.
    assert meets[0] == kernel.labels["$B"]
    assert meets[kernel.labels["$B"] + 1] == kernel.labels["$B"] + 2


def compute(opcode, *operands, kind="u32"):
    """The bit pattern that an instruction makes of numbers."""
    instruction = text.Instruction(opcode, ["%r0"] + ["%r1"] * len(operands))
    function, kinds, result = registers.operation(instruction)
    arrays = [
        np.full(32, x, registers.pattern(k))
        for x, k in zip(operands, kinds, strict=True)
    ]
    values = [registers.numbers(a, k) for a, k in zip(arrays, kinds, strict=True)]
    with np.errstate(all="ignore"):
        return int(registers.patterns(function(*values), result)[0])


def bits(number):
    return int(np.float32(number).view(np.uint32))


@pytest.mark.parametrize(
    "opcode, operands, expected",
    [
        ("mul.hi.u32", (0xFFFFFFFF, 6), 5),
        ("mul.wide.s32", (0xFFFFFFFE, 3), (1 << 64) - 6),
        ("mad.lo.s32", (5, 6, 0xFFFFFFFF), 29),
        ("div.s32", ((1 << 32) - 7, 2), (1 << 32) - 3),
        ("rem.s32", ((1 << 32) - 7, 2), (1 << 32) - 1),
        ("shr.s32", (0x80000000, 40), 0xFFFFFFFF),
        ("shl.b32", (1, 32), 0),
        ("bfe.u32", (0xABCD, 4, 8), 0xBC),
        ("prmt.b32", (0x33221100, 0x77665544, 0x7610), 0x77661100),
        ("selp.b32", (1, 2, False), 2),
        ("setp.lt.s32", (0xFFFFFFFF, 0), 1),
        ("setp.lt.u32", (0xFFFFFFFF, 0), 0),
        ("cvt.rn.bf16x2.f32", (bits(1), bits(-2)), 0x3F80C000),
        ("cvt.rn.f32.s64", ((1 << 64) - 3,), bits(-3)),
        ("cvt.rzi.s32.f32", (bits(-2.75),), (1 << 32) - 2),
        ("cvt.rzi.s32.f32", (bits(1e20),), (1 << 31) - 1),
        ("max.NaN.f32", (bits(np.nan), bits(1)), bits(np.nan)),
        ("max.f32", (bits(np.nan), bits(1)), bits(1)),
        ("setp.ltu.f32", (bits(np.nan), bits(1)), 1),
        ("setp.ne.f32", (bits(np.nan), bits(1)), 0),
    ],
)
def test_arithmetic(opcode, operands, expected):
    assert compute(opcode, *operands) == expected


def test_bfloats_round_to_even():
    values = np.array([1 + 2**-8, 1 + 3 * 2**-8, np.nan, np.inf], np.float32)
    assert registers.bfloat_of(values).tolist() == [0x3F80, 0x3F82, 0x7FFF, 0x7F80]


def test_swizzles_and_clipped_boxes():
    assert swizzle(np.array([3 * 128 + 5 * 16]), 128) == 3 * 128 + (5 ^ 3) * 16
    assert swizzle(np.array([5 * 64 + 16]), 64) == 5 * 64 + (1 ^ 2) * 16
    box = TensorMap(1 << 48, 2, [100, 37], [2, 256], [64, 2])
    offsets, addresses = box.places([64, 36])
    assert offsets.tolist() == list(range(0, 72, 2))
    assert addresses[0] == (1 << 48) + 36 * 256 + 128
