# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention in regions of torch.compile(model, backend="fuse")."""

import fuse_compiler as fuse
import fuse_compiler.torch as fuse_torch
import pytest
import torch
from fuse_compiler.torch import _attention, _contractions
from models import LlamaBlock
from torch.nn import functional as F

pytestmark = pytest.mark.usefixtures("fresh")

ALWAYS = {"contractions": "always", "attention": "always"}


def compiled(function, **more):
    return torch.compile(
        function,
        backend="fuse",
        dynamic=False,
        options={**ALWAYS, "smallest_region": 1, **more},
    )


def random(*shapes, dtype=torch.float32):
    return [torch.randn(shape).to(dtype) for shape in shapes]


def some_rows_hidden(*shape):
    mask = torch.rand(shape) < 0.7
    mask[..., 1, :] = False
    return mask


QUERIES, KEYS = (2, 4, 9, 16), (2, 4, 13, 16)
SHARED = (2, 2, 13, 16)
CASES = {
    "plain": (QUERIES, KEYS, KEYS, {}),
    "causal": (QUERIES, KEYS, KEYS, {"is_causal": True}),
    "more queries than keys": (KEYS, QUERIES, QUERIES, {"is_causal": True}),
    "scale": (QUERIES, KEYS, KEYS, {"scale": 0.4}),
    "other columns": (QUERIES, KEYS, (2, 4, 13, 24), {}),
    "shared keys": (QUERIES, SHARED, SHARED, {"enable_gqa": True}),
    "shared keys, causal": (
        QUERIES,
        SHARED,
        SHARED,
        {"enable_gqa": True, "is_causal": True},
    ),
    "mask": (QUERIES, KEYS, KEYS, {"attn_mask": some_rows_hidden(9, 13)}),
    "mask of heads": (
        QUERIES,
        KEYS,
        KEYS,
        {"attn_mask": some_rows_hidden(2, 4, 9, 13)},
    ),
    "mask of keys": (QUERIES, KEYS, KEYS, {"attn_mask": torch.rand(2, 1, 1, 13) < 0.7}),
    "mask, shared keys": (
        QUERIES,
        SHARED,
        SHARED,
        {"attn_mask": some_rows_hidden(2, 4, 9, 13), "enable_gqa": True},
    ),
    "bias": (
        QUERIES,
        KEYS,
        KEYS,
        {"attn_mask": torch.linspace(-3, 3, 117).view(9, 13)},
    ),
    "bias that hides": (
        QUERIES,
        KEYS,
        KEYS,
        {
            "attn_mask": torch.zeros(9, 13).masked_fill(
                ~some_rows_hidden(9, 13), float("-inf")
            )
        },
    ),
    "three dims": ((4, 9, 16), (4, 13, 16), (4, 13, 16), {}),
    "five dims": ((2, 3, 4, 9, 16), (2, 3, 4, 13, 16), (2, 3, 4, 13, 16), {}),
}


@pytest.mark.parametrize("name", CASES)
def test_equals_torchs(name):
    *shapes, keywords = CASES[name]
    q, k, v = random(*shapes)

    def attend(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, **keywords)

    with torch.no_grad():
        ours = compiled(attend)(q, k, v)
    expected = attend(q, k, v)
    torch.testing.assert_close(ours, expected, rtol=2e-5, atol=2e-5)
    assert ours.stride() == expected.stride()
    (graph,) = fuse_torch.report()
    assert len(graph.regions) == 1 and not graph.eager, str(graph)


def test_other_lengths_compile_nothing():
    def attend(q, k, v):
        return F.scaled_dot_product_attention(q * 2, k, v, is_causal=True)

    function = torch.compile(attend, backend="fuse", dynamic=True, options=ALWAYS)
    for batch, queries, keys in ((2, 9, 13), (3, 8, 11), (5, 21, 7)):
        q, k, v = random((batch, 4, queries, 16), *2 * [(batch, 4, keys, 16)])
        with torch.no_grad():
            torch.testing.assert_close(
                function(q, k, v), attend(q, k, v), rtol=2e-5, atol=2e-5
            )
    assert len(fuse_torch.report()) == 1


@pytest.mark.parametrize("is_masked", [False, True])
def test_repeated_keys_are_read_once(is_masked):
    def attend(q, k, v, mask):
        # As transformers' repeat_kv.
        k, v = (
            x[:, :, None].expand(2, 2, 2, 200, 64).reshape(2, 4, 200, 64)
            for x in (k, v)
        )
        return F.scaled_dot_product_attention(q, k, v, mask) + 1

    q, k, v = random((2, 4, 150, 64), *2 * [(2, 2, 200, 64)], dtype=torch.bfloat16)
    mask = torch.rand(2, 1, 150, 200) < 0.9 if is_masked else None
    with torch.no_grad():
        ours = compiled(attend)(q, k, v, mask)
    torch.testing.assert_close(ours, attend(q, k, v, mask), rtol=2e-2, atol=2e-2)
    (region,) = fuse_torch.report()[0].regions
    (kernel,) = fuse.inspect(region.program, chip="sm_90a").kernels
    assert "#fuse.streamed" in kernel.schedule


@pytest.mark.parametrize("written", ["flag", "positions", "window"])
def test_masks_of_positions_skip_tiles(written):
    """A mask that is computed from positions is known to the kernel, not read."""

    def attend(q, k, v):
        positions = torch.arange(300, device=q.device)
        mask = positions[None, :] <= positions[:, None]
        if written == "window":
            mask = mask & (positions[:, None] - positions[None, :] < 100)
        more = {"is_causal": True} if written == "flag" else {"attn_mask": mask}
        return F.scaled_dot_product_attention(q, k, v, **more)

    q, k, v = random(*3 * [(1, 2, 300, 64)], dtype=torch.float16)
    with torch.no_grad():
        ours = compiled(attend)(q, k, v)
    torch.testing.assert_close(ours, attend(q, k, v), rtol=1e-2, atol=1e-2)
    (region,) = fuse_torch.report()[0].regions
    (kernel,) = fuse.inspect(region.program, chip="sm_90a").kernels
    assert "#fuse.streamed" in kernel.schedule
    # Places alone: no operand of the shape of the scores.
    assert region.program.splitlines()[0].count("300x300") == 0


def test_a_layer_is_one_region_and_layers_share_a_program():
    layers = torch.nn.ModuleList(LlamaBlock(512, 8, 2) for _ in range(3))
    layers = layers.to(torch.bfloat16)
    tables = torch.randn(128, 64).to(torch.bfloat16)
    x = torch.randn(2, 128, 512).to(torch.bfloat16)

    def model(x):
        for layer in layers:
            x = layer(x, tables, tables)
        return x

    with torch.no_grad():
        ours = compiled(model)(x)
    wide = model(x)
    assert (ours - wide).float().square().mean() < 1e-3 * wide.float().square().mean()
    (graph,) = fuse_torch.report()
    assert len(graph.regions) == 3 and not graph.eager, str(graph)
    assert len({region.program for region in graph.regions}) == 1
    kernels = fuse.inspect(graph.regions[0].program, chip="sm_90a").kernels
    (attention,) = [k for k in kernels if k.ops.count("exp")]
    assert "#fuse.streamed" in attention.schedule
    assert all(
        "#fuse.mma" in k.schedule
        for k in kernels
        if "contract" in k.ops[:1] and k != attention
    )


@pytest.mark.parametrize("most", [1, 3, 9, 40])
def test_any_cut_gives_the_same(most):
    layers = torch.nn.ModuleList(LlamaBlock(32, 4, 2) for _ in range(2))
    tables = torch.randn(8, 8)
    x = torch.randn(2, 8, 32)

    def model(x):
        for layer in layers:
            x = layer(x, tables, tables)
        return x

    with torch.no_grad():
        ours = compiled(model, most_contractions=most)(x)
        torch.testing.assert_close(ours, model(x), rtol=1e-4, atol=1e-4)
    (graph,) = fuse_torch.report()
    for region in graph.regions:
        count = region.program.count("fuse.contract")
        assert count <= max(most, 2), str(graph)


GRADIENTS = {
    "plain": (QUERIES, KEYS, KEYS, {}),
    "causal": (QUERIES, KEYS, KEYS, {"is_causal": True}),
    "more queries than keys": (KEYS, QUERIES, QUERIES, {"is_causal": True}),
    "scale": (QUERIES, KEYS, KEYS, {"scale": 0.4}),
    "shared keys": (QUERIES, SHARED, SHARED, {"enable_gqa": True}),
    "mask": (QUERIES, KEYS, KEYS, {"attn_mask": torch.rand(9, 13) < 0.7}),
    "bias": CASES["bias"],
}


def gradients(function, inputs):
    inputs = [x.detach().requires_grad_() for x in inputs]
    y = function(*inputs)
    weights = torch.linspace(-1, 2, y.numel()).view(y.shape).to(y)
    (y * weights).sum().backward()
    return [y.detach(), *(x.grad for x in inputs)]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["f32", "bf16"])
@pytest.mark.parametrize("name", GRADIENTS)
def test_forward_with_gradients_is_a_region_and_backward_is_torchs(name, dtype):
    *shapes, keywords = GRADIENTS[name]
    inputs = random(*shapes, dtype=dtype)

    def attend(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, **keywords)

    ours = gradients(compiled(attend), inputs)
    forward, backward = fuse_torch.report()
    if inputs[0].device.type == "cpu" and not {"enable_gqa", "attn_mask"} & {*keywords}:
        (region,) = forward.regions
        assert region.operators == ("fuse.attention_and_sums.default",)
        assert region.failure is None
    if not any("attention" in operator for operator, _ in backward.eager):
        assert inputs[0].device.type == "cuda", str(backward)
        pytest.skip("torch has no kernel for it on a GPU, and takes it apart")
    keywords = {
        key: x.double() if getattr(x, "dtype", None) == dtype else x
        for key, x in keywords.items()
    }
    exact = gradients(attend, [x.double() for x in inputs])
    eager = gradients(
        lambda *x: F.scaled_dot_product_attention(*x, **GRADIENTS[name][3]), inputs
    )
    for a, b, c in zip(ours, eager, exact):
        off, bound = ((x.double() - c).square().mean().sqrt() for x in (a, b))
        unit = torch.finfo(dtype).eps * c.square().mean().sqrt() / 4
        assert a.stride() == b.stride() and off <= 2 * bound + unit, (off, bound)


def test_another_length_with_gradients_compiles_nothing():
    def attend(q, k, v):
        return F.scaled_dot_product_attention(q * 2, k, v, is_causal=True)

    function = torch.compile(attend, backend="fuse", dynamic=True, options=ALWAYS)
    for batch, queries, keys in ((2, 9, 13), (3, 8, 11), (5, 21, 7)):
        inputs = random((batch, 4, queries, 16), *2 * [(batch, 4, keys, 16)])
        for a, b in zip(gradients(function, inputs), gradients(attend, inputs)):
            torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-4)
    assert len(fuse_torch.report()) == 2


def test_a_layer_that_is_trained_is_one_region():
    layer = LlamaBlock(512, 8, 2).to(torch.bfloat16)
    tables = torch.randn(128, 64).to(torch.bfloat16)
    x = torch.randn(2, 128, 512).to(torch.bfloat16)
    compiled(layer)(x, tables, tables).float().square().mean().backward()
    forward, backward = fuse_torch.report()
    # What a GPU's kernel has as random state is made, and never read.
    named = {operator for operator, _ in forward.eager}
    assert len(forward.regions) == 1 and named <= {"aten.empty.memory_format"}, named
    kernels = fuse.inspect(forward.regions[0].program, chip="sm_90a").kernels
    (attention,) = [k for k in kernels if k.ops.count("exp") and "log" in k.ops]
    assert "#fuse.streamed" in attention.schedule
    # Around torch's backward kernel the rest is in two regions.
    assert len(backward.regions) == 2, str(backward)
    assert all("attention" in operator for operator, _ in backward.eager)


@pytest.mark.parametrize("kernel", ["flash", "cudnn", "efficient"])
def test_kernels_of_a_gpu_are_replaced(kernel):
    """What torch makes of it for a GPU, traced without one; nothing runs."""
    from fuse_compiler.torch import _attention_training
    from torch.fx.experimental.proxy_tensor import make_fx

    aten = torch.ops.aten

    def forward(q, k, v):
        if kernel == "flash":
            r = aten._scaled_dot_product_flash_attention(q, k, v, 0.0, True, scale=0.5)
            return r[0], r[1], r[6], r[7]
        if kernel == "cudnn":
            r = aten._scaled_dot_product_cudnn_attention(
                q, k, v, None, True, 0.0, True, scale=0.5
            )
            return r[0], r[1], r[6], r[7]
        r = aten._scaled_dot_product_efficient_attention(
            q, k, v, None, True, 0.0, True, scale=0.5
        )
        return r[0], r[1], r[2], r[3]

    with torch._subclasses.FakeTensorMode():
        # As a projection leaves heads: tokens first.
        x = torch.empty(4, 2048, 32, 128, dtype=torch.bfloat16).transpose(1, 2)
        graph = make_fx(forward)(x, x, x)
    _attention_training.take_attention(graph, {**ALWAYS})
    nodes = [n for n in graph.graph.nodes if n.op == "call_function"]
    (taken,) = [n for n in nodes if n.target is _attention_training.ATTENTION_AND_SUMS]
    assert taken.args[3:6] == (None, True, 0.5)
    assert not any("_scaled_dot_product" in str(n.target) for n in nodes)
    (output,) = [n for n in graph.graph.nodes if n.op == "output"]
    _, sums, seed, offset = output.args[0]
    assert sums.meta["val"].shape == (4, 32, 2048, *([1] if kernel == "cudnn" else []))
    assert {seed.target, offset.target} == {aten.empty.memory_format}
    graph.graph.lint()
    from fuse_compiler.torch._support import Support

    assert Support(ALWAYS).is_supported(taken)


def test_dropout_stays_torchs():
    q, k, v = random(*3 * [(2, 4, 9, 16)])

    def attend(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, dropout_p=0.5)

    with torch.no_grad():
        compiled(attend)(q, k, v)
    (graph,) = fuse_torch.report()
    assert graph.eager


def test_the_report_says_why_attention_is_eager():
    q, k, v = random(*3 * [(2, 4, 9, 16)])

    def attend(q, k, v):
        return F.scaled_dot_product_attention(q, k, v) * 2

    on_cpu = "the library's attention is faster on a CPU (attention='always' takes it)"
    on_gpu = "tensor cores are used for float16 and bfloat16, not torch.float32"
    for choice, reason in {
        "auto": on_cpu if q.device.type == "cpu" else on_gpu,
        "never": "attention is left to the library (attention='never')",
    }.items():
        torch._dynamo.reset()
        fuse_torch.reset_report()
        with torch.no_grad():
            compiled(attend, attention=choice)(q, k, v)
        (graph,) = fuse_torch.report()
        assert reason in [r for _, r in graph.eager]
    with pytest.raises(Exception, match="expected attention to be auto, never, always"):
        compiled(attend, attention="sometimes")(q, k, v)


def test_the_report_says_why_trained_attention_is_eager():
    q, k, v = (x.requires_grad_() for x in random(*3 * [(2, 4, 9, 16)]))
    forward = {
        "never": "attention is left to the library (attention='never')",
        "always": None,
    }
    for choice, reason in forward.items():
        torch._dynamo.reset()
        fuse_torch.reset_report()
        compiled(
            lambda q, k, v: F.scaled_dot_product_attention(q, k, v) * 2,
            attention=choice,
        )(q, k, v).sum().backward()
        forwards, backwards = fuse_torch.report()
        reasons = {r for name, r in forwards.eager if "attention" in name}
        assert reasons == ({reason} if reason else set())
        assert "the gradient of attention is torch's kernel" in [
            r for name, r in backwards.eager if "attention" in name
        ]


@pytest.mark.parametrize(
    "shape, dtype, reason",
    [
        ((4, 32, 2048, 128), torch.bfloat16, None),
        ((4, 32, 2048, 128), torch.float32, "not torch.float32"),
        ((4, 32, 2048, 288), torch.bfloat16, "heads of 288 features"),
        ((4, 32, 2048, 36), torch.float16, "heads of 36 features"),
        ((64, 16, 197, 64), torch.bfloat16, "197 keys"),
        ((64, 32, 8, 128), torch.bfloat16, "8 queries"),
        ((1, 8, 512, 128), torch.bfloat16, "32 tiles"),
    ],
)
def test_what_is_taken_on_hopper(shape, dtype, reason):
    x = torch.empty(shape, dtype=dtype, device="meta")
    found = _attention._reason_on_hopper(x, x, x, x)
    assert found is None if reason is None else reason in found


def test_a_product_alone_stays_torchs():
    a, b = random((64, 64), (64, 64))
    with torch.no_grad():
        compiled(torch.mm, smallest_region=2)(a, b)
    (graph,) = fuse_torch.report()
    assert not graph.regions
    assert _contractions.CONTRACTION_LIMITS["rows"] > 64
