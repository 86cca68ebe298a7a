# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments with fuse.scalar: numbers that kernels get by value."""

import math

import fuse_compiler as fuse
import numpy
import pytest
from fuse_compiler._library import native

SCALED = """
func.func @scaled(%x: tensor<?x64xf32> {fuse.dims = ["n"]}, %rate: tensor<f32> {fuse.scalar},
                  %first: tensor<i64> {fuse.scalar}) -> (tensor<?x64xf32>, tensor<4x64xf32>) {
  %y = fuse.mul %x, %rate : tensor<?x64xf32>, tensor<f32> -> tensor<?x64xf32>
  %z = fuse.dynamic_slice %x, %first dim = 0 size = 4 : tensor<?x64xf32>, tensor<i64> -> tensor<4x64xf32>
  return %y, %z : tensor<?x64xf32>, tensor<4x64xf32>
}"""


@pytest.fixture(name="scaled", params=["cpu", "emu"])
def fixture_scaled(request):
    return fuse.compile(SCALED, target=request.param)


def test_numbers_are_passed_by_value(scaled):
    x = numpy.arange(8 * 64, dtype=numpy.float32).reshape(8, 64)
    for rate, first in ((0.5, 2), (-3, 0)):
        y, z = scaled(x, rate, first)
        assert (y == x * numpy.float32(rate)).all()
        assert (z == x[first : first + 4]).all()
    assert [each.is_scalar for each in scaled.inputs] == [False, True, True]


def test_arrays_of_rank_0_are_numbers(scaled):
    x = numpy.ones((4, 64), numpy.float32)
    y, z = scaled(x, numpy.float32(2).reshape(()), numpy.array(1, numpy.int64))
    assert (y == 2).all()
    assert (z[:3] == 1).all() and numpy.isnan(z[3]).all()


def test_a_number_of_another_type_is_refused(scaled):
    x = numpy.ones((4, 64), numpy.float32)
    with pytest.raises(fuse.Error, match="expected 'first' to be i64, but got 0.5"):
        scaled(x, 1.0, 0.5)
    with pytest.raises(fuse.Error, match="expected 'first' to be a number of i64"):
        scaled(x, 1.0, 1 << 63)


def test_results_are_like_tensors():
    text = """
func.func @f(%a: tensor<f32> {fuse.scalar}, %x: tensor<3xf32>) -> (tensor<3xf32>, tensor<f32>) {
  %y = fuse.add %x, %a : tensor<3xf32>, tensor<f32> -> tensor<3xf32>
  return %y, %a : tensor<3xf32>, tensor<f32>
}"""
    y, a = fuse.compile(text, target="cpu")(1.5, numpy.zeros(3, numpy.float32))
    assert y.tolist() == [1.5] * 3 and a == 1.5


def test_a_program_of_numbers_wants_out():
    text = """
func.func @f(%a: tensor<f32> {fuse.scalar}) -> tensor<f32> {
  %y = fuse.neg %a : tensor<f32>
  return %y : tensor<f32>
}"""
    program = fuse.compile(text, target="cpu")
    with pytest.raises(fuse.Error, match="expected out for a program of numbers only"):
        program(1.5)
    out = numpy.zeros((), numpy.float32)
    program(1.5, out=out)
    assert out == -1.5


def identity(element):
    """A program that gives back its number, in a tensor of one element."""
    return f"""
func.func @f(%like: tensor<1x{element}>, %n: tensor<{element}> {{fuse.scalar}})
    -> tensor<1x{element}> {{
  %y = fuse.broadcast %n : tensor<{element}> -> tensor<1x{element}>
  return %y : tensor<1x{element}>
}}"""


# The numbers that an element type has, and that it is just too small for.
EDGES = {
    "f64": ([0.1, -0.0, math.inf, 5e-324], []),
    "f32": ([0.5, -1e-45, 3.4028234663852886e38, -math.inf, 3], [1e39]),
    "f16": ([0.1, 6e-8, -5.96e-8, 65504, 65519.9, 1e-9, math.inf], [65520, -1e6]),
    "bf16": ([0.1, 3.3e38, 1e-40, 1.00390625, 1.01171875, -math.inf], [3.4e38, 1e300]),
    "i8": ([-128, 127, True], [128, -129]),
    "i16": ([-32768, 32767], [32768]),
    "i32": ([-(1 << 31), (1 << 31) - 1], [1 << 31, 1 << 80]),
    "i64": ([-(1 << 63), (1 << 63) - 1], [1 << 63]),
    "ui8": ([0, 255], [256, -1]),
}


def as_element(number, element):
    """The number as NumPy rounds it."""
    if element == "bf16":
        bits = (
            numpy.array(number, numpy.float32).view(numpy.uint32).astype(numpy.uint64)
        )
        return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(numpy.uint16)
    kinds = {"f": "f", "i": "i", "u": "u"}
    return numpy.array(number, f"{kinds[element[0]]}{int(element.lstrip('fui')) // 8}")


@pytest.mark.parametrize("element", EDGES)
def test_numbers_are_rounded_and_have_a_range(element):
    program = fuse.compile(identity(element), target="cpu")
    fitting, others = EDGES[element]
    kind = numpy.uint16 if element == "bf16" else as_element(0, element).dtype
    like = numpy.zeros(1, kind)
    # The second call is the extension's, where it is built.
    for _ in range(2):
        for number in fitting:
            with numpy.errstate(over="ignore"):
                wanted = as_element(number, element)
            got = numpy.asarray(program(like, number)).view(wanted.dtype)
            assert got.tobytes() == wanted.tobytes(), number
        for number in others:
            with pytest.raises(fuse.Error, match=f"'n' to be a number of {element}"):
                program(like, number)


@pytest.mark.skipif(native is None, reason="built without Python's headers")
def test_calls_with_numbers_go_through_the_extension(monkeypatch):
    program = fuse.compile(SCALED, target="cpu")
    x = numpy.arange(8 * 64, dtype=numpy.float32).reshape(8, 64)
    program(x, 0.5, 2)
    monkeypatch.setattr(program, "_call", None)
    for rate, first in ((2.5, 3), (-1, 0), (True, 4)):
        y, z = program(x, rate, first)
        assert (y == x * numpy.float32(rate)).all()
        assert (z == x[first : first + 4]).all()
    # Others are left to the package's own way, which is not there.
    for wrong in ("1", 1j, 1.5, numpy.int64(3), None):
        with pytest.raises(TypeError):
            program(x, 1.0, wrong)


@pytest.mark.parametrize(
    "dtype, kind",
    [("i8", numpy.int8), ("i16", numpy.int16), ("ui8", numpy.uint8)],
)
def test_narrow_integers_wrap(dtype, kind):
    text = f"""
func.func @f(%x: tensor<?x{dtype}> {{fuse.dims = ["n"]}}, %y: tensor<?x{dtype}>)
    -> (tensor<?x{dtype}>, tensor<?xi1>) {{
  %s = fuse.add %x, %y : tensor<?x{dtype}>
  %p = fuse.mul %s, %x : tensor<?x{dtype}>
  %c = fuse.compare lt %x, %y : tensor<?x{dtype}>
  return %p, %c : tensor<?x{dtype}>, tensor<?xi1>
}}"""
    program = fuse.compile(text, target="cpu")
    x = numpy.arange(256).astype(kind)
    y = (numpy.arange(256) * 7 + 3).astype(kind)
    p, c = program(x, y)
    with numpy.errstate(over="ignore"):
        assert p.dtype == kind and (p == (x + y) * x).all()
    assert (c == (x < y)).all()
