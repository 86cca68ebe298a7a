# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Regions inside of Inductor: torch.compile(model) after one line."""

import threading

import fuse_compiler as fuse
import fuse_compiler.torch as fuse_torch
import pytest
import torch
from fuse_compiler.torch import _ahead
from models import LlamaBlock
from torch._inductor import config


@pytest.fixture(autouse=True)
def in_inductor(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    torch._dynamo.reset()
    fuse_torch.reset_report()
    torch.manual_seed(0)
    fuse_torch.use_in_inductor()
    yield
    fuse_torch.use_in_inductor(False)


def regions():
    return [r for g in fuse_torch.report() for r in g.regions]


def test_forward_and_backward_without_a_break():
    model, x = LlamaBlock(64, 4, 2), torch.randn(2, 8, 64)
    tables = torch.randn(8, 16)
    compiled = torch.compile(model, fullgraph=True, dynamic=False)

    def gradients(function):
        model.zero_grad(set_to_none=True)
        y = function(x, tables, tables)
        y.square().sum().backward()
        return [y.detach(), *(p.grad.clone() for p in model.parameters())]

    for ours, theirs in zip(gradients(compiled), gradients(model)):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-3)
    graphs = fuse_torch.report()
    assert [g.kind for g in graphs] == ["inductor", "inductor"]
    assert len(regions()) >= 3
    for region in regions():
        assert "fuse.reduce" in region.program and region.kernels


def test_programs_are_compiled_side_by_side(monkeypatch):
    both = threading.Barrier(2)

    def together(*arguments, **options):
        both.wait(30)
        return fuse.compile(*arguments, **options)

    monkeypatch.setattr(_ahead, "compile_program", together)
    x = torch.randn(8, 8)

    def function(x):
        return torch.softmax(torch.softmax(x * 1.125, 1) @ x * 1.375, 0)

    torch.testing.assert_close(torch.compile(function)(x), function(x))
    assert len(regions()) == 2 and not both.broken


def test_what_has_no_reduction_stays_inductors():
    x = torch.randn(8, 64)
    torch.compile(lambda x: torch.sin(x) * 2 + 1)(x)
    (graph,) = fuse_torch.report()
    assert not graph.regions
    assert "its region holds no reduction and no contraction" in {
        why for _, why in graph.eager
    }


def test_sizes_may_vary():
    norm = torch.nn.LayerNorm(32)

    def function(x):
        return torch.softmax(norm(x) * 2, -1) + x

    compiled = torch.compile(function, fullgraph=True, dynamic=True)
    with torch.no_grad():
        for rows in (5, 3, 9):
            x = torch.randn(rows, 32)
            torch.testing.assert_close(compiled(x), function(x), rtol=1e-5, atol=1e-5)
    assert len(fuse_torch.report()) == 1 and len(regions()) == 1
    assert '"s' in regions()[0].program.splitlines()[0]


def test_strides_of_results():
    def function(x):
        y = torch.softmax(x.transpose(1, 2), -1) * 3
        return y, y.sum(1)

    x = torch.randn(2, 5, 7)
    for ours, theirs in zip(torch.compile(function)(x), function(x)):
        torch.testing.assert_close(ours, theirs)
        assert ours.shape == theirs.shape
    assert regions()


def test_attention_and_complex_numbers_join_regions():
    fuse_torch.use_in_inductor({"attention": "always"})
    freqs = torch.polar(torch.ones(9, 8), torch.randn(9, 8))

    def turned(x):
        c = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2)) * freqs
        return torch.view_as_real(c).flatten(3)

    def attend(q, k, v):
        y = torch.nn.functional.scaled_dot_product_attention(
            turned(q), turned(k), v, is_causal=True
        )
        return torch.nn.functional.layer_norm(y + q, (16,))

    inputs = [torch.randn(2, 4, 9, 16) for _ in range(3)]
    with torch.no_grad():
        ours = torch.compile(attend, fullgraph=True)(*inputs)
    torch.testing.assert_close(ours, attend(*inputs), rtol=1e-4, atol=1e-4)
    (region,) = regions()
    assert "fuse.attention_and_sums.default" in region.operators
    assert region.program.count("fuse.contract") == 2


def test_attention_that_is_trained():
    fuse_torch.use_in_inductor({"attention": "always"})
    found = []

    def attend(q, k, v):
        y = torch.nn.functional.scaled_dot_product_attention(q, k, v)
        return torch.nn.functional.layer_norm(y + q, (16,))

    given = [torch.randn(2, 4, 9, 16) for _ in range(3)]
    for function in (torch.compile(attend, fullgraph=True), attend):
        inputs = [x.clone().requires_grad_() for x in given]
        y = function(*inputs)
        (y * torch.linspace(0, 1, 16)).sum().backward()
        found.append([y.detach(), *(x.grad for x in inputs)])
    for ours, theirs in zip(*found):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-4)
    assert any("attention" in o for r in regions() for o in r.operators)


def test_the_operator_is_whole():
    x = torch.randn(3, 8)
    text = (
        'func.func @f(%x: tensor<?x8xf32> {fuse.dims = ["n"]}) -> (tensor<?x8xf32>) {\n'
        "  %y = fuse.softmax %x dims = [1] : tensor<?x8xf32>\n"
        "  return %y : tensor<?x8xf32>\n}\n"
    )
    arguments = ([x], text, [3, 8], [2], "float32")
    (y,) = torch.ops.fuse.region(*arguments)
    torch.testing.assert_close(y, torch.softmax(x, -1))
    torch.library.opcheck(
        torch.ops.fuse.region,
        arguments,
        test_utils=("test_schema", "test_faketensor"),
    )


def test_the_pass_is_known_by_what_it_does():
    first = config.post_grad_custom_pre_pass
    fuse_torch.use_in_inductor()
    assert config.post_grad_custom_pre_pass.uuid() == first.uuid()
    fuse_torch.use_in_inductor({"contractions": "always"})
    assert config.post_grad_custom_pre_pass.uuid() != first.uuid()


def test_another_pass_is_not_replaced(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(config, "post_grad_custom_pre_pass", lambda graph: None)
        with pytest.raises(fuse.Error, match="expected no pass in .* but got"):
            fuse_torch.use_in_inductor()
    with pytest.raises(fuse.Error, match="expected options of"):
        fuse_torch.use_in_inductor({"speed": 2})
