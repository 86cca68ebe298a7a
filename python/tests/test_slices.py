# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Slices that start where a number says, positions in several streams, pairs of reductions."""

import fuse_compiler as fuse
import numpy
import pytest
from fuse_compiler import lang


def compiled(function, *inputs, scalars=()):
    """The program of a function of inputs: pairs of a shape and an element type."""
    builder = lang.Builder("program")
    arrays = [builder.input(f"x{i}", *each) for i, each in enumerate(inputs)]
    arrays += [builder.scalar(f"s{i}", dtype) for i, dtype in enumerate(scalars)]
    results = function(*arrays)
    for each in results if isinstance(results, tuple) else (results,):
        builder.output(each)
    return fuse.compile(builder.text(), target="cpu")


def test_a_slice_starts_where_a_number_says():
    program = compiled(
        lambda x, first: lang.dynamic_slice(x, first, 4, axis=1),
        (("n", 9), "f32"),
        scalars=["i64"],
    )
    x = numpy.arange(27, dtype=numpy.float32).reshape(3, 9)
    assert (program(x, 3) == x[:, 3:7]).all()
    cut = program(x, 7)
    assert (cut[:, :2] == x[:, 7:]).all() and numpy.isnan(cut[:, 2:]).all()
    before = program(x, -1)
    assert (before[:, 1:] == x[:, :3]).all() and numpy.isnan(before[:, 0]).all()
    assert numpy.isnan(program(x, (1 << 63) - 1)).all()


def test_a_slice_is_as_long_as_another_tensor():
    program = compiled(
        lambda table, x, first: lang.dynamic_slice(table, first, x.shape[0]) * x,
        ((64, 8), "f32"),
        (("tokens", 8), "f32"),
        scalars=["i32"],
    )
    table = numpy.random.default_rng(0).random((64, 8), numpy.float32)
    x = numpy.ones((5, 8), numpy.float32)
    sizes = [numpy.zeros(5, bool)] * (len(program.inputs) - 3)
    assert (program(table, x, 10, *sizes) == table[10:15]).all()


def test_a_part_is_replaced():
    program = compiled(
        lambda into, update, first: lang.dynamic_update_slice(into, update, first),
        ((8, 3), "i32"),
        ((2, 3), "i32"),
        scalars=["i64"],
    )
    into = numpy.zeros((8, 3), numpy.int32)
    update = numpy.ones((2, 3), numpy.int32)
    expected = into.copy()
    expected[7:] = 1
    assert (program(into, update, 7) == expected).all()


def test_a_start_has_one_element():
    with pytest.raises(lang.Unsupported, match="expected a start of i32 or i64"):
        compiled(lambda x: lang.dynamic_slice(x, 3, 4), ((9,), "f32"))


def test_features_follow_streams_of_positions():
    program = compiled(
        lambda x, p: lang.rotary(x, tables=lang.m_rope_tables(p, [2, 3, 3], 1e6)),
        (("n", 2, 16), "f32"),
        ((3, "n"), "i64"),
    )
    random = numpy.random.default_rng(1)
    x = random.standard_normal((5, 2, 16)).astype(numpy.float32)
    positions = random.integers(0, 1000, (3, 5))
    stream = numpy.repeat([0, 1, 2], [2, 3, 3])
    angles = positions[stream].T * 1e6 ** (-numpy.arange(8) / 8)
    cos, sin = numpy.cos(angles)[:, None], numpy.sin(angles)[:, None]
    low, high = x[..., :8], x[..., 8:]
    expected = numpy.concatenate((low * cos - high * sin, high * cos + low * sin), -1)
    assert numpy.abs(program(x, positions) - expected).max() < 2e-4


def test_streams_and_sections_are_as_many():
    with pytest.raises(lang.Unsupported, match="expected positions of 2 streams"):
        compiled(lambda p: lang.m_rope_tables(p, [4, 4]), ((3, 5), "i64"))


def test_two_reductions_by_one_name():
    program = compiled(
        lambda x: (*lang.min_max(x, 1), *lang.std_mean(x, 1)), (("n", 100), "f32")
    )
    x = numpy.random.default_rng(2).standard_normal((3, 100)).astype(numpy.float32)
    for got, expected in zip(program(x), (x.min(1), x.max(1), x.std(1), x.mean(1))):
        assert got == pytest.approx(expected, rel=1e-5, abs=1e-6)
    assert len(program.kernels) == 1


@pytest.mark.parametrize("target", ["cpu", "emu"])
@pytest.mark.parametrize("columns", [96, 101])
@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
def test_columns_from_anywhere(target, columns, dtype):
    """Vectors that start at any element, and lanes past both ends of the rows."""
    element = {"float32": "f32", "float16": "f16", "int8": "i8"}[dtype]
    t, cut = f"tensor<?x{columns}x{element}>", f"tensor<?x64x{element}>"
    program = fuse.compile(
        f"""
func.func @f(%x: {t} {{fuse.dims = ["n"]}}, %first: tensor<i64> {{fuse.scalar}}) -> {cut} {{
  %y = fuse.dynamic_slice %x, %first dim = 1 size = 64 : {t}, tensor<i64> -> {cut}
  %z = fuse.add %y, %y : {cut}
  return %z : {cut}
}}""",
        target=target,
    )
    x = (numpy.arange(5 * columns) % 31).astype(dtype).reshape(5, columns)
    nothing = 0 if dtype == "int8" else numpy.nan
    for first in (
        *range(-3, 12),
        columns - 67,
        columns - 64,
        columns - 63,
        columns,
        -80,
    ):
        places = numpy.arange(first, first + 64)
        inside = (places >= 0) & (places < columns)
        wanted = numpy.where(inside, 2 * x[:, places.clip(0, columns - 1)], nothing)
        numpy.testing.assert_array_equal(program(x, first), wanted.astype(dtype))


def test_windows_of_rows_start_where_each_row_says():
    text = """
func.func @f(%x: tensor<?x128xf32> {fuse.dims = ["n"]}, %first: tensor<?x1xi32>)
    -> tensor<?x32xf32> {
  %i = fuse.iota dim = 1 : tensor<1x32xi32>
  %ids = fuse.sub %i, %first : tensor<1x32xi32>, tensor<?x1xi32> -> tensor<?x32xi32>
  %y = fuse.take_along %x, %ids dim = 1
       : tensor<?x128xf32>, tensor<?x32xi32> -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}"""
    x = numpy.random.default_rng(0).random((40, 128), numpy.float32)
    first = numpy.arange(-100, 20, 3, dtype=numpy.int32).reshape(40, 1)
    ids = numpy.arange(32) - first
    wanted = numpy.take_along_axis(x, ids.clip(0, 127), 1)
    wanted[(ids < 0) | (ids > 127)] = numpy.nan
    for target in ("cpu", "emu"):
        y = fuse.compile(text, target=target)(x, first)
        numpy.testing.assert_array_equal(y, wanted)
