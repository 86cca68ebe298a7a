# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX arrays, which are immutable, though their DLPack capsules do not say so."""

import fuse_compiler as fuse
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

# Programs of these tests are the CPU's.
jax.config.update("jax_default_device", jax.devices("cpu")[0])

ones, zeros = np.ones(4, np.float32), np.zeros((2, 4), np.float32)


def test_are_read(add):
    y = np.empty((2, 4), np.float32)
    assert add(jnp.arange(8.0).reshape(2, 4), jnp.ones(4), out=y) is y
    np.testing.assert_array_equal(y, np.arange(8.0).reshape(2, 4) + 1)


def test_need_out(add):
    with pytest.raises(fuse.Error, match=r"expected out .* such as .*numpy\.empty"):
        add(jnp.zeros((2, 4)), jnp.ones(4))


@pytest.mark.parametrize("view", [lambda x: x, lambda x: x[:], lambda x: x.T.T])
def test_are_not_written(add, view):
    out = view(jnp.zeros((2, 4)))
    message = "expected 'y' to be writable, but got an array of jax, .* immutable; pass"
    with pytest.raises(fuse.Error, match=message):
        add(zeros, ones, out=out)
    np.testing.assert_array_equal(out, 0)


def test_are_not_written_in_place(double):
    x = jnp.arange(1.0, 4)
    with pytest.raises(fuse.Error, match="expected 'y' to be writable, but got an"):
        double(x)
    np.testing.assert_array_equal(x, [1, 2, 3])
    y = np.empty(3, np.float32)
    double(x, out=y)
    np.testing.assert_array_equal(y, [2, 4, 6])


def test_numpys_view_of_one_is_not_written(add):
    x = jnp.zeros((2, 4))
    for view in (np.asarray(x), np.from_dlpack(x)):
        with pytest.raises(fuse.Error, match="'y' to be writable, but got a read-only"):
            add(zeros, ones, out=view)


class Wrapped:
    """Hands out the capsules of another array."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Assignable(Wrapped):
    def __setitem__(self, index, value):
        self.array[index] = value


def test_a_wrapper_of_one_is_not_written(add):
    x = jnp.zeros((2, 4))
    message = "'y' to be writable, but got a test_jax.Wrapped, which does not say"
    with pytest.raises(fuse.Error, match=message):
        add(zeros, ones, out=Wrapped(x))
    np.testing.assert_array_equal(x, 0)


def test_a_wrapper_of_a_tensor_is_written(add):
    x = torch.zeros(2, 4)
    add(zeros, ones, out=Assignable(x))
    assert (x == 1).all()
    # The capsule says that it may be.
    x.zero_()
    add(zeros, ones, out=Wrapped(x))
    assert (x == 1).all()


@pytest.mark.parametrize(
    "transform",
    [jax.jit, jax.vmap, jax.grad, lambda f: lambda x: jax.jvp(f, (x,), (x,))],
)
def test_a_tracer_is_refused(double, transform):
    message = (
        "expected an array, but got a .*Tracer of jax.jit, vmap or grad.*pure_call"
    )
    with pytest.raises(fuse.Error, match=f"'x': {message}"):
        transform(lambda x: double(x).sum())(jnp.ones(3))


def test_the_remedy_of_a_tracer_works(add):
    def call(x, b):
        return add(np.asarray(x), np.asarray(b))

    @jax.jit
    def traced(x, b):
        return jax.pure_callback(call, jax.ShapeDtypeStruct((2, 4), jnp.float32), x, b)

    np.testing.assert_array_equal(traced(jnp.zeros((2, 4)), jnp.ones(4)), 1)


def test_what_has_no_memory_is_refused(add):
    x = jnp.zeros((2, 4))
    x.delete()
    message = "'x': expected .*ArrayImpl to give its memory .*, but got: .*; pass"
    with pytest.raises(fuse.Error, match=message):
        add(x, jnp.ones(4), out=zeros.copy())
    with pytest.raises(fuse.Error, match="'x': expected .* to give its memory"):
        add(jnp.zeros((2, 4), jnp.int4), jnp.ones(4), out=zeros.copy())
