# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs shown as pages, as notebooks do."""

import html
import re

import fuse_compiler as fuse
import pytest

TEXT = """
func.func @scaled(%x: tensor<?x64xf32> {fuse.dims = ["rows"]}) -> tensor<?x64xf32> {
  %y = fuse.softmax %x dims = [1] : tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
func.func @doubled(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = fuse.add %x, %x : tensor<8xf32>
  return %y : tensor<8xf32>
}"""


@pytest.mark.parametrize("target, chip", [("cpu", "cpu"), ("cuda", "sm_90a")])
def test_the_page_is_that_of_the_driver(target, chip):
    program = (
        fuse.compile(TEXT, "scaled", target="cpu")
        if target == "cpu"
        else fuse.inspect(TEXT, "scaled", chip=chip)
    )
    page = program.html()
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert "scaled" in page and "softmax" in page and chip in page
    (kernel,) = program.kernels
    assert html.escape(kernel.schedule.split("<")[0]) in page


def test_notebooks_show_it_in_a_frame():
    program = fuse.compile(TEXT, "doubled", target="cpu")
    frame = program._repr_html_()
    source = re.fullmatch(r'<iframe srcdoc="([^"]*)" style="[^"]*"></iframe>', frame)[1]
    assert html.unescape(source) == program.html()


def test_sizes_and_roundings_are_those_of_the_program():
    plain = fuse.inspect(TEXT, "scaled").html()
    one = fuse.inspect(TEXT, "scaled", sizes={"rows": 12288}).html()
    assert plain != one


def test_where_there_is_no_driver_repr_is_shown(monkeypatch):
    program = fuse.compile(TEXT, "doubled", target="cpu")
    monkeypatch.setattr("sys.executable", "/bin/false")
    assert program._repr_html_() is None
    with pytest.raises(fuse.Error, match="expected the driver to write a page"):
        program.html()


def test_functions_of_jit_have_pages():
    import numpy

    double = fuse.jit(lambda x: x + x)
    assert "<iframe" in double.program(numpy.ones(4, numpy.float32))._repr_html_()
