# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays that are more than their memory, and memory that must not change."""

import copy
import ctypes
import pickle

import fuse_compiler as fuse
import numpy as np
import pytest
from fuse_compiler._library import DLTensor

ADD = """
func.func @add(%x: tensor<?x4xf32> {fuse.dims = ["rows"]}, %b: tensor<4xf32>)
    -> (tensor<?x4xf32> {fuse.name = "y"}) {
  %y = fuse.add %x, %b : tensor<?x4xf32>, tensor<4xf32>
  return %y : tensor<?x4xf32>
}"""

BOTH_IN_PLACE = """
func.func @both(%x: tensor<?xf32> {fuse.dims = ["n"]}, %z: tensor<?xf32> {fuse.dims = ["n"]})
    -> (tensor<?xf32> {fuse.in_place = "x", fuse.name = "y"},
        tensor<?xf32> {fuse.in_place = "z", fuse.name = "w"}) {
  %y = fuse.add %x, %x : tensor<?xf32>
  %w = fuse.mul %z, %z : tensor<?xf32>
  return %y, %w : tensor<?xf32>, tensor<?xf32>
}"""


@pytest.fixture(scope="module")
def add():
    return fuse.compile(ADD, target="cpu")


@pytest.fixture
def x():
    return np.arange(8, dtype=np.float32).reshape(2, 4)


ones = np.ones(4, np.float32)


class Quantity(np.ndarray):
    """An array with a unit."""


# NumPy's matrix warns that it is old.
@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize(
    ("wrap", "message"),
    [
        (
            lambda x: np.ma.masked_greater(x, 2),
            r"numpy.ma(\.core)?.MaskedArray, .*; pass x.filled\(value\)",
        ),
        (
            np.asmatrix,
            r"numpy(\.matrixlib\.defmatrix)?.matrix, .*; pass numpy.asarray\(x\)",
        ),
        (
            lambda x: x.view(Quantity),
            r"test_arrays.Quantity, .*; pass numpy.asarray\(x\)",
        ),
        (lambda x: x.tolist(), "list; pass a NumPy array or a torch tensor"),
        (lambda x: None, "NoneType; pass a NumPy array"),
    ],
)
def test_refuses_what_may_mean_more_than_its_numbers(add, x, wrap, message):
    with pytest.raises(fuse.Error, match=f"'x': expected .*, but got {message}"):
        add(wrap(x), ones)
    if isinstance(wrap(x), np.ndarray):
        with pytest.raises(fuse.Error, match=f"'y': expected .*, but got {message}"):
            add(x, ones, out=wrap(x))


def test_files_in_memory(add, x, tmp_path):
    np.save(tmp_path / "x.npy", x)
    readable = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert type(readable) is np.memmap
    np.testing.assert_array_equal(add(readable, ones), x + 1)
    # Writing to it would end the process.
    with pytest.raises(
        fuse.Error, match="'y' to be writable, but got a read-only array"
    ):
        add(x, ones, out=readable)
    writable = np.load(tmp_path / "x.npy", mmap_mode="r+")
    add(x, ones, out=writable)
    writable.flush()
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), x + 1)


@pytest.mark.parametrize(
    "make",
    [
        lambda x: np.broadcast_to(x, x.shape),
        lambda x: np.frombuffer(x.tobytes(), np.float32).reshape(2, 4),
        lambda x: np.broadcast_to(x, x.shape)[:],
    ],
)
def test_read_only_arrays_are_not_written(add, x, make):
    out = make(x)
    with pytest.raises(
        fuse.Error, match="'y' to be writable, but got a read-only array"
    ):
        add(x, ones, out=out)
    np.testing.assert_array_equal(out, np.arange(8).reshape(2, 4))


def test_in_place_writes_only_where_nothing_else_is_given():
    both = fuse.compile(BOTH_IN_PLACE, target="cpu")
    x, z = np.full(3, 2, np.float32), np.full(3, 5, np.float32)
    x.flags.writeable = False
    y = np.empty_like(x)
    given, w = both(x, z, out=(y, None))
    assert given is y and w is z
    assert (y == 4).all() and (z == 25).all() and (x == 2).all()
    with pytest.raises(fuse.Error, match="expected 'y' to be writable"):
        both(x, z)
    assert (z == 25).all()


@pytest.mark.parametrize("out", [5, [], (None, None)])
def test_out_of_another_number(add, x, out):
    with pytest.raises(
        fuse.Error, match="'y': expected an array|expected 1 arrays in out"
    ):
        add(x, ones, out=out)


def test_out_that_is_no_sequence():
    both = fuse.compile(BOTH_IN_PLACE, target="cpu")
    with pytest.raises(
        fuse.Error, match="expected 2 arrays in out, but got 1; pass one"
    ):
        both(np.ones(3, np.float32), np.ones(3, np.float32), out=5)


# DLPack's capsules.


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", DLTensor),
    ]


class Exported:
    """An array whose capsules say what one wants."""

    def __init__(self, array, flags=0, major=1, lanes=1):
        self.array = array
        self._shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        self._managed = Versioned(major, 0, None, None, flags)
        tensor = self._managed.tensor
        tensor.data, tensor.ndim, tensor.shape = (
            array.ctypes.data,
            array.ndim,
            self._shape,
        )
        tensor.device.device_type = 1
        tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes = 2, 32, lanes

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, stream=None, max_version=None):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self._managed), b"dltensor_versioned", None)


class Unversioned:
    """An array whose capsules cannot say whether they may be written to."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__(stream=stream)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Assignable(Unversioned):
    def __setitem__(self, index, value):
        self.array[index] = value


def test_capsules_say_what_may_be_written(add, x):
    y = np.zeros((2, 4), np.float32)
    add(Exported(x, flags=1), ones, out=Exported(y))
    np.testing.assert_array_equal(y, x + 1)
    y[:] = 0
    for flags, message in (
        (1, "a read-only array; copy it"),
        (2, ".* gives a copy; pass"),
    ):
        with pytest.raises(fuse.Error, match=f"'y' to be writable, but got {message}"):
            add(x, ones, out=Exported(y, flags=flags))
    with pytest.raises(
        fuse.Error, match="'y' to be writable, .* does not say that it may"
    ):
        add(x, ones, out=Unversioned(y))
    assert not y.any()
    add(x, ones, out=Assignable(y))
    np.testing.assert_array_equal(y, x + 1)


class Failing(Unversioned):
    def __dlpack__(self, **options):
        raise ValueError("nothing here")


class Other(Unversioned):
    def __dlpack__(self, **options):
        return self.array


def test_capsules_that_are_not_understood(add, x):
    for array, message in (
        (Exported(x, lanes=2), "elements of one number, but got 2"),
        (Exported(x, major=2), r"DLPack 1.x from __dlpack__\(\), but got 2.0"),
        (
            Failing(x),
            "test_arrays.Failing to give its memory .* got: nothing here; pass",
        ),
        (Other(x), "a capsule of DLPack, but got another object; pass a NumPy array"),
    ):
        with pytest.raises(fuse.Error, match=f"'x': expected .*{message}"):
            add(array, ones, out=x.copy())
    frozen = np.broadcast_to(x, x.shape)
    with pytest.raises(fuse.Error, match="'x': expected .* but got: .*readonly"):
        add(Unversioned(frozen), ones, out=x.copy())


# Programs.


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_programs_stay_where_they_are(add, x, duplicate):
    with pytest.raises(fuse.Error, match="copy or pickle it; share the program itself"):
        duplicate(add)
    np.testing.assert_array_equal(add(x, ones), x + 1)


def test_inputs_by_name(add, x):
    b = np.ones(4, np.float32)
    out = np.empty_like(x)
    np.testing.assert_array_equal(add(x, b=b), x + 1)
    np.testing.assert_array_equal(add(b=b, x=x), x + 1)
    assert add(x, b=b, out=out) is out
    add.prepare((7, 4), b=(4,))


@pytest.mark.parametrize(
    "call, got",
    [
        (lambda add, x: add(x, c=x), "'c'; pass each input by its name"),
        (lambda add, x: add(x, x=x), "'x' twice; pass it once"),
        (lambda add, x: add(b=x), "no 'x'; pass it, too"),
        (lambda add, x: add.prepare(x, bias=x), "'bias'; pass each input by its name"),
    ],
)
def test_names_that_are_none_of_the_inputs(add, x, call, got):
    with pytest.raises(fuse.Error) as error:
        call(add, x)
    assert str(error.value) == f"expected the inputs x, b of 'add', but got {got}"


def test_inspections_are_plain_data():
    result = fuse.inspect(ADD, chip="sm_90")
    for other in (copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert other.kernels == result.kernels and other.remarks == result.remarks


ROWS = """
func.func @rows(%x: tensor<?x?x4xf32> {fuse.dims = ["A", "B"]}) -> tensor<?xf32> {
  %v = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x4xf32> into tensor<?x4xf32>
  %y = fuse.reduce max %v dims = [1] : tensor<?x4xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}"""


@pytest.mark.parametrize("target", ["cpu", "emu"])
def test_views_whose_dimensions_are_joined(target):
    program = fuse.compile(ROWS, target=target)

    def copies():
        return [each for each in program.remarks if each["category"] == "fuse-copy"]

    x = np.random.default_rng(1).standard_normal((6, 10, 8)).astype(np.float32)
    for view in (x[:, :, 4:], x[:, ::2, :4], x[:1, :5, ::2], x[:0, :, :4]):
        np.testing.assert_array_equal(program(view), view.max(axis=2).ravel())
    assert not copies()
    for view in (
        x[:, :, :4].transpose(1, 0, 2),
        x[:4].transpose(2, 1, 0),
        x[:, ::3, :4],
        np.broadcast_to(x[0, :, :4], (3, 10, 4)),
    ):
        np.testing.assert_array_equal(program(view), view.max(axis=2).ravel())
    remark, *_ = copies()
    assert remark["message"] == "kernel 'copy' copies 'x'"
    assert "do not follow each other" in remark["reason"] and remark["suggestion"]


def test_copies_of_code_for_single_lengths():
    """Rows of a length that only calls know have code of their own for each."""
    text = ROWS.replace("x4x", "x?x")
    program = fuse.compile(text.replace('["A", "B"]', '["A", "B", "n"]'), target="emu")
    x = np.random.default_rng(1).standard_normal((6, 10, 8)).astype(np.float32)
    view = x.transpose(1, 0, 2)
    np.testing.assert_array_equal(program(view), view.max(axis=2).ravel())
    assert [each["category"] for each in program.remarks].count("fuse-copy") == 1
