# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plugin of vLLM, against a stand-in for vLLM's interface (vllm_stub.py)."""

import subprocess
import sys
import tomllib
from pathlib import Path

import fuse_compiler.vllm as plugin
import pytest
import torch
import vllm_stub as stub
from fuse_compiler import Error
from fuse_compiler.vllm import _layers

ROOT = Path(__file__).resolve().parents[2]
LAYERS = [
    *("RMSNorm", "GemmaRMSNorm", "SiluAndMul", "GeluAndMul"),
    *("RotaryEmbedding", "Llama3RotaryEmbedding"),
]
TYPES = pytest.mark.parametrize(
    "dtype", [torch.float32, torch.bfloat16], ids=["f32", "bf16"]
)


@pytest.fixture
def vllm(monkeypatch):
    """Registers in a fresh vLLM: the names of what was registered, and its IR ops."""
    torch.manual_seed(0)

    def start(layers="all", **more):
        monkeypatch.setattr(plugin, "_registered", None)
        monkeypatch.setenv(plugin.VARIABLE, layers)
        ops = stub.install(monkeypatch, **more)
        return plugin.register(), ops

    yield start
    stub.CustomOp.op_registry_oot = {}


def close(found, expected):
    tolerance = 2e-2 if found.dtype == torch.bfloat16 else 2e-5
    torch.testing.assert_close(found, expected, rtol=tolerance, atol=tolerance)


def test_vllm_finds_it_and_nothing_of_vllm_is_imported_before():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    entry = project["entry-points"]["vllm.general_plugins"]["fuse"]
    assert entry == "fuse_compiler.vllm:register"
    code = (
        "import sys, fuse_compiler.vllm; assert callable(fuse_compiler.vllm.register); "
        "assert not {'vllm', 'torch'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_is_registered(vllm):
    names, _ = vllm()
    ir = ["ir:rms_norm", "ir:fused_add_rms_norm", "ir:silu_and_mul"]
    assert sorted(names) == sorted([*ir, *(f"layer:{name}" for name in LAYERS)])
    # Each process calls it once or more.
    assert plugin.register() is names


def test_nothing_is_replaced_unless_asked_for(vllm):
    names, _ = vllm("")
    assert not any(name.startswith("layer") for name in names)
    assert type(stub.RMSNorm(8)) is stub.RMSNorm
    names, _ = vllm("SiluAndMul")
    assert [n for n in names if n.startswith("layer")] == ["layer:SiluAndMul"]
    with pytest.raises(Error, match="expected FUSE_VLLM_LAYERS to be .*, but got Norm"):
        vllm("Norm")


def test_a_vllm_without_ir_has_layers_alone(vllm):
    names, _ = vllm(ir=())
    assert len(names) == len(LAYERS) and "layer:RMSNorm" in names


def test_layers_that_others_have_or_that_have_no_kernels(vllm, monkeypatch, caplog):
    class RMSNorm(torch.nn.Module):
        """Of a vLLM whose layers call IR ops."""

    monkeypatch.setattr(stub, "RMSNorm", RMSNorm)
    vllm("")

    class Theirs(stub.SiluAndMul):
        pass

    stub.SiluAndMul.register_oot(Theirs)
    names = tuple(_layers.register(("RMSNorm", "SiluAndMul", "GeluAndMul")))
    assert names == ("GeluAndMul",)
    assert "choose Fuse's by --ir-op-priority" in caplog.text
    assert "SiluAndMul is not replaced: Duplicate" in caplog.text
    assert type(stub.SiluAndMul()) is Theirs


@TYPES
@pytest.mark.parametrize("name", ["RMSNorm", "GemmaRMSNorm"])
def test_norms(vllm, name, dtype):
    vllm()
    layer = getattr(stub, name)(64).to(dtype)
    layer.weight.data.uniform_(0.5, 1.5)
    assert type(layer).__name__ == f"Fuse{name}" and isinstance(
        layer, getattr(stub, name)
    )
    x, residual = (torch.randn(7, 64).to(dtype) for _ in range(2))
    before = x.clone(), residual.clone()
    close(layer(x), layer.forward_native(x))
    for found, expected in zip(layer(x, residual), layer.forward_native(x, residual)):
        close(found, expected)
    assert torch.equal(x, before[0]) and torch.equal(residual, before[1])
    # The two calls of the reference, none of the layer.
    assert type(layer).own_calls == 2


def test_norms_that_vllm_keeps(vllm):
    vllm()
    x = torch.randn(3, 64)
    part = stub.RMSNorm(64, var_hidden_size=32)
    part(x)
    assert type(part).own_calls == 1
    bare = stub.RMSNorm(64, has_weight=False)
    close(bare(x), stub.native_norm(x, None, 1e-6))
    assert type(bare).own_calls == 1
    bare(x, x)
    doubles = stub.RMSNorm(64)
    doubles(x.double())
    assert type(bare).own_calls == 3


@TYPES
@pytest.mark.parametrize("approximate", [None, "none", "tanh"])
def test_gated_activations(vllm, dtype, approximate):
    vllm()
    layer = (
        stub.GeluAndMul(approximate) if approximate is not None else stub.SiluAndMul()
    )
    x = torch.randn(5, 96).to(dtype)
    close(layer(x), layer.forward_native(x))
    assert layer(x).shape == (5, 48) and type(layer).own_calls == 1


@TYPES
@pytest.mark.parametrize("neox", [True, False], ids=["half", "interleaved"])
@pytest.mark.parametrize("rotary", [32, 16])
def test_rotary_embeddings(vllm, dtype, neox, rotary):
    vllm()
    for base in (stub.RotaryEmbedding, stub.Llama3RotaryEmbedding):
        layer = base(32, rotary, 128, 1e4, neox, dtype)
        # Views of a projection's result.
        qkv = torch.randn(6, 4 * 32 + 2 * 32 * 2).to(dtype)
        query, key, _ = qkv.split([128, 64, 64], dim=-1)
        positions = torch.tensor([0, 5, 127, 3, 3, 64])
        for found, expected in zip(
            layer(positions, query, key), layer.forward_native(positions, query, key)
        ):
            close(found, expected)
        found, none = layer(positions, query)
        close(found, layer.forward_native(positions, query)[0])
        assert none is None and type(layer).own_calls == 2


def test_a_rotary_embedding_with_a_forward_of_its_own_is_kept(vllm):
    vllm()
    layer = stub.MRotaryEmbedding(32, 32, 128, 1e4, True, torch.float32)
    assert type(layer) is stub.MRotaryEmbedding


def test_query_and_key_are_one_kernel(vllm):
    import fuse_compiler as fuse
    from fuse_compiler import jit
    from fuse_compiler.vllm import _kernels

    dims = {"query": _kernels._TOKENS, "key": _kernels._TOKENS}
    dims |= {"cos": _kernels._TABLE, "sin": _kernels._TABLE, "positions": ("tokens",)}
    function = jit(_kernels._rotate, dims=dims)
    query, key = torch.empty(4, 32, 128), torch.empty(4, 8, 128)
    table, positions = torch.empty(256, 64), torch.zeros(4, dtype=torch.int64)
    text = function.text(query, key, table, table, positions, "half")
    assert len(fuse.inspect(text, chip="sm_90").kernels) == 1


def test_a_layer_that_is_switched_off_is_native(vllm, monkeypatch):
    vllm()
    monkeypatch.setattr(stub.CustomOp, "enabled_by_default", False)
    layer = stub.SiluAndMul()
    layer(torch.randn(2, 8))
    assert type(layer).own_calls == 1


@TYPES
def test_ir_ops(vllm, dtype):
    _, ops = vllm()
    x, residual = (torch.randn(7, 64).to(dtype) for _ in range(2))
    weight = torch.rand(64).to(dtype)
    calls = {
        "rms_norm": (x, weight, 1e-6),
        "fused_add_rms_norm": (x, residual, weight, 1e-6),
        "silu_and_mul": (x,),
    }
    for name, arguments in calls.items():
        op = getattr(ops, name)
        op.priority = ["fuse"]
        found, expected = op(*arguments), op.impls["native"].impl_fn(*arguments)
        assert op.calls == ["fuse"]
        is_pair = isinstance(found, (tuple, list))
        for a, b in zip(
            found if is_pair else [found], expected if is_pair else [expected]
        ):
            close(a, b)


def test_ir_ops_that_go_to_the_next_provider(vllm):
    _, ops = vllm()
    for op in vars(ops).values():
        op.priority = ["fuse"]
    x = torch.randn(3, 64)
    ops.rms_norm(x, None, 1e-6, 32)
    ops.fused_add_rms_norm(x, x, None, 1e-6)
    ops.silu_and_mul(x.double())
    assert [op.calls for op in vars(ops).values()] == [["native"]] * 3


def test_an_ir_op_of_another_schema_has_no_provider(vllm, monkeypatch, caplog):
    def changed(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return x

    changed.__name__ = "rms_norm"
    monkeypatch.setattr(stub, "rms_norm", changed)
    names, ops = vllm("", ir=("rms_norm", "silu_and_mul"))
    assert names == ("ir:silu_and_mul",)
    assert "fuse" not in ops.rms_norm.impls
    assert "vLLM's rms_norm is not the one that Fuse knows" in caplog.text


def test_providers_can_be_traced(vllm):
    """As vLLM lowers IR ops: the implementation is traced into the graph."""
    from torch.fx.experimental.proxy_tensor import make_fx

    _, ops = vllm()
    implementation = ops.fused_add_rms_norm.impls["fuse"].impl_fn
    x, weight = torch.randn(4, 64), torch.rand(64)
    graph = make_fx(lambda *a: implementation(*a, 1e-6), tracing_mode="symbolic")(
        x, x, weight
    )
    targets = [str(n.target) for n in graph.graph.nodes if n.op == "call_function"]
    assert "fuse.add_rms_norm.default" in targets
    for a, b in zip(graph(x, x, weight), implementation(x, x, weight, 1e-6)):
        torch.testing.assert_close(a, b)


def test_a_layer_compiles_with_vllms_compiler_options(vllm):
    vllm()
    layer = stub.RMSNorm(64)
    compiled = torch.compile(layer, backend="aot_eager", fullgraph=True, dynamic=True)
    with torch.no_grad():
        for rows in (3, 5):
            x = torch.randn(rows, 64)
            close(compiled(x), layer.forward_native(x))
