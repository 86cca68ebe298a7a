# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments with fuse.scalar: numbers that kernels get by value."""

import fuse_compiler as fuse
import numpy
import pytest

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


def test_bundles_take_tensors_only(tmp_path):
    with pytest.raises(fuse.Error, match="but got 'rate' with fuse.scalar"):
        fuse.write_bundle(SCALED, tmp_path, chips=["cpu"])


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
