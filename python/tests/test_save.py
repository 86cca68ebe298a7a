# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Program.save() and fuse.load(): a program with its code in a file."""

import fuse_compiler as fuse
import numpy
import pytest

SOFTMAX = """
func.func @softmax(%x: tensor<?x40xf32> {fuse.dims = ["rows"]}) -> tensor<?x40xf32> {
  %y = fuse.softmax %x dims = [1] : tensor<?x40xf32>
  return %y : tensor<?x40xf32>
}"""


@pytest.mark.parametrize("target", ["cpu", "emu"])
def test_gives_the_same_program(tmp_path, target):
    path = tmp_path / "softmax.fuse"
    x = numpy.random.default_rng(0).standard_normal((3, 40), numpy.float32)
    program = fuse.compile(SOFTMAX, target=target, cache=False)
    expected = program(x)
    program.save(path)
    loaded = fuse.load(path, cache=False)
    assert loaded.chip == program.chip
    assert [kernel.schedule for kernel in loaded.kernels] == [
        kernel.schedule for kernel in program.kernels
    ]
    numpy.testing.assert_array_equal(loaded(x), expected)


def test_refuses_other_files(tmp_path):
    path = tmp_path / "softmax.mlir"
    path.write_text(SOFTMAX)
    with pytest.raises(fuse.Error, match="expected a file that .* has written"):
        fuse.load(path)
    with pytest.raises(fuse.Error, match="cannot read the saved program"):
        fuse.load(tmp_path / "none")


def test_says_where_it_cannot_write(tmp_path):
    program = fuse.compile(SOFTMAX, target="cpu")
    with pytest.raises(fuse.Error, match="cannot save 'softmax'.*check the folder"):
        program.save(tmp_path / "none" / "softmax.fuse")
