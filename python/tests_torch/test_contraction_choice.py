# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which products "auto" takes on a Hopper GPU, asked of tensors that only say they are there."""

import pytest
import torch
from fuse_compiler.torch._contractions import contraction_reason
from torch._subclasses.fake_tensor import FakeTensorMode

AUTO = {"contractions": "auto"}


@pytest.fixture(name="hopper")
def fixture_hopper(monkeypatch):
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda _: (9, 0))


@pytest.fixture(name="precision", params=["highest", "high"])
def fixture_precision(request):
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision(request.param)
    yield request.param
    torch.set_float32_matmul_precision(before)


def product(rows, k, columns, dtype, is_transposed=True):
    """A node of x W^T, or of x W."""
    graph = torch.fx.Graph()
    x, w = graph.placeholder("x"), graph.placeholder("w")
    node = graph.call_function(torch.ops.aten.mm.default, (x, w))
    with FakeTensorMode(allow_non_fake_inputs=True):
        x.meta["val"] = torch.empty(rows, k, dtype=dtype, device="cuda")
        shape = (columns, k) if is_transposed else (k, columns)
        weight = torch.empty(shape, dtype=dtype, device="cuda")
        w.meta["val"] = weight.T if is_transposed else weight
        node.meta["val"] = torch.empty(rows, columns, dtype=dtype, device="cuda")
    return node


@pytest.mark.usefixtures("hopper")
def test_f32_is_taken_as_tf32_only_where_torch_allows_it(precision):
    node = product(1024, 4096, 4096, torch.float32)
    reason = contraction_reason(node, AUTO)
    if precision == "high":
        assert reason is None
    else:
        assert "float32 is multiplied exactly" in reason


@pytest.mark.usefixtures("hopper", "precision")
def test_narrow_floats_do_not_ask():
    for is_transposed in (True, False):
        node = product(1024, 4096, 4096, torch.bfloat16, is_transposed)
        assert contraction_reason(node, AUTO) is None


@pytest.mark.usefixtures("hopper")
def test_tf32_lies_along_k(precision):
    reason = contraction_reason(product(1024, 4096, 4096, torch.float32, False), AUTO)
    expected = "does not lie along K" if precision == "high" else "exactly"
    assert expected in reason
