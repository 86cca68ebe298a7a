# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls through the extension, and that they are like those through ctypes."""

import os
import subprocess
import sys
import threading

import fuse_compiler as fuse
import numpy as np
import pytest
from fuse_compiler._library import native

TEXT = """
func.func @f(%x: tensor<?x4xf32> {fuse.dims = ["rows"]}, %w: tensor<4xf32>)
    -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %h = fuse.add %x, %w : tensor<?x4xf32>, tensor<4xf32>
  %n = fuse.mul %h, %h : tensor<?x4xf32>
  return %h, %n : tensor<?x4xf32>, tensor<?x4xf32>
}"""

pytestmark = pytest.mark.skipif(native is None, reason="built without Python's headers")


@pytest.fixture
def program():
    return fuse.compile(TEXT, target="cpu")


def check(program, x, w):
    h, n = program(x, w)
    np.testing.assert_array_equal(h, x + w)
    np.testing.assert_array_equal(n, (x + w) ** 2)


def random(*shape):
    return np.random.default_rng(0).standard_normal(shape, np.float32)


def test_known_layouts_go_through_the_extension(program, monkeypatch):
    x, w = random(3, 4), random(4)
    check(program, x, w)
    monkeypatch.setattr(program, "_call", None)
    check(program, x + 1, w)
    with pytest.raises(TypeError):
        program(random(5, 4), w)


def test_given_outputs_go_through_the_extension(program, monkeypatch):
    x, w = random(3, 4), random(4)
    outs = [np.empty_like(x), np.empty_like(x)]
    program(x, w, out=outs)
    monkeypatch.setattr(program, "_call", None)
    for given in (outs, tuple(outs)):
        h, n = program(x + 1, w, out=given)
        assert h is outs[0] and n is outs[1]
        np.testing.assert_array_equal(h, x + 1 + w)
        np.testing.assert_array_equal(n, (x + 1 + w) ** 2)
        h.fill(0)
    # Another call is not known for that.
    with pytest.raises(TypeError):
        program(x, w)
    with pytest.raises(TypeError):
        program(x, w, out=[outs[0], None])


def test_given_outputs_are_refused_again(program):
    x, w = random(3, 4), random(4)
    outs = [np.empty_like(x), np.empty_like(x)]
    fixed = np.empty_like(x)
    fixed.flags.writeable = False
    for _ in range(3):
        program(x, w, out=outs)
        for wrong, message in (
            ([outs[0], fixed], "to be writable, but got a read-only array"),
            ([outs[0], outs[0]], "overlap"),
            ([outs[0], np.empty((2, 4), np.float32)], "to be 3 .*, but got 2"),
            (outs[:1], "expected 2 arrays in out, but got 1"),
        ):
            with pytest.raises(fuse.Error, match=message):
                program(x, w, out=wrong)


def test_layouts_are_told_apart(program):
    wide, w = random(8, 16), random(4)
    for _ in range(3):
        for x in (
            random(2, 4),
            random(3, 4),
            wide[:, :4],
            wide[::2, 4:8],
            wide[:4, :4].T,
            wide[0:0, :4],
            wide.reshape(-1)[1:9].reshape(2, 4),
        ):
            check(program, x, w)


def test_what_is_refused_is_refused_again(program):
    x, w = random(3, 4), random(4)
    for _ in range(3):
        check(program, x, w)
        with pytest.raises(fuse.Error, match="'x' to be f32, but got f64"):
            program(x.astype(np.float64), w)
        with pytest.raises(fuse.Error, match="2 input"):
            program(x)
        with pytest.raises(fuse.Error, match="strides of 0 or more"):
            program(x[::-1], w)
        with pytest.raises(fuse.Error, match="plain NumPy array"):
            program(np.ma.array(x), w)


def test_more_layouts_than_are_kept(program):
    w = random(4)
    for rows in [*range(1, 300), 1, 299]:
        check(program, random(rows, 4), w)


def test_threads_share_a_program(program):
    w, failures = random(4), []

    def work(seed):
        try:
            for rows in range(1, 80):
                check(program, random((rows * seed) % 97 + 1, 4), w)
        except Exception as failure:  # noqa: BLE001
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_prepare(program):
    program.prepare((6, 4), (4,))
    program.prepare(((6, 4), (8, 1)), ((4,), (1,)))
    program.prepare(random(6, 8)[:, :4], random(4))
    check(program, random(6, 4), random(4))
    with pytest.raises(fuse.Error, match="to be 4, but got 5"):
        program.prepare((6, 5), (4,))
    with pytest.raises(fuse.Error, match="expected 2 input"):
        program.prepare((6, 4))


def test_the_package_does_without():
    """A process without the extension gives the same results through ctypes."""
    code = (
        "import fuse_compiler as f, numpy; from fuse_compiler import _library as l;"
        "assert l.native is None;"
        f"p = f.compile('''{TEXT}''', target='cpu');"
        "x = numpy.ones((2, 4), numpy.float32);"
        "assert all((p(x, x[0])[1] == 4).all() for _ in range(3))"
    )
    environment = {**os.environ, "FUSE_NATIVE": "0"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
