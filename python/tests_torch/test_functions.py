# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that are made of the dialect's ops, on special values, and pooling."""

import math

import fuse_compiler.torch as fuse_torch
import pytest
import torch
from against_eager import check, compiled
from torch.nn import functional as F

pytestmark = pytest.mark.usefixtures("fresh")

INF, NAN = math.inf, math.nan
SPECIAL = torch.tensor(
    [0.0, -0.0, 1.0, -1.0, 0.5, -0.3, 2.5, -7.0, INF, -INF, NAN, 3e38, -3e38]
    + [1e-40, -1e-40, 1e-3, 30.0, -30.0, 1e10, -1e10, 0.999, 1.001]
)
A, B = SPECIAL[:, None].repeat(1, len(SPECIAL)), SPECIAL.repeat(len(SPECIAL), 1)
WHOLE = torch.arange(-9, 15)
PLANES = torch.linspace(-1, 1, 2 * 3 * 8 * 9).sin().reshape(2, 3, 8, 9)

ONE = (
    "tan log10 sinh cosh asinh acosh atanh atan asin acos isposinf isneginf deg2rad rad2deg"
).split()
TWO = "atan2 hypot fmax fmin heaviside logaddexp2".split()


def same_zeros(ours, eagers):
    for mine, eager in zip(ours, eagers):
        if mine.is_floating_point():
            zeros = eager == 0
            assert torch.equal(mine[zeros].signbit(), eager[zeros].signbit())


def all_in_regions(function, *inputs, tolerance=2e-6):
    ours, eagers = compiled(function)(*inputs), function(*inputs)
    check(ours, eagers, tolerance)
    (graph,) = fuse_torch.report()
    assert graph.coverage == 1 and not any(r.failure for r in graph.regions)
    return ours, eagers


def test_functions_of_one_number():
    def function(a):
        return tuple(getattr(torch, name)(a) for name in ONE)

    same_zeros(*all_in_regions(function, SPECIAL, tolerance=3e-6))


def test_functions_of_two_numbers():
    def function(a, b):
        return tuple(getattr(torch, name)(a, b) for name in TWO)

    ours, eagers = all_in_regions(function, A, B)
    same_zeros(ours[:2], eagers[:2])


def test_functions_of_16_bits_and_of_whole_numbers():
    def function(x, i):
        halves = tuple(getattr(torch, name)(x) for name in ONE)
        return (
            *halves,
            torch.tan(i),
            torch.atan2(i, i + 1),
            torch.fmax(i, -i),
            i.isinf(),
        )

    ours, eagers = (
        compiled(function)(SPECIAL.half(), WHOLE),
        function(SPECIAL.half(), WHOLE),
    )
    check(ours, eagers, 2e-3)


def test_a_polynomial_is_not_for_f64():
    x = SPECIAL.double()
    check([compiled(lambda x: x.atan() + x.sinh())(x)], [x.atan() + x.sinh()], 1e-12)
    (graph,) = fuse_torch.report()
    assert ("aten.atan.default", "a polynomial of f64") in graph.eager


def test_activations_and_small_products():
    def function(a, m, v):
        return (
            F.celu(a, 2.5),
            F.threshold(a, 0.1, 20.0),
            F.prelu(a, v[:1]),
            torch.dot(v, v + 1).reshape(1),
            torch.mv(m, v),
            torch.addmv(v[:8], m, v, beta=2),
            torch.trace(m).reshape(1),
            torch.diag_embed(v) + 1,
            torch.linalg.cross(m[:, :3], m[:, 3:6]),
        )

    all_in_regions(function, SPECIAL, PLANES[0, 0].clone(), PLANES[1, 1, 0].clone())


def test_powers_of_whole_numbers_wrap_around():
    def function(i):
        return i**0, i**4, i**5, i**13, i.to(torch.int32) ** 7, i.to(torch.int8) ** 3

    all_in_regions(function, WHOLE, tolerance=0)


def test_diagonals():
    def function(x):
        return (
            x.diagonal(0, -2, -1) * 2,
            x.diagonal(2, -2, -1) * 2,
            x.diagonal(-3, 2, 3) * 2,
            x.diagonal(1, 0, 1).sum(-1),
        )

    all_in_regions(function, PLANES)


def test_the_largest_up_to_each_where_nobody_asks_which():
    x = SPECIAL[~SPECIAL.isnan()]
    all_in_regions(lambda x: (x.cummax(0)[0], x.cummin(0)[0] * 2), x)


WINDOWS = {
    "2": (2, {}),
    "3, stride 2, padding": (3, {"stride": 2, "padding": 1}),
    "2 x 3": ((2, 3), {"stride": (1, 2)}),
}


@pytest.mark.parametrize("size, options", WINDOWS.values(), ids=WINDOWS)
def test_pooling(size, options):
    def function(x):
        largest, indices = F.max_pool2d(x, size, return_indices=True, **options)
        return (
            largest * 2,
            indices,
            F.avg_pool2d(x, size, **options) + 1,
            F.avg_pool2d(x, size, **options, count_include_pad=False) + 1,
            F.avg_pool2d(x, size, **options, divisor_override=3),
            F.adaptive_avg_pool2d(x, (4, 3)) * 2,
        )

    x = PLANES.clone()
    x[0, 0, 2, 3:] = torch.tensor([NAN, 1.0, INF, -INF, -INF, -INF])
    x[1, 2] = -INF
    all_in_regions(function, x)


def test_windows_that_go_beyond_the_padding_stay_eager():
    def function(x):
        return (F.max_pool2d(x, 2, ceil_mode=True) * 2, F.max_pool2d(x, 5) * 2)

    check(compiled(function)(PLANES), function(PLANES))
    (graph,) = fuse_torch.report()
    reasons = {reason for _, reason in graph.eager}
    assert reasons == {"windows that go beyond the padding", "windows of 25 elements"}


def test_gradients():
    def function(x):
        y = x[0, 0]
        parts = F.max_pool2d(x, 2), F.avg_pool2d(x, 2), F.adaptive_avg_pool2d(x, 4)
        return sum(p.square().sum() for p in parts) + (
            torch.atan2(y, y + 3).sum()
            + torch.hypot(y, y * 2 + 1).sum()
            + y.sinh().sum()
        )

    x = PLANES[..., :8].clone().requires_grad_()
    (mine,) = torch.autograd.grad(compiled(function)(x), x)
    (eager,) = torch.autograd.grad(function(x), x)
    torch.testing.assert_close(mine, eager)
