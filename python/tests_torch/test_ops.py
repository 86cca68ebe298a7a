# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fuse_compiler.ops against torch's own, in f64, with gradients."""

import fuse_compiler.torch as fuse_torch
import pytest
import torch
from fuse_compiler import Error, ops
from torch.nn import functional as F

pytestmark = pytest.mark.usefixtures("fresh")

TYPES = [torch.float32, torch.bfloat16, torch.float16, torch.float64]


def gemma_norm(x, w):
    return F.rms_norm(x, x.shape[-1:], w + 1, 1e-6)


def added(x, r, w):
    # The sum is returned, and so it is rounded.
    h = x + r
    return F.rms_norm(h, h.shape[-1:], w, 1e-6), h


def smooth(x, labels):
    return F.cross_entropy(x.flatten(0, -2), labels.flatten(), label_smoothing=0.1)


def unreduced(x, labels):
    return F.cross_entropy(x.flatten(0, -2), labels.flatten(), reduction="none").view(
        labels.shape
    )


def turned(x, positions, base=1e4, inverse=1):
    """NeoX rotary embedding of [batch, tokens, heads, D], from its definition."""
    half = x.shape[-1] // 2
    angle = positions.double()[..., None] * base ** (
        -torch.arange(half).double() / half
    )
    cos, sin = (f(angle)[..., None, :] for f in (torch.cos, torch.sin))
    a, b = x.double()[..., :half], x.double()[..., half:]
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1).to(x.dtype)


# Each has our function, one that defines what is right, and the shapes of its inputs.
CASES = {
    "rms_norm": (
        ops.rms_norm,
        lambda x, w: F.rms_norm(x, x.shape[-1:], w, 1e-6),
        (2, 5, 24),
        (24,),
    ),
    "rms_norm alone": (
        ops.rms_norm,
        lambda x: F.rms_norm(x, x.shape[-1:], None, 1e-6),
        (7, 33),
    ),
    "gemma": (lambda x, w: ops.rms_norm(x, w, offset=1.0), gemma_norm, (4, 16), (16,)),
    "add_rms_norm": (ops.add_rms_norm, added, (3, 4, 40), (3, 4, 40), (40,)),
    "layer_norm": (
        ops.layer_norm,
        lambda x, w, b: F.layer_norm(x, x.shape[-1:], w, b),
        (2, 3, 20),
        (20,),
        (20,),
    ),
    "layer_norm alone": (
        ops.layer_norm,
        lambda x: F.layer_norm(x, x.shape[-1:]),
        (9, 17),
    ),
    "softmax": (ops.softmax, lambda x: F.softmax(x, -1), (2, 3, 4, 19)),
    "gelu": (ops.gelu, F.gelu, (3, 31)),
    "gelu tanh": (
        lambda x: ops.gelu(x, "tanh"),
        lambda x: F.gelu(x, approximate="tanh"),
        (2, 3, 8),
    ),
    "silu": (ops.silu, F.silu, (40,)),
    "swiglu": (ops.gated, lambda a, b: F.silu(a) * b, (3, 4, 16), (3, 4, 16)),
    "geglu": (
        lambda a, b: ops.gated(a, b, "gelu_tanh"),
        lambda a, b: F.gelu(a, approximate="tanh") * b,
        (5, 16),
        (5, 16),
    ),
    "rope": (
        lambda x: ops.rope(x, base=1e4),
        lambda x: turned(x, torch.arange(x.shape[1], device=x.device)),
        (2, 6, 3, 8),
    ),
    "rope by positions": (
        lambda x: ops.rope(
            x, base=1e4, positions=torch.tensor([[5, 0, 9, 1], [2, 2, 7, 8]])
        ),
        lambda x: turned(x, torch.tensor([[5, 0, 9, 1], [2, 2, 7, 8]])),
        (2, 4, 3, 8),
    ),
    "rope, heads first": (
        lambda x: ops.rope(x, base=1e4, order="heads_tokens"),
        lambda x: turned(
            x.transpose(1, 2), torch.arange(x.shape[2], device=x.device)
        ).transpose(1, 2),
        (2, 3, 6, 8),
    ),
}


def inputs_of(shapes, dtype):
    return [
        (torch.randn(s, dtype=torch.float64)).to(dtype).requires_grad_() for s in shapes
    ]


def with_gradients(function, inputs):
    results = function(*inputs)
    results = list(results) if isinstance(results, tuple) else [results]
    # Weights without a pattern: gradients of softmax and norms of a smooth one are near zero.
    generator = torch.Generator(results[0].device).manual_seed(1)
    weights = [
        torch.randn(y.shape, generator=generator, dtype=torch.float64) for y in results
    ]
    loss = sum((y.double() * w).sum() for y, w in zip(results, weights))
    return [y.detach() for y in results] + list(torch.autograd.grad(loss, inputs))


def check(ours, exact, dtype):
    """Within a few units of what is computed in f64 and rounded once."""
    assert len(ours) == len(exact)
    for number, (a, b) in enumerate(zip(ours, exact)):
        assert a.dtype == dtype and a.shape == b.shape, number
        unit = torch.finfo(dtype).eps
        torch.testing.assert_close(
            a.double(), b, rtol=4 * unit, atol=4 * unit * float(b.abs().max())
        )


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("name", CASES)
def test_values_and_gradients(name, dtype):
    ours, exact, *shapes = CASES[name]
    inputs = inputs_of(shapes, dtype)
    wide = [x.detach().double().requires_grad_() for x in inputs]
    check(with_gradients(ours, inputs), with_gradients(exact, wide), dtype)


@pytest.mark.parametrize("name", CASES)
def test_under_torch_compile_and_in_regions(name):
    ours, _, *shapes = CASES[name]
    inputs = inputs_of(shapes, torch.float32)

    def function(*xs):
        results = ours(*(x * 1.5 for x in xs))
        return results if isinstance(results, tuple) else (results,)

    eager = with_gradients(function, inputs)
    for backend in ("aot_eager", "fuse"):
        torch._dynamo.reset()
        compiled = torch.compile(
            function, backend=backend, fullgraph=True, dynamic=False
        )
        for a, b in zip(with_gradients(compiled, inputs), eager):
            torch.testing.assert_close(a, b, rtol=2e-6, atol=2e-6)
    for graph in fuse_torch.report():
        assert not any("fuse." in operator for operator, _ in graph.eager), str(graph)
        assert not any(r.failure for r in graph.regions), str(graph)


@pytest.mark.parametrize("name", CASES)
def test_under_torch_export(name):
    ours, _, *shapes = CASES[name]
    inputs = tuple(x.detach() for x in inputs_of(shapes, torch.float32))

    class Model(torch.nn.Module):
        def forward(self, *xs):
            return ours(*xs)

    exported = torch.export.export(Model(), inputs)
    assert any("fuse." in str(n.target) for n in exported.graph.nodes)
    torch.testing.assert_close(exported.module()(*inputs), ours(*inputs))


def opcheck(op, *arguments):
    torch.library.opcheck(op, arguments)


def test_opcheck():
    def t(*shape, grad=True):
        return torch.randn(*shape).requires_grad_(grad)

    fuse = torch.ops.fuse
    labels = torch.tensor([1, -100, 3])
    opcheck(fuse.rms_norm.default, t(3, 8), t(8), 1e-6, 0.0)
    opcheck(fuse.rms_norm.default, t(3, 8), None, 1e-6, 0.0)
    opcheck(fuse.add_rms_norm.default, t(3, 8), t(3, 8), t(8), 1e-6, 0.0)
    opcheck(fuse.layer_norm.default, t(2, 3, 8), t(8), t(8), 1e-5)
    opcheck(fuse.softmax.default, t(3, 8))
    opcheck(fuse.gelu.default, t(3, 8), "tanh")
    opcheck(fuse.silu.default, t(3, 8))
    opcheck(fuse.gated.default, t(3, 8), t(3, 8), "gelu")
    opcheck(fuse.cross_entropy.default, t(3, 8), labels, -100, 0.1)
    opcheck(fuse.quantize_rows.default, t(3, 8, grad=False), "i8", 127.0)
    rope = (
        t(2, 3, 4, 8),
        *[None] * 6,
        "half",
        "tokens_heads",
        1e4,
        None,
        None,
        "",
        False,
    )
    opcheck(fuse.rope.default, *rope)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_cross_entropy(reduction, dtype):
    labels = torch.tensor([[3, -100, 0], [12, 7, 3]])
    for smoothing in (0.0, 0.1):

        def ours(x):
            return ops.cross_entropy(
                x, labels, label_smoothing=smoothing, reduction=reduction
            )

        def exact(x):
            flat = x.flatten(0, 1), labels.flatten()
            y = F.cross_entropy(*flat, label_smoothing=smoothing, reduction=reduction)
            return y.view(labels.shape) if reduction == "none" else y

        (x,) = inputs_of([(2, 3, 13)], dtype)
        wide = x.detach().double().requires_grad_()
        (y, dx), (z, dz) = with_gradients(ours, [x]), with_gradients(exact, [wide])
        assert y.dtype == (torch.float64 if dtype == torch.float64 else torch.float32)
        torch.testing.assert_close(y.double(), z, rtol=2e-6, atol=2e-6)
        unit = torch.finfo(dtype).eps
        torch.testing.assert_close(dx.double(), dz, rtol=4 * unit, atol=4 * unit)


def test_rope_forms():
    x = torch.randn(2, 6, 3, 16)
    place = torch.arange(6)
    angle = place[:, None] * 1e4 ** (-torch.arange(8) / 8)
    tables = {"cos": angle.cos(), "sin": angle.sin()}
    expected = turned(x, place)
    torch.testing.assert_close(ops.rope(x, **tables), expected, rtol=1e-5, atol=1e-6)
    pairs = torch.stack((x[..., :8], x[..., 8:]), dim=-1).flatten(-2)
    ours = ops.rope(pairs, base=1e4, layout="interleaved").unflatten(-1, (8, 2))
    torch.testing.assert_close(
        torch.cat(ours.unbind(-1), -1), expected, rtol=1e-5, atol=1e-6
    )
    later = ops.rope(x, base=1e4, offset=torch.tensor(7))
    torch.testing.assert_close(later, turned(x, place + 7), rtol=1e-5, atol=1e-6)
    halved = ops.rope(x, base=1e4, scaling={"kind": "linear", "factor": 2.0})
    torch.testing.assert_close(halved, turned(x, place / 2), rtol=1e-5, atol=1e-6)
    partial = ops.rope(x, base=1e4, dims=8, heads=2)
    kept = torch.cat((turned(x[:, :, :2, :8], place), x[:, :, :2, 8:]), -1)
    torch.testing.assert_close(
        partial, torch.cat((kept, x[:, :, 2:]), 2), rtol=1e-5, atol=1e-6
    )
    packed = torch.randn(9, 3, 16)
    ours = ops.rope(packed, base=1e4, sequences=torch.tensor([0, 4, 9]))
    places = torch.cat((torch.arange(4), torch.arange(5)))
    torch.testing.assert_close(ours, turned(packed, places), rtol=1e-5, atol=1e-6)
    scaling = {
        "kind": "llama3",
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position": 8192,
    }
    assert ops.rope(x, base=5e5, scaling=scaling).shape == x.shape


@pytest.mark.parametrize("dtype", [torch.int8, torch.float8_e4m3fn, torch.float8_e5m2])
def test_quantize_rows(dtype):
    x = torch.randn(5, 64) * torch.tensor([1e-3, 1.0, 100.0, 1.0, 5.0])[:, None]
    x[3] = 0
    q, scale = ops.quantize_rows(x, dtype)
    assert q.dtype == dtype and scale.shape == (5,) and scale[3] == 1
    largest = 127.0 if dtype == torch.int8 else torch.finfo(dtype).max
    expected = torch.where(scale == 1, 1.0, x.abs().amax(1) / largest)
    torch.testing.assert_close(scale, expected, rtol=1e-6, atol=0)
    steps = (x / scale[:, None]).round() if dtype == torch.int8 else x / scale[:, None]
    assert (q.float() - steps.to(dtype).float()).abs().max() <= largest * 2**-7
    assert (q.float() == steps.to(dtype).float()).float().mean() > 0.99


def test_one_program_for_all_batches():
    from fuse_compiler import _formulas
    from fuse_compiler.ops import _run

    weight = torch.randn(48)
    for rows in (1, 2, 7, 0):
        x = torch.randn(rows, 3, 48)
        expected = F.rms_norm(x, (48,), weight, 1e-6)
        torch.testing.assert_close(ops.rms_norm(x, weight), expected)
    jitted = _run._jitted(
        _formulas.rms_norm, (("x", ("d0", "d1", None)), ("weight", (None,)))
    )
    assert (
        sum(1 for key in jitted._traces if key[0][1] == "f32" and key[0][2][-1] == 48)
        == 1
    )


def test_gradients_of_views():
    x = torch.randn(4, 24, requires_grad=True)
    (ours,) = torch.autograd.grad(ops.silu(x).sum(), x)
    (eager,) = torch.autograd.grad(F.silu(x).sum(), x)
    torch.testing.assert_close(ours, eager)
    turned_ = torch.randn(24, 4, requires_grad=True)
    (ours,) = torch.autograd.grad(ops.softmax(turned_.t()).t()[::2].sum(), turned_)
    (eager,) = torch.autograd.grad(F.softmax(turned_.t(), -1).t()[::2].sum(), turned_)
    torch.testing.assert_close(ours, eager, rtol=1e-5, atol=1e-6)


def test_transforms_of_functions():
    x = torch.randn(4, 8)
    torch.testing.assert_close(torch.func.vmap(ops.softmax)(x), F.softmax(x, -1))
    # Tangents would be taken for zero, and a gradient for none.
    with pytest.raises(
        Error, match="expected no derivatives in forward mode .* of silu"
    ):
        torch.func.jvp(ops.silu, (x,), (torch.ones_like(x),))
    with pytest.raises(Error, match="in forward mode .* of fuse::rope"):
        torch.func.jvp(
            lambda x: ops.rope(x, base=1e4), (x[None, None],), (x[None, None],)
        )
    with pytest.raises(RuntimeError, match="functorch transforms"):
        torch.func.grad(lambda x: ops.silu(x).sum())(x)


def test_an_own_op_with_two_results():
    def gradient(da, db, x, w, factor):
        g = da * w * factor + db
        return g, (da * x * factor).sum(0)

    op = ops.define(
        "fuse_tests::two",
        "(Tensor x, Tensor w, float factor) -> (Tensor, Tensor)",
        lambda x, w, factor: (x * w * factor, x + 1.0),
        dims={"x": ("rows", None), "w": (None,)},
        results=("x", "x"),
        gradient=gradient,
    )
    x, w = inputs_of([(5, 6), (6,)], torch.float32)

    def exact(x, w):
        return x * w * 2.5, x + 1.0

    def ours(x, w):
        return op(x, w, 2.5)

    for function in (ours, torch.compile(ours, backend="fuse", fullgraph=True)):
        for a, b in zip(
            with_gradients(function, [x, w]), with_gradients(exact, [x, w])
        ):
            torch.testing.assert_close(a, b)
    opcheck(op, x, w, 2.5)
    with pytest.raises(
        Error, match="expected dims of all tensors, x, w, but got those of x"
    ):
        ops.define(
            "fuse_tests::a",
            "(Tensor x, Tensor w) -> Tensor",
            exact,
            dims={"x": ()},
            results=(),
        )
    with pytest.raises(
        Error, match="expected results of tensors of the schema, x, but got y"
    ):
        ops.define(
            "fuse_tests::b",
            "(Tensor x) -> Tensor",
            exact,
            dims={"x": ()},
            results=("y",),
        )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda x: ops.gated(x, x, "relu"),
            "expected an activation of silu, gelu, gelu_tanh",
        ),
        (
            lambda x: ops.cross_entropy(x, x, reduction="avg"),
            "expected a reduction of mean, sum",
        ),
        (
            lambda x: ops.quantize_rows(x, torch.uint8),
            "expected float8_e4m3fn, float8_e5m2 or",
        ),
        (lambda x: ops.gelu(x, "erf"), "expected approximate to be none or tanh"),
        *(
            (lambda x, op=op: op(x.int()), "expected .* f.* but got i32")
            for op in (ops.rms_norm, ops.layer_norm, ops.softmax, ops.gelu, ops.silu)
        ),
        (lambda x: ops.rope(x), "expected cos and sin, or base, but got neither"),
        (
            lambda x: ops.rope(x[None], base=1e4, scaling={"kind": "x"}),
            "expected a scaling of linear, ntk",
        ),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(Error, match=message):
        call(torch.randn(4, 8))


def test_calls_are_told_apart_by_all_that_a_program_depends_on():
    """The program of a call is found by its arguments' shapes, types and numbers."""
    x = torch.randn(4, 16)
    weight = torch.rand(16)
    for _ in range(2):
        for eps in (1e-6, 1.0, 1):
            for array in (x, x.double(), x[:2], x[:, :8], x.to(torch.bfloat16)):
                w = weight[: array.shape[-1]]
                found = ops.rms_norm(array, w, eps)
                wide = array.double()
                scale = torch.rsqrt(wide.square().mean(-1, keepdim=True) + eps)
                expected = (wide * scale * w).to(array.dtype)
                tolerance = 1e-2 if array.dtype == torch.bfloat16 else 1e-5
                torch.testing.assert_close(
                    found, expected, rtol=tolerance, atol=tolerance
                )
