# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch tensors that are more, or less, than their memory."""

import copy
import pickle

import fuse_compiler as fuse
import numpy as np
import pytest
import torch
import torch.autograd.forward_ad as forward_ad
from fuse_compiler._library import native
from fuse_compiler._torch import Torch
from torch import nn

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def x():
    return torch.arange(8.0).reshape(2, 4)


@pytest.fixture
def b():
    return torch.ones(4)


def negated(x):
    """-x, as a view that negates when it is read."""
    return torch.complex(torch.zeros_like(x), x).conj().imag


# What is read.


def test_plain_tensors(add, x, b):
    y = add(x, b)
    assert type(y) is torch.Tensor and torch.equal(y, x + 1)
    assert torch.equal(add(x.t().contiguous().t(), b), x + 1)


def test_parameters_and_buffers(add, x, b):
    with torch.no_grad():
        assert torch.equal(add(nn.Parameter(x), nn.Parameter(b)), x + 1)
    assert torch.equal(add(nn.Buffer(x), b), x + 1)


def test_the_negative_bit(add, x, b):
    view = negated(x)
    assert view.is_neg() and torch.equal(view, -x)
    assert torch.equal(add(view, b), 1 - x)
    assert torch.equal(add(x, negated(b)), x - 1)
    assert torch.equal(add(view.t().contiguous().t(), b), 1 - x)
    assert torch.equal(add(view[:1], b), 1 - x[:1])
    assert view.is_neg()
    with torch.no_grad():
        assert torch.equal(add(nn.Parameter(view), b), 1 - x)


def test_the_negative_bit_in_another_stream(add, x, b):
    for view in (negated(x), nn.Parameter(negated(x), requires_grad=False)):
        with pytest.raises(fuse.Error, match=r"stream .* pass x.resolve_neg\(\)"):
            add(view, b, stream=0)
        assert torch.equal(add(view.resolve_neg(), b, stream=0), 1 - x)


def test_conjugates_are_complex(add, x, b):
    z = torch.complex(x, x).conj()
    with pytest.raises(fuse.Error, match="'x': expected float16, .* but got .*complex"):
        add(z, b)
    assert torch.equal(add(z.real, b), x + 1)
    assert torch.equal(add(torch.view_as_real(z.resolve_conj())[..., 1], b), 1 - x)


def test_what_is_copied_when_it_is_written(add, x, b):
    lazy = torch._lazy_clone(x)
    assert torch.equal(add(lazy, b), x + 1)
    before = x.clone()
    add(x, b, out=lazy)
    assert torch.equal(x, before) and torch.equal(lazy, x + 1)


# What is written.


def test_the_negative_bit_is_not_written(add, double, x, b):
    out = negated(x)
    message = r"expected 'y' to be writable, but got .*is_neg.*; pass another"
    with pytest.raises(fuse.Error, match=message):
        add(x, b, out=out)
    with pytest.raises(fuse.Error, match=message):
        double(negated(b))
    assert torch.equal(out, -x)
    assert torch.equal(add(x, b, out=torch.empty_like(out)), x + 1)


@pytest.mark.parametrize("alias", [lambda h: h.detach(), lambda h: h.detach()[:]])
def test_backward_notices_what_is_written(add, x, b, alias):
    h = x.clone().requires_grad_() * 2
    y = h * h
    assert torch.equal(add(x, b, out=alias(h)), x + 1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_backward_notices_what_is_written_in_place(double):
    x = torch.arange(4.0)
    w = torch.ones(4, requires_grad=True)
    y = x * w
    assert double(x) is x
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_backward_notices_each_of_several_outputs():
    program = fuse.compile(
        """
    func.func @both(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
      %s = fuse.add %x, %x : tensor<4xf32>
      %p = fuse.mul %x, %x : tensor<4xf32>
      %n = fuse.neg %x : tensor<4xf32>
      return %s, %p, %n : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    }""",
        target="cpu",
    )
    x, first, last = torch.arange(4.0), torch.zeros(4), torch.zeros(4)
    total, product, negative = program(x, out=(first, None, last))
    assert total is first and negative is last
    assert torch.equal(total, 2 * x) and torch.equal(product, x * x)
    assert first._version == last._version == 1 and x._version == 0


def test_versions_count_writes_of_the_extension(add, x, b, monkeypatch):
    y = torch.empty_like(x)
    add(x, b, out=y)
    if native is not None:
        monkeypatch.setattr(add, "_call", None)
    for version in (2, 3):
        assert add(x, b, out=y) is y and y._version == version
    torch.testing.assert_close(y, x + b)
    # What a backward pass has saved must not change unnoticed.
    leaf = torch.ones_like(x, requires_grad=True)
    product = (leaf * y).sum()
    add(x, b, out=y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward()
    # An output whose gradient is tracked is refused, as ever.
    monkeypatch.undo()
    with pytest.raises(fuse.Error, match="without gradients"):
        add(x, b, out=leaf)


def test_outputs_may_be_views(add, x, b, monkeypatch):
    rows, columns = x.shape
    for call in range(4):
        # The first calls, and those of the extension.
        if call == 3 and native is not None:
            monkeypatch.setattr(add, "_call", None)
        for buffer, dims in (
            (torch.full((rows, 2 * columns), 7.0), lambda y: y[:, columns:]),
            (torch.full((columns, rows), 7.0), lambda y: y.T),
            (torch.full((rows, columns, 3), 7.0), lambda y: y[..., 1]),
        ):
            wanted, out = buffer.clone(), dims(buffer)
            dims(wanted).copy_(x + b)
            assert add(x, b, out=out) is out
            assert torch.equal(buffer, wanted) and buffer._version == 1
    with pytest.raises(fuse.Error, match="to have a place of its own"):
        monkeypatch.undo()
        add(x, b, out=torch.empty(columns).expand(rows, columns))


def test_versions_count_writes_only(add, x, b):
    y = torch.empty_like(x)
    versions = [t._version for t in (x, b, y)]
    add(x, b)
    with pytest.raises(fuse.Error):
        add(x, b, out=y[:1])
    assert [t._version for t in (x, b, y)] == versions
    add(x, b, out=y)
    assert [t._version for t in (x, b, y)] == [versions[0], versions[1], 1]


def test_gradients_are_right_where_nothing_is_overwritten(add, x, b):
    h = x.clone().requires_grad_()
    y = h * h
    assert torch.equal(add(h.detach(), b), x + 1)
    y.sum().backward()
    assert torch.equal(h.grad, 2 * x)


def test_leaves_are_refused_as_torch_refuses_them(add, double, x, b):
    leaf = torch.zeros(2, 4, requires_grad=True)
    with pytest.raises(fuse.Error, match="'y': expected tensors without gradients"):
        add(x, b, out=leaf)
    with pytest.raises(fuse.Error, match="'x': expected tensors without gradients"):
        double(b.requires_grad_())
    with torch.no_grad():
        add(x, b, out=leaf)
    assert torch.equal(leaf.detach(), x + 1) and leaf._version == 1


def test_a_torch_that_cannot_be_told_is_refused(monkeypatch):
    monkeypatch.delattr(torch.autograd.graph, "increment_version")
    with pytest.raises(fuse.Error, match="told of writes .*, but got .*; update torch"):
        Torch(torch, torch.Tensor)


def test_inference_tensors(add, double, x, b):
    with torch.inference_mode():
        y, out = add(x, b), torch.empty_like(x)
        assert y.is_inference() and torch.equal(y, x + 1)
        add(x, b, out=out)
        assert torch.equal(add(out, b), x + 2)
    assert torch.equal(add(y, b, out=out), x + 2)
    assert torch.equal(double(b), torch.full((4,), 2.0))


def test_memory_that_must_not_change(add, double, x, b):
    frozen = np.zeros((2, 4), np.float32)
    frozen.flags.writeable = False

    class Readable:
        """A read-only array with capsules that say so."""

        def __dlpack__(self, **options):
            return frozen.__dlpack__(**options)

        def __dlpack_device__(self):
            return frozen.__dlpack_device__()

    for out in (frozen, frozen[:], Readable()):
        with pytest.raises(fuse.Error, match="'y' to be writable, but got a read-only"):
            add(x, b, out=out)
    assert torch.equal(
        add(torch.zeros(2, 4), b), torch.from_numpy(add(frozen, b.numpy()))
    )
    with pytest.raises(fuse.Error, match="'y' to be writable"):
        double(frozen[0])
    assert not frozen.any()


# What is refused.


def message_of(call):
    with pytest.raises(fuse.Error) as raised:
        call()
    message = str(raised.value)
    assert message.startswith(("'x': expected ", "expected 'x' ")), message
    assert ", but got " in message and "; " in message, message
    return message


def fake(x):
    from torch._subclasses.fake_tensor import FakeTensorMode

    return FakeTensorMode().from_tensor(x)


def masked(x):
    from torch.masked import masked_tensor

    return masked_tensor(x, x > 2)


def nested(x, layout):
    return torch.nested.nested_tensor([x[0], x[1, :2]], layout=layout)


class Subclass(torch.Tensor):
    pass


@pytest.mark.parametrize(
    ("wrap", "part"),
    [
        (lambda x: x.to_sparse(), r"torch.sparse_coo; pass x.to_dense()"),
        (lambda x: x.to_sparse_csr(), r"torch.sparse_csr; pass x.to_dense()"),
        (lambda x: x.to_mkldnn(), r"torch._mkldnn; pass x.to_dense()"),
        (lambda x: x.to("meta"), "meta"),
        (lambda x: nested(x, torch.strided), "to_padded_tensor"),
        (lambda x: nested(x, torch.jagged), "to_padded_tensor"),
        (lambda x: torch._efficientzerotensor(2, 4), "pass x.clone()"),
        (lambda x: torch.quantize_per_tensor(x, 0.1, 0, torch.qint8), "x.dequantize()"),
        (lambda x: x.as_subclass(Subclass), "pass x.as_subclass(torch.Tensor)"),
        (lambda x: nn.UninitializedParameter(), "after its module has run"),
        (masked, "x.to_tensor(value)"),
        (fake, "outside of FakeTensorMode"),
        (lambda x: x.cfloat(), "torch.complex64; convert it"),
        (lambda x: x.to(torch.uint16), "torch.uint16; convert it"),
        (lambda x: x.to(torch.float8_e4m3fn), "f8E4M3FN; convert it"),
    ],
)
def test_wrappers(add, x, b, wrap, part):
    wrapped = wrap(x)
    assert part in message_of(lambda: add(wrapped, b))
    with pytest.raises(fuse.Error, match="^'y': expected|^expected 'y'"):
        add(x, b, out=wrapped)
    assert torch.equal(add(x, b), x + 1)


def test_the_remedies_of_wrappers_work(add, x, b):
    for plain in (
        x.to_sparse().to_dense(),
        x.to_mkldnn().to_dense(),
        x.as_subclass(Subclass).as_subclass(torch.Tensor),
    ):
        assert torch.equal(add(plain, b), x + 1)
    assert torch.equal(add(masked(x).to_tensor(0.0), b), x * (x > 2) + 1)
    padded = nested(x, torch.strided).to_padded_tensor(9.0)
    assert torch.equal(add(padded, b)[1], torch.tensor([5.0, 6.0, 10.0, 10.0]))
    assert torch.equal(add(torch._efficientzerotensor(2, 4).clone(), b), b.expand(2, 4))


@pytest.mark.parametrize(
    ("transform", "name"),
    [
        (torch.func.vmap, "torch.func.vmap"),
        (torch.func.grad, "torch.func.grad"),
        (torch.func.functionalize, "functionalize"),
        (lambda f: lambda x: torch.func.jvp(f, (x,), (x,)), "jvp"),
    ],
)
def test_inside_of_torch_func(add, x, b, transform, name):
    message = message_of(lambda: transform(lambda x: add(x, b).sum())(x))
    assert name in message
    message = message_of(lambda: transform(lambda x: add(x[None], b).sum())(x))
    assert name in message


def test_batched_outputs(double, b):
    def into(out):
        double(b, out=out)
        return out

    with pytest.raises(fuse.Error, match=r"'y': expected a tensor with memory.*vmap"):
        torch.func.vmap(into)(torch.zeros(2, 4))


def test_tangents_are_not_lost(add, x, b):
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, torch.ones_like(x))
        assert "forward_ad.unpack_dual(x).primal" in message_of(lambda: add(dual, b))
        assert torch.equal(add(forward_ad.unpack_dual(dual).primal, b), x + 1)
        assert torch.equal(add(x, b), x + 1)


def test_recordings_would_lack_the_call(add, x, b):
    from torch.fx.experimental.proxy_tensor import make_fx

    def call(x, b):
        return add(x, b) * 2

    def into(x, b):
        return add(x, b, out=torch.empty_like(x)) * 2

    for function in (call, into):
        with pytest.raises(fuse.Error, match=r"under torch.jit.trace, .*; call it out"):
            torch.jit.trace(function, (x, b))
        with pytest.raises(
            fuse.Error, match=r"under torch.fx \(make_fx\), .*; call it"
        ):
            make_fx(function)(x, b)
    # Other modes see what torch does, and need not see more.
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False):
        assert torch.equal(add(x, b), x + 1)


def test_calls_that_somebody_watched_at_first_are_fast_later(monkeypatch):
    """The extension declines the first: what torch.compile makes is called so."""
    x, b = torch.randn(3, 4), torch.randn(4)
    program = fuse.jit(lambda x, b: x + b).program(x, b)
    with torch.utils.flop_counter.FlopCounterMode(display=False):
        program(x, b)
    for _ in range(2):
        torch.testing.assert_close(program(x, b), x + b)
    monkeypatch.setattr(program, "_call", None)
    torch.testing.assert_close(program(x, b), x + b)


def test_inside_of_torch_compile(add, x, b):
    @torch.compile(backend="eager")
    def compiled(x, b):
        return add(x * 2, b) * 2

    for factor in (1, 3):
        assert torch.equal(compiled(x * factor, b), (x * factor * 2 + 1) * 2)
    # It does not look into the call.
    breaks = torch._dynamo.explain(lambda x, b: add(x * 2, b) * 2)(x, b).break_reasons
    assert ["Program.__call__" in str(each.reason) for each in breaks] == [True]


def test_other_arrays(add, x, b):
    assert "numpy.ma" in message_of(lambda: add(np.ma.ones((2, 4), "f"), b))
    assert "got list" in message_of(lambda: add([[1.0]], b))


def test_frameworks_may_be_mixed(add, x, b):
    y = add(x.numpy(), b)
    assert isinstance(y, np.ndarray) and np.array_equal(y, x + 1)
    y = add(x, b.numpy())
    assert isinstance(y, torch.Tensor) and torch.equal(y, x + 1)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, pickle.dumps])
def test_a_module_with_a_program_is_not_copied(add, duplicate):
    module = nn.Module()
    module.program = add
    with pytest.raises(fuse.Error, match="expected a program to be used where"):
        duplicate(module)
