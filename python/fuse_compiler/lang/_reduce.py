# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions, softmax and norms, contractions."""

from fuse_compiler.lang._builder import Unsupported
from fuse_compiler.lang._pointwise import add, cast, div, mul, rsqrt, sqrt, sub
from fuse_compiler.lang._shapes import normalized, reshape
from fuse_compiler.lang._types import FLOATS, INTEGERS, tensor_type


def axes_of(axes, rank):
    """Axes as sorted numbers from the front; None means all."""
    if axes is None:
        return list(range(rank))
    axes = [axes] if isinstance(axes, int) else axes
    return sorted(normalized(a, rank) for a in axes)


def _without(shape, axes, keep):
    return [1 if i in axes else d for i, d in enumerate(shape) if keep or i not in axes]


def _reduce(kind, x, axes, keep, dtypes):
    axes = axes_of(axes, x.ndim)
    if x.dtype not in dtypes:
        raise Unsupported(
            f"expected {kind} of {', '.join(dtypes)}, but got {x.dtype}; use astype()"
        )
    if not axes:
        return x
    if kind in ("sum", "prod") and any(x.stored[a] != x.shape[a] for a in axes):
        x = x.builder.materialize(x)
    shape, stored = _without(x.shape, axes, keep), _without(x.stored, axes, keep)
    kept = " keep" if keep else ""
    return x.builder.emit(
        f"fuse.reduce {kind} {x.name} dims = {axes}{kept} : {x.type} -> "
        f"{tensor_type(stored, x.dtype)}",
        stored,
        x.dtype,
    ).with_shape(shape, stored)


def _reduction(kind, dtypes, doc):
    def apply(x, axis=None, keepdims=False):
        return _reduce(kind, x, axis, keepdims, dtypes)

    apply.__name__ = apply.__qualname__ = kind
    apply.__doc__ = f"{doc} over an axis, a list of them, or all (None)."
    return apply


_NUMBERS = (*FLOATS, *INTEGERS)
sum_ = _reduction("sum", _NUMBERS, "The sum")
prod = _reduction("prod", _NUMBERS, "The product")
max_ = _reduction("max", _NUMBERS, "The largest element")
min_ = _reduction("min", _NUMBERS, "The smallest element")
mean = _reduction("mean", tuple(FLOATS), "The mean")
any_ = _reduction("any", ("i1",), "Whether any element is true")
all_ = _reduction("all", ("i1",), "Whether all elements are true")


def var_mean(x, axis=None, keepdims=False, correction=0):
    """The variance, with n - correction in the denominator, and the mean."""
    axes = axes_of(axis, x.ndim)
    center = mean(x, axes, keepdims=True)
    centered = sub(x, center)
    square = mul(centered, centered)
    if correction == 0:
        variance = mean(square, axes, keepdims=True)
    else:
        count = 1
        for a in axes:
            count = x.shape[a] * count
        if not isinstance(count, int) or count <= correction:
            raise Unsupported(
                f"expected more than {correction} elements and as many in each call, but got "
                f"{count}; compute the variance from sums"
            )
        variance = div(sum_(square, axes, keepdims=True), count - correction)
    if not keepdims:
        shape = _without(x.shape, axes, False)
        variance, center = reshape(variance, shape), reshape(center, shape)
    return variance, center


def std_mean(x, axis=None, keepdims=False, correction=0):
    """The root of the variance, with n - correction in the denominator, and the mean."""
    variance, center = var_mean(x, axis, keepdims, correction)
    return sqrt(variance), center


def min_max(x, axis=None, keepdims=False):
    """The smallest and the largest element; NaN if any is NaN."""
    return min_(x, axis, keepdims), max_(x, axis, keepdims)


def _over_axes(op, x, axis):
    axes = axes_of(axis, x.ndim)
    x = x.builder.materialize(x)
    return x.builder.emit(
        f"fuse.{op} {x.name} dims = {axes} : {x.type}", x.shape, x.dtype
    )


def softmax(x, axis=-1):
    """exp(x - max) / sum(exp(x - max)) over an axis."""
    return _over_axes("softmax", x, axis)


def log_softmax(x, axis=-1):
    """x - max - log(sum(exp(x - max))) over an axis."""
    return _over_axes("log_softmax", x, axis)


def logsumexp(x, axis=-1, keepdims=False):
    """max + log(sum(exp(x - max))) over an axis."""
    axes = axes_of(axis, x.ndim)
    x = x.builder.materialize(x)
    shape = _without(x.shape, axes, keepdims)
    kept = " keep" if keepdims else ""
    return x.builder.emit(
        f"fuse.logsumexp {x.name} dims = {axes}{kept} : {x.type} -> "
        f"{tensor_type(shape, x.dtype)}",
        shape,
        x.dtype,
    )


def argmax(x, axis, keepdims=False, op="argmax"):
    """The index of the first largest element along an axis, as i64."""
    axis = normalized(axis, x.ndim)
    x = x.builder.materialize(x)
    shape = _without(x.shape, [axis], keepdims)
    kept = " keep" if keepdims else ""
    return x.builder.emit(
        f"fuse.{op} {x.name} dim = {axis}{kept} : {x.type} -> {tensor_type(shape, 'i64')}",
        shape,
        "i64",
    )


def argmin(x, axis, keepdims=False):
    """The index of the first smallest element along an axis, as i64."""
    return argmax(x, axis, keepdims, "argmin")


def rms_norm(x, weight=None, eps=1e-6, offset=0.0):
    """x / sqrt(mean(x^2) + eps) * (offset + weight) over the last axis, computed in f32.

    offset  1 for weights that are stored less one, as Gemma has them
    """
    wide = _wide(x)
    square = mean(mul(wide, wide), -1, keepdims=True)
    y = mul(wide, rsqrt(add(square, eps)))
    if weight is not None:
        w = cast(weight, wide.dtype)
        y = mul(y, add(w, offset) if offset else w)
    return cast(y, x.dtype)


def layer_norm(x, weight=None, bias=None, eps=1e-5):
    """(x - mean) / sqrt(variance + eps) * weight + bias over the last axis, in f32."""
    wide = _wide(x)
    variance, center = var_mean(wide, -1, keepdims=True)
    y = mul(sub(wide, center), rsqrt(add(variance, eps)))
    if weight is not None:
        y = mul(y, cast(weight, wide.dtype))
    if bias is not None:
        y = add(y, cast(bias, wide.dtype))
    return cast(y, x.dtype)


def group_norm(x, groups, weight=None, bias=None, eps=1e-5):
    """(x - mean) / sqrt(variance + eps) over each group of channels, axis 1 of x, and all
    axes after it, computed in f32; weight and bias have one number a channel.

    Wu and He, arXiv:1803.08494.
    """
    batch, channels, *rest = x.shape
    if not isinstance(channels, int) or groups < 1 or channels % groups:
        raise Unsupported(
            f"expected groups that divide the {channels} channels, but got {groups}; choose a "
            "divisor"
        )
    split = reshape(_wide(x), (batch, groups, channels // groups, *rest))
    axes = range(2, split.ndim)
    variance, center = var_mean(split, axes, keepdims=True)
    y = mul(sub(split, center), rsqrt(add(variance, eps)))
    per_channel = (1, groups, channels // groups, *(1 for _ in rest))
    if weight is not None:
        y = mul(y, reshape(cast(weight, y.dtype), per_channel))
    if bias is not None:
        y = add(y, reshape(cast(bias, y.dtype), per_channel))
    return cast(reshape(y, x.shape), x.dtype)


def _wide(x):
    if x.dtype in (*INTEGERS, "i1"):
        raise Unsupported(
            f"expected a norm of {', '.join(FLOATS)}, but got {x.dtype}; use astype()"
        )
    return x if x.dtype == "f64" else cast(x, "f32")


def einsum(spec, a, b, precision=None):
    """The sum of products by named axes, as in "mk,kn->mn"; two operands. With
    precision="tf32" tensor cores may multiply f32, of which they read TF32."""
    builder = a.builder
    a, b = builder.materialize(a), builder.materialize(b)
    left, _, rest = spec.replace(" ", "").partition(",")
    right, _, result = rest.partition("->")
    left, a = look_through(left, a)
    right, b = look_through(right, b)
    sizes = {}
    for letters, x in ((left, a), (right, b)):
        for letter, dim in zip(letters, x.shape, strict=True):
            if sizes.get(letter, 1) == 1:
                sizes[letter] = dim
    shape = [sizes[letter] for letter in result]
    option = _precision_option(precision, a.dtype)
    return builder.emit(
        f'fuse.contract "{left},{right}->{result}" {a.name}, {b.name}{option} : '
        f"{a.type}, {b.type} -> {tensor_type(shape, a.dtype)}",
        shape,
        a.dtype,
    )


def look_through(letters, x):
    """The letters and the operand as it lies in memory: a transposition is one of letters."""
    while x.source and x.source[0] == "transpose" and x.stored == x.shape:
        _, base, axes = x.source
        if base.stored != base.shape:
            break
        order = [""] * len(axes)
        for letter, axis in zip(letters, axes, strict=True):
            order[axis] = letter
        letters, x = "".join(order), base
    return letters, x


def _precision_option(precision, dtype):
    """Other types than f32 have no precision to choose."""
    if precision not in (None, "tf32"):
        raise Unsupported(
            f"expected a precision of 'tf32' or None, but got {precision!r}; leave it out"
        )
    return " precision = tf32" if precision and dtype == "f32" else ""


def matmul(a, b, precision=None):
    """The product of matrices [.., m, k] and [.., k, n]; leading dims broadcast. With
    precision="tf32" tensor cores may multiply f32, of which they read TF32.

    Rows that were joined of several dims, [batch, tokens, k] as [batch * tokens, k], stay
    apart in the product, so that what follows with these dims fuses with it.
    """
    if a.ndim < 2 or b.ndim < 2:
        raise Unsupported(
            f"expected matrices, but got ranks {a.ndim} and {b.ndim}; add a dim of 1"
        )
    apart = _rows_apart(a)
    if a.ndim == 2 and b.ndim == 2 and apart is not None:
        rows = _BATCH[: apart.ndim - 1]
        product = einsum(f"{rows}k,kn->{rows}n", apart, b, precision)
        return reshape(product, (a.shape[0], b.shape[1]))
    rank = max(a.ndim, b.ndim) - 2
    batch = _BATCH[:rank]
    left = batch[rank - (a.ndim - 2) :] + "mk"
    right = batch[rank - (b.ndim - 2) :] + "kn"
    return einsum(f"{left},{right}->{batch}mn", a, b, precision)


_BATCH = "abcdefghij"


def _rows_apart(a):
    """What a matrix was before its rows were joined, or None."""
    if not a.source or a.source[0] != "reshape":
        return None
    base = a.source[1]
    is_joined = (
        base.ndim > 2 and base.shape[-1] == a.shape[-1] and base.stored == base.shape
    )
    return base if is_joined else None


def add_to_product(product, bias):
    """product + bias, [n] or of the product's shape, where the product's rows are apart."""
    apart = _rows_apart(product)
    if apart is None or bias.ndim != 1:
        return add(product, bias)
    return reshape(add(apart, bias), product.shape)
