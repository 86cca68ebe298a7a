# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex numbers in regions of torch.compile(model, backend="fuse"), as rotary embeddings."""

import fuse_compiler.torch as fuse_torch
import pytest
import torch

pytestmark = pytest.mark.usefixtures("fresh")

TOKENS, HEADS, SIZE = 6, 4, 16


def compiled(function, **more):
    return torch.compile(function, backend="fuse", fullgraph=True, **more)


def table(tokens=TOKENS):
    angles = torch.outer(
        torch.arange(tokens).float(), 1e4 ** (-torch.arange(0, SIZE, 2) / SIZE)
    )
    return torch.polar(torch.ones_like(angles), angles)


def pairs(x):
    return torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))


def llama(x, freqs):
    """Meta's: [batch, tokens, heads, size]."""
    freqs = freqs.view(1, x.shape[1], 1, x.shape[-1] // 2)
    return torch.view_as_real(pairs(x) * freqs).flatten(3).type_as(x)


def deepseek(x, freqs):
    """Transposed heads, whose strides the result keeps."""
    x = x.transpose(1, 2)
    return torch.view_as_real(pairs(x) * freqs.unsqueeze(0)).flatten(3).type_as(x)


def of_positions(x, freqs):
    ids = torch.tensor([3, 0, 5, 5, 1, 2], device=x.device)
    return llama(x, freqs[ids])


def computed(x, freqs):
    angles = freqs.angle()[:, :1] * torch.arange(SIZE // 2, device=x.device)
    # As with a scaling of attention.
    return llama(x, torch.polar(torch.ones_like(angles), angles) * 1.25)


def turned_back(x, freqs):
    return llama(x, freqs.conj()) + llama(x, -freqs) - llama(x, freqs + freqs / 2)


def of_parts(x, freqs):
    c = torch.complex(x[..., 0], x[..., 1]) * torch.complex(x[..., 2], x[..., 3])
    return torch.view_as_real(c - c * 0.5 + c * x[..., 4])


FORMS = [llama, deepseek, of_positions, computed, turned_back, of_parts]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["f32", "bf16"])
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_rotary_embeddings_are_one_region(form, dtype):
    if form is of_parts and dtype == torch.bfloat16:
        pytest.skip("complex numbers of bfloat16 are not there")
    x, freqs = torch.randn(2, TOKENS, HEADS, SIZE).to(dtype), table()

    def function(x, freqs):
        return torch.tanh(form(x * 2, freqs)) + 1

    ours, expected = compiled(function)(x, freqs), function(x, freqs)
    tolerance = 1e-2 if dtype == torch.bfloat16 else 2e-6
    torch.testing.assert_close(ours, expected, rtol=tolerance, atol=tolerance)
    assert ours.stride() == expected.stride()
    (graph,) = fuse_torch.report()
    assert len(graph.regions) == 1 and not graph.regions[0].failure, str(graph)
    # freqs.angle() is of the input itself.
    assert graph.coverage == 1 or form is computed, str(graph)


@pytest.mark.parametrize("form", [llama, deepseek, of_positions])
def test_gradients(form):
    weight = torch.randn(SIZE, SIZE, requires_grad=True)
    x, freqs = torch.randn(2, TOKENS, HEADS, SIZE), table()

    def function(x, freqs, weight):
        return form(x @ weight, freqs).square()

    found = []
    for call in (compiled(function), function):
        y = call(x, freqs, weight)
        (y * torch.linspace(0, 1, SIZE)).sum().backward()
        found.append((y.detach(), weight.grad))
        weight.grad = None
    for ours, expected in zip(*found):
        torch.testing.assert_close(ours, expected, rtol=1e-4, atol=1e-4)
    for graph in fuse_torch.report():
        # The lazy conjugate that forward leaves is copied.
        named = {operator for operator, _ in graph.eager}
        assert named <= {"aten.mm.default", "aten.clone.default"}, str(graph)


def test_other_lengths_compile_nothing():
    function = compiled(lambda x, freqs: llama(x * 2, freqs) + 1, dynamic=True)
    for batch, tokens in ((2, 6), (3, 9), (5, 4)):
        x, freqs = torch.randn(batch, tokens, HEADS, SIZE), table(tokens)
        torch.testing.assert_close(
            function(x, freqs), llama(x * 2, freqs) + 1, rtol=1e-5, atol=1e-5
        )
    assert len(fuse_torch.report()) == 1


def test_what_leaves_as_complex_is_complex():
    def function(x, freqs):
        freqs = freqs * 2
        turned = pairs(x.transpose(1, 2)) * freqs
        return torch.view_as_real(turned).flatten(3) + 1, turned, freqs.transpose(0, 1)

    x, freqs = torch.randn(2, TOKENS, HEADS, SIZE), table()
    for ours, expected in zip(
        compiled(function)(x, freqs), function(x, freqs), strict=True
    ):
        torch.testing.assert_close(ours, expected)
        assert ours.stride() == expected.stride()


def test_operators_on_complex_numbers_that_are_not_known_stay_torchs():
    def function(x):
        spectrum = torch.fft.rfft(x * 2, dim=-1) * (1 + 0.5j)
        return torch.view_as_real(spectrum).sum(-1).tanh()

    x = torch.randn(3, 32)
    torch.testing.assert_close(compiled(function)(x), function(x))
    (graph,) = fuse_torch.report()
    assert any("fft" in operator for operator, _ in graph.eager), str(graph)


def added_with_a_factor(a, b, size):
    return torch.add(a, b, alpha=2), torch.sub(a, b, alpha=3)


def numbers_of_wider_types(a, b, size):
    return a * size, b / size, a * 2, b / 3


def complex_numbers(a, b, size):
    return a * 2j, a.real * (1 + 2j), b / (1 + 1j)


def kept_in_order(a, b, size):
    return a.clone(memory_format=torch.contiguous_format) * b, (a.t() * b.t()).conj()


@pytest.mark.parametrize(
    "form",
    [added_with_a_factor, numbers_of_wider_types, complex_numbers, kept_in_order],
)
def test_operators_keep_their_arguments_and_types(form):
    def function(x, y, size):
        found = form(torch.view_as_complex(x * 2), torch.view_as_complex(y * 3), size)
        return [torch.view_as_real(each.resolve_conj()) * 2 for each in found]

    x, y = torch.randn(2, 5, 7, 2).unbind(0)
    size = torch.tensor(1.5, dtype=torch.float64)
    for ours, expected in zip(
        compiled(function)(x, y, size), function(x, y, size), strict=True
    ):
        torch.testing.assert_close(ours, expected)
