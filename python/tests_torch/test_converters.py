# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each operator that regions take, against eager torch."""

import re
from pathlib import Path

import fuse_compiler.torch as fuse_torch
import pytest
import torch
from against_eager import OPTIONS, X, check, compiled
from torch.nn import functional as F

pytestmark = pytest.mark.usefixtures("fresh")

Y = torch.linspace(2, -1, 8)
P = X.abs() + 0.5
I = torch.arange(48).reshape(6, 8) % 7 - 3  # noqa: E741
B = I > 0
BATCH = torch.linspace(-1, 1, 2 * 3 * 4 * 5).reshape(2, 3, 4, 5)


def several(*functions):
    return lambda *inputs: tuple(f(*inputs) for f in functions)


def numbers(x, y):
    z = x * y
    return (
        z + 2,
        2 - z,
        z - y,
        z * 0.1,
        1.5 / (z + 9),
        torch.add(z, y, alpha=3),
        torch.rsub(z, y),
    )


def powers(p):
    return p**2, p**3, p**0.5, p**-0.5, p**-1, p**1.7, torch.pow(2.5, p), p.pow(p)


def divisions(x, y):
    """Rounded down, and signs: also of infinities, NaN and both zeros."""
    inf, nan = float("inf"), float("nan")
    special = torch.tensor([0.0, -0.0, inf, -inf, nan, 7, -7, 1e30], device=x.device)
    return (
        x // y,
        torch.div(x, 0.3, rounding_mode="floor"),
        special // special.flip(0),
        special[:, None] // y,
        special.sign(),
        special.sgn(),
        (special.half() // 3).sgn(),
    )


def moved(x, batch):
    return (
        F.pixel_shuffle(batch.reshape(2, 12, 5, 1), 2),
        F.pixel_unshuffle(x.reshape(1, 6, 8), 2),
        F.interpolate(batch, scale_factor=2),
        x.select_scatter(x[0, :6], 1, 2),
        torch.where(x > 1, float("nan"), x).nansum(1),
        x.relu().count_nonzero(1),
        torch.logaddexp(x, -x),
    )


def integers(i):
    j = i.to(torch.int32)
    return (
        i + 1,
        j * i,
        i // 2,
        i % 3,
        torch.div(i, 2, rounding_mode="trunc"),
        i / 2,
        i.float(),
    )


def comparisons(x, i):
    a = (x == 0) | (x != 0.01)
    b = (x < i) & (x <= 1) ^ (i >= 0)
    return (
        a,
        b,
        ~b,
        x > 0.5,
        torch.isnan(x / 0 * 0),
        torch.isinf(x / 0),
        (i == 2).logical_not(),
    )


def chosen(x, y, b):
    return (
        torch.where(b, x, y),
        torch.where(b, x, 0.25),
        torch.where(b, 1.0, x),
        x.masked_fill(b, -1e4),
        x.clamp(-1, 2),
        x.clamp_min(0.5),
        x.clamp(max=0.1),
        torch.maximum(x, y),
        torch.minimum(x, y),
        F.relu(x),
    )


def reductions(x, i, b):
    return (
        x.sum(),
        x.sum(1),
        x.mean(0, keepdim=True),
        x.mean((0, 1)),
        x.amax(-1),
        x.amin(0),
        x.max(),
        x.prod(1),
        i.sum(),
        i.sum(1, dtype=torch.int32),
        i.amax(1),
        b.sum(0),
        b.any(),
        b.all(1),
        (x > 0).any(0),
        x.argmax(1),
        x.argmin(0),
        x.max(1).values,
        x.min(0).indices,
        x.logsumexp(1),
    )


def statistics(x):
    v, m = torch.var_mean(x, 1)
    return v, m, x.var(0, correction=0), x.std(1), torch.linalg.vector_norm(x, dim=1)


def views(x):
    a = x.reshape(2, 3, 8).permute(2, 0, 1) + 1
    b = x.unsqueeze(1).expand(6, 4, 8) * 2
    c = torch.cat((x[:, 4:], -x[:, :4]), dim=-1)
    d = torch.stack((x[1], x[-2]), dim=0)
    e = x.T * 2
    f, g = x.split(4, dim=1)
    h = x.view(6, 2, 4).transpose(1, 2).reshape(6, 8)
    u, v = x.view(6, 4, 2).unbind(-1)
    return (
        a,
        b,
        c,
        d,
        e,
        f * g,
        h * 1.5,
        u + v,
        x.flip(1),
        x[::2, 1:7:3] + 1,
        x.view(-1) + 1,
        (x * 2).repeat(2, 1, 3),
        x.repeat(3, 1) + 1,
        x.roll((2, -3), (0, 1)) * 2,
        x.roll(-5) + 1,
        torch.ops.aten.slice_backward(x[:, :3], [6, 9], 1, 2, 9, 3),
        torch.ops.aten.slice_backward(x[:, :4], [6, 9], 1, 1, 8, 2),
        torch.ops.aten.select_backward(x, [6, 8, 3], 2, -2),
    )


def made(x):
    n = torch.arange(8, device=x.device) + 3
    m = torch.arange(1, 13, 2, device=x.device) * 2
    row, column = x.new_zeros(8), torch.full((6, 1), 0.5, device=x.device)
    ones = torch.ones_like(x) * 2 + row + column
    floats = torch.arange(1, 9, dtype=torch.float32, device=x.device)
    return (
        n,
        m,
        x / floats,
        ones,
        x.tril(-1),
        x.triu(1),
        F.pad(x, (1, 2, 0, 1), value=3.0),
        x.new_ones(3) + 1,
    )


def rows(x, table, ids):
    one = ids.view(-1, 1)
    scaled = x * 2
    return (
        F.embedding(ids, table),
        table.index_select(0, ids) * 2,
        table[ids - 6],
        scaled.gather(1, one),
        scaled.scatter(1, one, 9.0),
        x.scatter_add(1, one, scaled[:, 2:3]),
    )


def indices(x, batch, ids):
    two, rows = ids[:2] % 2, torch.arange(6, device=x.device)
    aten = torch.ops.aten
    return (
        batch[two, :, two + 1],
        batch[:, ids % 3, :, ids % 5 - 5],
        batch[two, two - 3] * 2,
        x.index_put((ids - 6,), x[ids] * 2),
        x.index_put((rows, ids), x[0, 0]),
        batch.index_put((two[:, None], ids % 3), batch[0, 0]),
        aten.index_put(x, [x > 0], x[0, 0]),
        x.index_put((ids,), x.sin(), accumulate=True),
        x.index_copy(1, rows, x[:, :6] * 2),
        x.index_add(0, ids, x.cos(), alpha=0.5),
        x.index_add(1, ids, x[:, :6]),
        aten.embedding_dense_backward(x, ids, 7, 2, False),
        aten.embedding_dense_backward(
            batch, ids.view(2, 3, 1).expand(2, 3, 4), 6, -1, False
        ),
        torch.empty_like(x).index_put((rows,), x),
    )


def order(x, i, ids):
    values, places = (x * 2).topk(3, dim=1)
    low, low_places = x.sin().topk(2, dim=0, largest=False)
    ranked, ranks = x.cos().sort(dim=1, descending=True)
    return (
        x.cumsum(1),
        x.exp().cumsum(0) * 2,
        i.cumsum(1),
        x.cumprod(1),
        values,
        places,
        low,
        low_places,
        ranked,
        ranks,
        x.cos().argsort(dim=0),
        x.gather(1, ids),
        i.gather(0, ids[:2] % 6),
        x.scatter(1, ids, 5.0),
    )


def bits(x, y, i):
    j = i + 4
    return (
        i & 5,
        i | j,
        i ^ 3,
        ~i,
        i << j,
        i >> 1,
        x % y,
        torch.fmod(x, 0.7),
        torch.remainder(x, -0.7),
        torch.fmod(i, 3),
        i % -3,
        torch.div(x, y, rounding_mode="trunc"),
    )


def narrow_integers(dtype):
    """Sums and products wrap as eager's do."""

    def function(i):
        a, b = (i * 9 + 30).to(dtype), (i.flip(0) * 40).abs().to(dtype)
        return (
            a + b,
            a * b,
            a - b,
            a // 3,
            torch.div(a, 7, rounding_mode="trunc"),
            a % 5,
            (a & b) | (a ^ 3),
            ~a,
            a << 1,
            b >> 2,
            a > b,
            torch.where(a > b, a, b),
            a.masked_fill(a == b, 5),
            a.clamp(2, 90),
            torch.maximum(a, b),
            a.sum(1),
            a.amax(1),
            a.float() / 2,
        )

    return function


def batch_norms(x, y):
    z = x.view(6, 4, 2)
    w, b = y[:4], y[4:]
    return (
        F.batch_norm(x, y, y.abs() + 0.5, y, y),
        F.relu(F.batch_norm(z, None, None, w, b, training=True)),
        F.instance_norm(z, weight=w, bias=b),
        *torch.aminmax(x, dim=1, keepdim=True),
    )


def depthwise(x, batch):
    rows, images = x.view(1, 6, 8), batch.transpose(1, 3)
    w, v, b = x[:, None, :4], batch.reshape(-1)[:40].view(5, 1, 4, 2), x[:, 0]
    return (
        F.silu(F.conv1d(rows, w, b, padding=3, groups=6)[..., :8]),
        F.conv1d(rows, w, groups=6, dilation=2, padding=1),
        F.conv2d(images, v, padding=(1, 1), groups=5) + 1,
    )


def losses(x, ids):
    ignored = torch.where(ids == 2, -100, ids)
    return (
        F.cross_entropy(x, ids),
        F.cross_entropy(x, ignored),
        F.nll_loss(x.log_softmax(1), ids, reduction="sum"),
        F.mse_loss(x, x * 0.9),
        F.smooth_l1_loss(x, x * 0.2),
        F.binary_cross_entropy_with_logits(x, x.sigmoid()),
    )


def norms(x, y):
    return (
        F.softmax(x, 1),
        F.log_softmax(x, 0),
        F.layer_norm(x, (8,), y, y),
        F.rms_norm(x, (8,), y),
        F.layer_norm(x, (6, 8)),
        F.group_norm(x.view(2, 4, 6), 2),
        F.normalize(x, dim=1),
    )


ACTIVATIONS = several(
    F.gelu,
    lambda x: F.gelu(x, approximate="tanh"),
    F.silu,
    F.sigmoid,
    torch.tanh,
    F.softplus,
    F.mish,
    F.elu,
    F.leaky_relu,
    F.hardswish,
    F.hardsigmoid,
    F.hardtanh,
    F.logsigmoid,
    lambda x: F.glu(x, 1),
)
# The ops of the dialect that torch has by the same name.
DIALECT = (Path(__file__).resolve().parents[2] / "docs" / "dialect.md").read_text()
UNARY = re.findall(
    r"^operation ::= `fuse\.(\w+)` \$input attr-dict `:` custom<Point", DIALECT, re.M
)
OF_POSITIVE = "log log1p log2 sqrt rsqrt reciprocal".split()
FUNCTIONS = several(
    *(getattr(torch, n) for n in UNARY if hasattr(torch, n) and n not in OF_POSITIVE),
    torch.square,
)
POSITIVE = several(*(getattr(torch, n) for n in OF_POSITIVE))
CONTRACTIONS = several(
    lambda x: x @ x.transpose(-1, -2),
    lambda x: torch.einsum("abcd,abce->abde", x, x),
    lambda x: F.linear(x[0, 0], x[0, 1], x[0, 0, :, 0]),
    lambda x: torch.baddbmm(x[0], x[0] @ x[0].mT, x[1], beta=0.5, alpha=2.0),
)

CASES = {
    "functions": (FUNCTIONS, X),
    "functions of positives": (POSITIVE, P),
    "numbers": (numbers, X, Y),
    "powers": (powers, P),
    "divisions": (divisions, X, Y),
    "moved": (moved, X, BATCH),
    "integers": (integers, I),
    "comparisons": (comparisons, X, I),
    "choices": (chosen, X, Y, B),
    "reductions": (reductions, X, I, B),
    "statistics": (statistics, X),
    "views": (views, X),
    "made": (made, X),
    "rows": (rows, X, P, torch.tensor([3, 1, 2, 0, 5, 5])),
    "indices": (indices, X, BATCH, torch.tensor([3, 1, 2, 0, 5, 5])),
    "order": (order, X, I, (I + 3)[:, :3]),
    "bits": (bits, X, Y, I),
    "i8": (narrow_integers(torch.int8), I),
    "ui8": (narrow_integers(torch.uint8), I),
    "i16": (narrow_integers(torch.int16), I),
    "batch norms": (batch_norms, X, Y),
    "depthwise convolutions": (depthwise, X, BATCH),
    "losses": (losses, X, torch.tensor([3, 1, 2, 0, 5, 5])),
    "norms": (norms, X, Y),
    "activations": (ACTIVATIONS, X),
    "contractions": (CONTRACTIONS, BATCH),
    "autocast types": (
        lambda x, y: (x.half() * y, x.bfloat16().float() + 1, x.double() * 2),
        X,
        Y,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_all_of_it_is_in_regions_and_equals_eager(name):
    function, *inputs = CASES[name]
    check(
        compiled(function)(*inputs),
        function(*inputs),
        2e-5 if name == "losses" else 5e-6,
    )
    (graph,) = fuse_torch.report()
    assert not graph.eager, str(graph)
    assert graph.regions and not any(r.failure for r in graph.regions), str(graph)


def on_cpu(tensors):
    return [x.cpu() for x in tensors]


@pytest.mark.parametrize(
    "name", ["numbers", "choices", "norms", "activations", "views"]
)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_other_types(name, dtype):
    function, *inputs = CASES[name]
    inputs = [x.to(dtype) if x.is_floating_point() else x for x in inputs]
    # On the CPU: torch's hardswish on a GPU multiplies by a sixth of f32, also in f64.
    exact = function(
        *(x.double() if x.is_floating_point() else x for x in on_cpu(inputs))
    )
    ours, eager = compiled(function)(*inputs), function(*inputs)
    assert not any(r.failure for r in fuse_torch.report()[0].regions)
    # Eager is its own reference in f64.
    unit = torch.finfo(dtype).eps * (4 if dtype == torch.float64 else 1)
    for number, (a, b, c) in enumerate(zip(ours, eager, exact)):
        assert a.dtype == b.dtype and a.shape == b.shape, number
        ours_off, eager_off = ((t.cpu().double() - c).abs().max() for t in (a, b))
        assert ours_off <= 2 * eager_off + unit * c.abs().max(), number


def rows_of_any_number(x, i, b):
    n = torch.arange(x.shape[0], device=x.device)
    y = x.reshape(x.shape[0], 2, 4).transpose(1, 2).reshape(x.shape)
    mask = n[:, None] >= torch.arange(x.shape[0], device=x.device)
    z = y.unsqueeze(0).expand(3, -1, -1).reshape(-1, 8)
    made = (
        torch.full_like(x, 2.0) + x,
        x.new_zeros(x.shape[0]),
        torch.ones(3, x.shape[0], device=x.device) * 2,
    )
    return (
        y * 2,
        mask,
        n * 3,
        z + 1,
        *made,
        F.layer_norm(x, (8,)),
        torch.cat((x, y[1:])),
    )


TABLE = torch.linspace(-1, 1, 32 * 8).reshape(32, 8)


def slices_of_any_number(x, i, b):
    n, table = x.shape[0], TABLE.to(x.device)
    last = torch.arange(n, device=x.device) - n
    return (
        table[:n] * 2,
        table[n : 2 * n] + x,
        table[-n:] - x,
        x[n - 1] + x[-1],
        x[last] * 2,
        x * n + 1,
        torch.arange(n, 3 * n, device=x.device) * 2,
        torch.full((3,), n, device=x.device) + 1,
        i.clamp(max=n) + (i < n),
        table.slice_scatter(x * 2, 0, n, 2 * n),
        torch.ops.aten.slice_backward(x, table.shape, 0, n, 2 * n, 1),
        torch.ops.aten.select_backward(x[0], x.shape, 0, n - 2),
    )


@pytest.mark.parametrize(
    "function", [rows_of_any_number, reductions, slices_of_any_number]
)
def test_dynamic_sizes(function):
    inputs = X, I, B
    f = torch.compile(function, backend="fuse", options=OPTIONS, dynamic=True)
    for count in (6, 4, 5):
        sliced = [x[:count] if x.shape[0] == 6 else x for x in inputs]
        check(f(*sliced), function(*sliced), 5e-6)
    for graph in fuse_torch.report():
        assert not graph.eager, str(graph)
        assert not any(r.failure for r in graph.regions)


def test_a_label_out_of_range_is_not_taken_for_a_right_one():
    labels = torch.tensor([3, 8, -1, -100, 0, 900])
    loss = compiled(lambda x: F.cross_entropy(x, labels, reduction="none"))(X)
    assert loss.isnan().tolist() == [False, True, True, False, False, True]
