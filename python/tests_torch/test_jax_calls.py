# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs and ops inside of JAX: jit, grad, vmap."""

import fuse_compiler as fuse
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from fuse_compiler import jax as fuse_jax
from fuse_compiler import lang

ADD = """
func.func @add(%x: tensor<?x4xf32> {fuse.dims = ["rows"]}, %b: tensor<4xf32>)
    -> (tensor<?x4xf32>, tensor<?xf32>) {
  %y = fuse.add %x, %b : tensor<?x4xf32>, tensor<4xf32>
  %s = fuse.reduce sum %y dims = [1] : tensor<?x4xf32> -> tensor<?xf32>
  return %y, %s : tensor<?x4xf32>, tensor<?xf32>
}"""


def random(*shape, dtype=jnp.float32):
    return jnp.asarray(np.random.default_rng(0).standard_normal(shape), dtype)


def norm(x, weight):
    a = x.astype(jnp.float32)
    y = a * jax.lax.rsqrt((a * a).mean(-1, keepdims=True) + 1e-6)
    return (y * weight.astype(jnp.float32)).astype(x.dtype)


def layer_norm(x, weight, bias):
    y = (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)
    return y * weight + bias


@pytest.mark.parametrize("rows", [1, 3, 7])
def test_a_program_with_several_outputs_of_any_size(rows):
    x, b = random(rows, 4), random(4)
    y, s = jax.jit(lambda x, b: fuse_jax.call(ADD, x, b))(x, b)
    np.testing.assert_allclose(y, x + b, rtol=1e-6)
    np.testing.assert_allclose(s, (x + b).sum(-1), rtol=1e-5, atol=1e-6)


def test_between_operators_of_jax():
    x, b = random(5, 4), random(4)

    @jax.jit
    def function(x, b):
        y, _ = fuse_jax.call(ADD, jnp.sin(x), b)
        return jnp.cos(y).sum()

    np.testing.assert_allclose(function(x, b), jnp.cos(jnp.sin(x) + b).sum(), rtol=1e-5)


OPS = {
    "rms_norm": (fuse_jax.rms_norm, norm, [(3, 5, 64), (64,)]),
    "layer_norm": (fuse_jax.layer_norm, layer_norm, [(7, 32), (32,), (32,)]),
    "softmax": (fuse_jax.softmax, lambda x: jax.nn.softmax(x, -1), [(3, 33)]),
    "gelu": (fuse_jax.gelu, jax.nn.gelu, [(3, 33)]),
    "exact gelu": (
        lambda x: fuse_jax.gelu(x, approximate=False),
        lambda x: jax.nn.gelu(x, approximate=False),
        [(3, 33)],
    ),
    "silu": (fuse_jax.silu, jax.nn.silu, [(3, 33)]),
    "gated": (
        fuse_jax.gated,
        lambda gate, up: jax.nn.silu(gate) * up,
        [(3, 33), (3, 33)],
    ),
}


@pytest.mark.parametrize("name", OPS)
def test_ops_and_their_gradients(name):
    ours, theirs, shapes = OPS[name]
    arrays = [random(*shape) + 0.1 * i for i, shape in enumerate(shapes)]
    np.testing.assert_allclose(
        jax.jit(ours)(*arrays), theirs(*arrays), rtol=1e-5, atol=1e-6
    )
    weights = random(*shapes[0])

    def loss(function):
        every = tuple(range(len(arrays)))
        return jax.grad(lambda *a: (function(*a) * weights).sum(), argnums=every)

    for mine, other in zip(jax.jit(loss(ours))(*arrays), loss(theirs)(*arrays)):
        np.testing.assert_allclose(mine, other, rtol=2e-4, atol=2e-5)


def test_cross_entropy_and_a_label_that_is_ignored():
    x = random(6, 10)
    labels = jnp.asarray([1, 9, -100, 0, 3, 3])

    def theirs(x):
        chosen = jnp.take_along_axis(x, jnp.maximum(labels, 0)[:, None], -1)[:, 0]
        loss = jax.nn.logsumexp(x, -1) - chosen
        return jnp.where(labels == -100, 0.0, loss).sum()

    def ours(x):
        return fuse_jax.cross_entropy(x, labels).sum()

    np.testing.assert_allclose(ours(x), theirs(x), rtol=1e-5)
    np.testing.assert_allclose(
        jax.grad(ours)(x), jax.grad(theirs)(x), rtol=1e-4, atol=1e-6
    )


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_sixteen_bits(dtype):
    x, weight = random(4, 64, dtype=dtype), random(64, dtype=dtype)
    ours = fuse_jax.rms_norm(x, weight)
    assert ours.dtype == x.dtype
    np.testing.assert_allclose(
        ours.astype(np.float32), norm(x, weight).astype(np.float32), rtol=2e-2
    )


def test_vmap():
    x, weight = random(4, 3, 16), random(16)
    mapped = jax.vmap(fuse_jax.rms_norm, in_axes=(0, None))(x, weight)
    np.testing.assert_allclose(mapped, norm(x, weight), rtol=1e-5, atol=1e-6)


def test_an_op_of_your_own():
    capped = fuse_jax.define(
        lambda x, *, cap: lang.tanh(x / cap) * cap,
        lambda dy, x, *, cap: dy * (1 - lang.tanh(x / cap) * lang.tanh(x / cap)),
    )
    x = random(5, 7)
    for cap in (2.0, 3.0):
        np.testing.assert_allclose(
            capped(x, cap=cap), jnp.tanh(x / cap) * cap, rtol=1e-5, atol=1e-6
        )
        np.testing.assert_allclose(
            jax.grad(lambda x: capped(x, cap=cap).sum())(x),
            jax.grad(lambda x: (jnp.tanh(x / cap) * cap).sum())(x),
            rtol=1e-4,
            atol=1e-5,
        )


def test_what_is_refused():
    x, b = random(5, 4), random(4)
    with pytest.raises(fuse.Error, match="expected 2 arrays for add, but got 1"):
        fuse_jax.call(ADD, x)
    with pytest.raises(fuse.Error, match="expected 'x' to be float32, but got int32"):
        fuse_jax.call(ADD, x.astype(jnp.int32), b)
    with pytest.raises(fuse.Error, match="expected dimension 1 of 'x' to be 4"):
        fuse_jax.call(ADD, random(5, 3), b)
    with pytest.raises(fuse.Error, match="expected 'x' to be of .* but got complex64"):
        fuse_jax.silu(x.astype(jnp.complex64))
    wrong = fuse_jax.define(lambda x, y: x + y, lambda dy, x, y: dy)
    with pytest.raises(fuse.Error, match="for each of x, y, but got 1; return as many"):
        jax.grad(lambda x: wrong(x, x).sum())(x)
    with pytest.raises(fuse.Error, match=r"make arrays of lists"):
        wrong(x, [1, 2])
