# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs on NumPy arrays."""

import os
import pathlib
import subprocess
import sys
import threading

import fuse_compiler as fuse
import numpy as np
import pytest

ADD = """
func.func @add(%x: tensor<?x4xTYPE> {fuse.dims = ["rows"]}, %b: tensor<4xTYPE>)
    -> tensor<?x4xTYPE> {
  %y = fuse.add %x, %b : tensor<?x4xTYPE>, tensor<4xTYPE>
  return %y : tensor<?x4xTYPE>
}"""

SUM_AND_PRODUCT = """
func.func @both(%x: tensor<?xf32> {fuse.dims = ["n"]}, %y: tensor<?xf32> {fuse.dims = ["n"]})
    -> (tensor<?xf32>, tensor<?xf32>) {
  %s = fuse.add %x, %y : tensor<?xf32>
  %p = fuse.mul %x, %y : tensor<?xf32>
  return %s, %p : tensor<?xf32>, tensor<?xf32>
}"""

DOUBLE_IN_PLACE = """
func.func @double(%x: tensor<?xf32>) -> (tensor<?xf32> {fuse.in_place = "x"}) {
  %y = fuse.add %x, %x : tensor<?xf32>
  return %y : tensor<?xf32>
}"""


def compile_cpu(text, **options):
    return fuse.compile(text, target="cpu", **options)


@pytest.fixture(scope="module")
def add():
    return compile_cpu(ADD.replace("TYPE", "f32"))


@pytest.fixture(scope="module")
def both():
    return compile_cpu(SUM_AND_PRODUCT)


def random(*shape, dtype=np.float32):
    return np.random.default_rng(1).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("rows", [0, 1, 3, 1000])
def test_adds(add, rows):
    x, b = random(rows, 4), random(4)
    y = add(x, b)
    assert type(y) is np.ndarray and y.dtype == np.float32
    np.testing.assert_array_equal(y, x + b)


@pytest.mark.parametrize(
    ("mlir", "numpy"),
    [("f64", "float64"), ("f16", "float16"), ("i32", "int32"), ("i64", "int64")],
)
def test_dtypes(mlir, numpy):
    program = compile_cpu(ADD.replace("TYPE", mlir))
    x, b = (random(5, 4) * 10).astype(numpy), (random(4) * 10).astype(numpy)
    y = program(x, b)
    assert y.dtype == numpy
    np.testing.assert_array_equal(y, x + b)


def test_bf16_of_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    program = compile_cpu(ADD.replace("TYPE", "bf16"))
    x, b = random(5, 4).astype(ml_dtypes.bfloat16), random(4).astype(ml_dtypes.bfloat16)
    y = program(x, b)
    assert y.dtype == ml_dtypes.bfloat16
    exact = x.astype(np.float32) + b.astype(np.float32)
    np.testing.assert_array_equal(y, exact.astype(ml_dtypes.bfloat16))


def test_bf16_as_uint16():
    program = compile_cpu(ADD.replace("TYPE", "bf16"))
    one, three = 0x3F80, 0x4040
    x, b = np.full((2, 4), one, np.uint16), np.full(4, three, np.uint16)
    y = program(x, b)
    assert y.dtype == np.uint16
    assert (y == 0x4080).all()  # 4.0


TO_HALF = """
func.func @widen(%x: tensor<?xTYPE> {fuse.dims = ["n"]}) -> (tensor<?xf16>, tensor<?xTYPE>) {
  %y = fuse.cast %x : tensor<?xTYPE> -> tensor<?xf16>
  %z = fuse.reverse %x dims = [0] : tensor<?xTYPE>
  return %y, %z : tensor<?xf16>, tensor<?xTYPE>
}"""


@pytest.mark.parametrize(
    ("mlir", "name"), [("f8E4M3FN", "float8_e4m3fn"), ("f8E5M2", "float8_e5m2")]
)
def test_8_bit_floats(mlir, name):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    element = getattr(ml_dtypes, name)
    program = compile_cpu(TO_HALF.replace("TYPE", mlir))
    x = np.arange(256, dtype=np.uint8).view(element)
    y, z = program(x)
    assert z.dtype == element
    np.testing.assert_array_equal(y, x.astype(np.float16))
    np.testing.assert_array_equal(z.view(np.uint8), x[::-1].view(np.uint8))
    y, z = program(x.view(np.uint8))
    assert z.dtype == np.uint8
    np.testing.assert_array_equal(y, x.astype(np.float16))


def test_8_bit_integers():
    program = compile_cpu(TO_HALF.replace("TYPE", "i8"))
    x = np.arange(-128, 128, dtype=np.int8)
    y, z = program(x)
    assert z.dtype == np.int8
    np.testing.assert_array_equal(y, x.astype(np.float16))
    np.testing.assert_array_equal(z, x[::-1])


def test_compare_gives_bool():
    program = compile_cpu("""
    func.func @less(%x: tensor<?xf32> {fuse.dims = ["n"]}, %y: tensor<?xf32> {fuse.dims = ["n"]})
        -> tensor<?xi1> {
      %z = fuse.compare lt %x, %y : tensor<?xf32>
      return %z : tensor<?xi1>
    }""")
    x = np.array([1, 2, np.nan], np.float32)
    y = np.array([2, 1, 0], np.float32)
    less = program(x, y)
    assert less.dtype == np.bool_
    assert less.tolist() == [True, False, False]


def test_several_outputs(both):
    x, y = random(7), random(7) + 1
    total, product = both(x, y)
    np.testing.assert_array_equal(total, x + y)
    np.testing.assert_array_equal(product, x * y)


def test_out(both):
    x, y = random(7), random(7) + 1
    total = np.full(7, np.nan, np.float32)
    given, product = both(x, y, out=(total, None))
    assert given is total
    np.testing.assert_array_equal(total, x + y)
    np.testing.assert_array_equal(product, x * y)


def test_out_may_be_an_input(add):
    x, b = random(3, 4), random(4)
    expected = x + b
    assert "x" in add.outputs[0].may_alias
    assert add(x, b, out=x) is x
    np.testing.assert_array_equal(x, expected)


def test_in_place():
    program = compile_cpu(DOUBLE_IN_PLACE)
    assert program.outputs[0].in_place == "x"
    x = random(9)
    expected = 2 * x
    assert program(x) is x
    np.testing.assert_array_equal(x, expected)
    y = np.empty_like(x)
    assert program(x, out=y) is y
    np.testing.assert_array_equal(y, 2 * expected)
    x.flags.writeable = False
    with pytest.raises(fuse.Error, match="expected 'y' to be writable"):
        program(x)


class Wrapped:
    """An array that has DLPack and nothing else."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__(stream=stream)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_takes_any_dlpack(add):
    x, b, y = random(3, 4), random(4), np.empty((3, 4), np.float32)
    add(Wrapped(x), Wrapped(b), out=y)
    np.testing.assert_array_equal(y, x + b)
    with pytest.raises(fuse.Error, match="expected out for arrays of type Wrapped"):
        add(Wrapped(x), Wrapped(b))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x, b: (x,), "expected 2 input arrays, but got 1"),
        (lambda x, b: (x[0], b), "expected 'x' to have rank 2, but got rank 1"),
        (lambda x, b: (x, b[:3]), "'b'.* to be 4, but got 3"),
        (lambda x, b: (x.astype("float64"), b), "expected 'x' to be f32, but got f64"),
        (
            lambda x, b: (x.astype("uint32"), b),
            "'x': expected float16, float32, .*, but got uint32; convert it",
        ),
        (
            lambda x, b: (x.astype(">f4"), b),
            "'x': expected an array of numbers in the byte order",
        ),
        (lambda x, b: (x.astype(object), b), "'x': expected an array of numbers"),
        (lambda x, b: (x[::-1], b), r"'x': expected strides of 0 or more, .*\[-4, 1\]"),
        (
            lambda x, b: (x.tolist(), b),
            "expected an array with __dlpack__, but got list",
        ),
        (
            lambda x, b: (x, np.zeros(4, [("b", "f4"), ("flag", "i2")])["b"]),
            r"'b': expected strides that are a multiple of the element size, .*\(6,\)",
        ),
    ],
)
def test_refuses_wrong_arrays(add, change, message):
    with pytest.raises(fuse.Error, match=message):
        add(*change(random(3, 4), random(4)))


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x[:, :4],
        lambda x: x[:, 2:6],
        lambda x: x[:, 3:7],
        lambda x: x[::2, :4],
        lambda x: x[:, ::2],
        lambda x: x[:4, :].T,
        lambda x: x[:1, 1:5],
        lambda x: x[:0, 1:5],
        lambda x: np.broadcast_to(x[0, :4], (5, 4)),
        lambda x: np.broadcast_to(x[:, :1], (8, 4)),
    ],
)
def test_takes_views(add, view):
    x, b = view(random(8, 8)), random(8)[::2]
    np.testing.assert_array_equal(add(x, b), x + b)


def test_a_slice_of_a_fused_tensor():
    program = compile_cpu("""
    func.func @heads(%q: tensor<?x2x8xf32> {fuse.dims = ["T"]},
                     %k: tensor<?x2x8xf32> {fuse.dims = ["T"]}) -> tensor<?x2x2xf32> {
      %s = fuse.contract "thd,tgd->thg" %q, %k
           : tensor<?x2x8xf32>, tensor<?x2x8xf32> -> tensor<?x2x2xf32>
      return %s : tensor<?x2x2xf32>
    }""")
    qkv = random(5, 48).reshape(5, 3, 2, 8)
    q, k = qkv[:, 0], qkv[:, 1]
    assert not q.flags.c_contiguous
    np.testing.assert_allclose(
        program(q, k), np.einsum("thd,tgd->thg", q, k), rtol=1e-5
    )
    # Heads first in memory, tokens first for the program.
    q = random(2, 5, 8).transpose(1, 0, 2)
    np.testing.assert_allclose(
        program(q, k), np.einsum("thd,tgd->thg", q, k), rtol=1e-5
    )


def test_views_through_dlpack(add):
    x, b, y = random(3, 8)[:, ::2], random(4), np.empty((3, 4), np.float32)
    add(Wrapped(x), Wrapped(b), out=y)
    np.testing.assert_array_equal(y, x + b)


def test_outputs_may_be_views(add):
    x, b = random(3, 4), random(4)
    # Rows of a larger array, columns, every other element; the extension makes later calls.
    for shape, view in (
        ((3, 8), lambda buffer: buffer[:, :4]),
        ((3, 9), lambda buffer: buffer[:, 2:6]),
        ((4, 3), lambda buffer: buffer.T),
        ((6, 9), lambda buffer: buffer[::2, 1::2]),
    ):
        for _ in range(5):
            buffer = np.full(shape, 7, np.float32)
            wanted = buffer.copy()
            view(wanted)[...] = x + b
            out = view(buffer)
            assert add(x, b, out=out) is out
            np.testing.assert_array_equal(buffer, wanted)


def test_results_over_views_of_inputs():
    program = compile_cpu(DOUBLE_IN_PLACE)
    for _ in range(5):
        buffer = random(8)
        wanted = buffer.copy()
        wanted[::2] *= 2
        program(buffer[::2])
        np.testing.assert_array_equal(buffer, wanted)


def test_refuses_outputs_whose_elements_meet(add):
    x, b = random(3, 4), random(4)
    strided = np.lib.stride_tricks.as_strided
    with pytest.raises(fuse.Error, match="each element of 'y' to have a place of its"):
        add(x, b, out=strided(random(12), (3, 4), (0, 4)))
    with pytest.raises(fuse.Error, match="strides of 0 or more"):
        add(x, b, out=random(3, 4)[::-1])
    buffer = random(24)
    with pytest.raises(fuse.Error, match="not to overlap input 'x'"):
        add(buffer.reshape(3, 8)[:, :4], b, out=buffer[8:20].reshape(3, 4))
    with pytest.raises(fuse.Error, match="not to overlap input 'x'"):
        add(buffer.reshape(3, 8)[:, :4], b, out=buffer.reshape(3, 8)[:, 2:6])
    # Columns that lie side by side do not.
    rows = buffer.reshape(3, 8)
    wanted = rows[:, :4] + b
    add(rows[:, :4], b, out=rows[:, 4:])
    np.testing.assert_array_equal(rows[:, 4:], wanted)


def test_refuses_dims_that_disagree(both):
    with pytest.raises(fuse.Error, match="to be 7.*but got 8"):
        both(random(7), random(8))


def test_refuses_wrong_outputs(add, both):
    x, b = random(3, 4), random(4)
    with pytest.raises(fuse.Error, match="to be 3.*but got 2"):
        add(x, b, out=np.empty((2, 4), np.float32))
    with pytest.raises(fuse.Error, match="expected 2 arrays in out, but got 1"):
        both(x[0], b, out=[x[0]])
    frozen = np.zeros((3, 4), np.float32)
    frozen.flags.writeable = False
    with pytest.raises(fuse.Error, match="expected 'y' to be writable"):
        add(x, b, out=frozen)
    buffer = np.zeros(16, np.float32)
    with pytest.raises(fuse.Error, match="not to overlap input 'x'"):
        add(buffer[:12].reshape(3, 4), b, out=buffer[4:].reshape(3, 4))


def test_a_failed_call_does_not_harm_the_next(add):
    x, b = random(3, 4), random(4)
    for _ in range(3):
        with pytest.raises(fuse.Error):
            add(x, b, out=np.empty((2, 4), np.float32))
        np.testing.assert_array_equal(add(x, b), x + b)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("func.func @f(", {}, "<text>:1:"),
        ("/no/such/program.mlir", {}, "'/no/such/program.mlir', but got: No such file"),
        (DOUBLE_IN_PLACE, {"entry": "other"}, "other"),
        (
            DOUBLE_IN_PLACE,
            {"target": "tpu"},
            "expected a target of auto, cpu, cuda, emu, but got 'tpu'",
        ),
    ],
)
def test_refuses_wrong_programs(text, options, message):
    with pytest.raises(fuse.Error, match=message):
        fuse.compile(text, **{"target": "cpu", **options})


def test_says_where_an_error_is(tmp_path):
    file = tmp_path / "bad.mlir"
    file.write_text(
        "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %y = fuse.no %x\n}\n"
    )
    with pytest.raises(fuse.Error, match=r"bad\.mlir:2:"):
        compile_cpu(file)


def test_describes(add):
    assert (add.name, add.device, add.chip, add.symbols) == (
        "add",
        "cpu",
        "cpu",
        ("rows",),
    )
    assert [t.name for t in add.inputs] == ["x", "b"]
    assert add.inputs[0].shape == ("rows", 4) and add.inputs[0].dtype == "f32"
    (kernel,) = add.kernels
    assert kernel.ops == ("add",)
    assert kernel.schedule.startswith("#fuse.pointwise<")
    assert kernel.ptx == add.ptx == ""
    assert "fuse.kernel" in add.print("kernels")
    with pytest.raises(fuse.Error, match="expected a stage of"):
        add.print("cubin")


def test_inspects_without_a_gpu(examples):
    result = fuse.inspect(examples / "softmax.mlir", chip="sm_90")
    (kernel,) = result.kernels
    assert kernel.stats["ptx"]["min_access_bits"] == 128
    assert kernel.ptx.startswith(f".visible .entry {kernel.name}(")
    assert ".target sm_90" in result.ptx
    assert result.remarks[0]["category"] == "fuse-kernel"
    assert result.remarks[0]["facts"]["Kernel"] == kernel.name


def test_launch_overlap_is_an_option(examples):
    program = examples / "softmax.mlir"
    assert "griddepcontrol.wait" in fuse.inspect(program).ptx
    assert "griddepcontrol" not in fuse.inspect(program, launch_overlap=False).ptx
    assert "griddepcontrol" not in fuse.inspect(program, chip="sm_80").ptx


NORM = """
func.func @norm(%x: tensor<?x?xf32> {fuse.dims = ["T", "n"]})
    -> (tensor<?x?xf32> {fuse.name = "y"}) {
  %y = fuse.softmax %x dims = [1] : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
"""


def test_sizes_make_a_program_of_one_size():
    (kernel,) = fuse.inspect(NORM, sizes={"n": 256}).kernels
    assert "hold = loop" not in kernel.schedule
    (kernel,) = fuse.inspect(NORM).kernels
    assert "hold = loop" in kernel.schedule
    program = fuse.compile(NORM, target="cpu", sizes={"n": 4})
    assert program.symbols == ("T",)
    with pytest.raises(fuse.Error, match="dimension 1 of .* to be 4, but got 3"):
        program(np.ones((2, 3), np.float32))
    with pytest.raises(fuse.Error, match="one of T, n, but got 'm'"):
        fuse.compile(NORM, target="cpu", sizes={"m": 4})


@pytest.mark.parametrize("lengths", [0, 2])
def test_lengths_are_right_with_code_of_their_own_or_without(lengths):
    program = fuse.compile(NORM, target="emu", chip="sm_90", lengths=lengths)
    for n in (96, 5, 33, 96, 1):
        x = np.random.default_rng(n).standard_normal((3, n), np.float32)
        e = np.exp(x - x.max(1, keepdims=True))
        y = program(x)
        np.testing.assert_allclose(y, e / e.sum(1, keepdims=True), rtol=1e-5)


def test_threads(add):
    failures = []

    def work(seed):
        for rows in range(1, 100):
            x = np.full((rows, 4), seed, np.float32)
            if not (add(x, np.ones(4, np.float32)) == seed + 1).all():
                failures.append((seed, rows))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_many_shapes_are_forgotten(add):
    for rows in range(600):
        add(np.zeros((rows, 4), np.float32), np.zeros(4, np.float32))
    assert len(add._sites) <= 256


@pytest.mark.parametrize("autotune", [True, [(2, 4)]])
def test_tuning_needs_a_gpu(autotune):
    text = """
    func.func @double(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
      %y = fuse.add %x, %x : tensor<?x4xf32>
      return %y : tensor<?x4xf32>
    }"""
    with pytest.raises(fuse.Error, match="expected a GPU to tune on, but .*; .*tun"):
        fuse.compile(text, target="cpu", autotune=autotune)


def test_a_damaged_tuning_file_is_an_error(tmp_path):
    tuning = tmp_path / "tuning.json"
    tuning.write_text("{")
    program = (
        "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }"
    )
    with pytest.raises(fuse.Error, match="tuning.json' to be a tuning file, but got"):
        fuse.compile(program, target="emu", tuning=tuning)


PACKAGE = str(pathlib.Path(fuse.__file__).parents[1])

PRODUCT = """
func.func @product(%x: tensor<?x700xf32>, %w: tensor<500x700xf32>) -> tensor<?x500xf32> {
  %y = fuse.matmul %x, %w transpose_rhs
       : tensor<?x700xf32>, tensor<500x700xf32> -> tensor<?x500xf32>
  return %y : tensor<?x500xf32>
}"""


def test_products_are_the_same_with_any_number_of_threads(tmp_path):
    """Each in a process of its own: the pool is made once."""
    script = tmp_path / "product.py"
    script.write_text(
        "import hashlib, sys, fuse_compiler as fuse, numpy as np\n"
        f"product = fuse.compile('''{PRODUCT}''', target='cpu')\n"
        "random = np.random.default_rng(3)\n"
        "x, w = (random.standard_normal((n, 700), dtype=np.float32) for n in (301, 500))\n"
        "y = product(x, w)\n"
        "np.testing.assert_allclose(y, x @ w.T, rtol=1e-4, atol=1e-4)\n"
        "print(hashlib.sha256(y.tobytes()).hexdigest())\n"
    )
    found = {
        subprocess.run(
            [sys.executable, script],
            env={**os.environ, "FUSE_NUM_THREADS": threads, "PYTHONPATH": PACKAGE},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2", "7")
    }
    assert len(found) == 1


def test_calls_are_recorded_on_a_gpu_only():
    with pytest.raises(fuse.Error, match="as CUDA graphs, but got one on cpu"):
        compile_cpu(ADD.replace("TYPE", "f32"), graph=True)
