# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converters of reductions, softmax and contractions.

CONTRACTIONS are the operators that a library does well; whether a region takes them is
decided elsewhere.
"""

from fuse_compiler import lang
from fuse_compiler.lang import Unsupported
from fuse_compiler.torch._contractions import tf32_is_allowed
from fuse_compiler.torch._convert import converter, overload

CONTRACTIONS = {
    overload(f"{name}.default") for name in ("mm", "bmm", "addmm", "baddbmm")
}
# Those that read many elements for one, as Inductor and the backend name them.
REDUCTIONS = {
    overload(name)
    for name in (
        "sum.default sum.dim_IntList mean.default mean.dim prod.default prod.dim_int amax.default "
        "amin.default max.default min.default max.dim min.dim argmax.default argmin.default "
        "any.default any.dim any.dims all.default all.dim all.dims var_mean.correction "
        "var.correction std.correction logsumexp.default _softmax.default _log_softmax.default"
    ).split()
} - {None}


def _axes(dims):
    return None if dims is None or dims == [] else dims


@converter(overload("sum.default"), overload("sum.dim_IntList"))
def _sum(c, x, dims=None, keepdim=False, dtype=None):
    return lang.sum(lang.cast(x, c.dtype), _axes(dims), keepdim)


@converter(overload("mean.default"), overload("mean.dim"))
def _mean(c, x, dims=None, keepdim=False, dtype=None):
    return lang.mean(lang.cast(x, c.dtype), _axes(dims), keepdim)


@converter(overload("prod.default"), overload("prod.dim_int"))
def _prod(c, x, dim=None, keepdim=False, dtype=None):
    return lang.prod(lang.cast(x, c.dtype), dim, keepdim)


@converter(overload("amax.default"), overload("max.default"))
def _amax(c, x, dims=None, keepdim=False):
    return lang.max(x, _axes(dims), keepdim)


@converter(overload("amin.default"), overload("min.default"))
def _amin(c, x, dims=None, keepdim=False):
    return lang.min(x, _axes(dims), keepdim)


@converter(overload("max.dim"))
def _max_dim(c, x, dim, keepdim=False):
    return lang.max(x, dim, keepdim), lang.argmax(x, dim, keepdim)


@converter(overload("min.dim"))
def _min_dim(c, x, dim, keepdim=False):
    return lang.min(x, dim, keepdim), lang.argmin(x, dim, keepdim)


@converter(overload("argmax.default"), overload("argmin.default"))
def _argmax(c, x, dim=None, keepdim=False):
    if dim is None:
        raise Unsupported("an index into all elements")
    is_max = "max" in c.node.target.overloadpacket.__name__
    return (lang.argmax if is_max else lang.argmin)(x, dim, keepdim)


@converter(*(overload(f"any.{o}") for o in ("default", "dim", "dims")))
def _any(c, x, dims=None, keepdim=False):
    return lang.any(lang.cast(x, "i1"), dims, keepdim)


@converter(*(overload(f"all.{o}") for o in ("default", "dim", "dims")))
def _all(c, x, dims=None, keepdim=False):
    return lang.all(lang.cast(x, "i1"), dims, keepdim)


def _wide(x):
    return x if x.dtype == "f64" else lang.cast(x, "f32")


@converter(overload("var_mean.correction"))
def _var_mean(c, x, dims=None, correction=None, keepdim=False):
    correction = 1 if correction is None else correction
    results = lang.var_mean(_wide(x), _axes(dims), keepdim, correction)
    return tuple(lang.cast(y, c.dtype) for y in results)


@converter(overload("var.correction"))
def _var(c, x, dims=None, correction=None, keepdim=False):
    return _var_mean(c, x, dims, correction, keepdim)[0]


@converter(overload("std.correction"))
def _std(c, x, dims=None, correction=None, keepdim=False):
    correction = 1 if correction is None else correction
    variance, _ = lang.var_mean(_wide(x), _axes(dims), keepdim, correction)
    return lang.cast(lang.sqrt(variance), c.dtype)


@converter(overload("logsumexp.default"))
def _logsumexp(c, x, dims, keepdim=False):
    return lang.logsumexp(x, dims, keepdim)


@converter(overload("_softmax.default"))
def _softmax(c, x, dim, half_to_float):
    return lang.softmax(lang.cast(x, c.dtype), dim)


@converter(overload("_log_softmax.default"))
def _log_softmax(c, x, dim, half_to_float):
    return lang.log_softmax(lang.cast(x, c.dtype), dim)


@converter(overload("cumsum.default"))
def _cumsum(c, x, dim, dtype=None):
    return lang.cumsum(lang.cast(x, c.dtype), dim)


@converter(overload("cumprod.default"))
def _cumprod(c, x, dim, dtype=None):
    return lang.cumprod(lang.cast(x, c.dtype), dim)


@converter(overload("cummax.default"), overload("cummin.default"))
def _cummax(c, x, dim):
    if any(user.args[1] == 1 and user.users for user in c.node.users):
        raise Unsupported("where the largest of those up to each element is")
    is_max = "max" in c.node.target.overloadpacket.__name__
    return (lang.cummax if is_max else lang.cummin)(x, dim), None


@converter(overload("topk.default"))
def _topk(c, x, k, dim=-1, largest=True, sorted=True):
    if not isinstance(k, int):
        raise Unsupported("a number of elements that is known only when it runs")
    return lang.top_k(x, k, dim, largest)


@converter(overload("sort.default"))
def _sort(c, x, dim=-1, descending=False):
    return lang.sort(x, dim, descending)


@converter(overload("sort.stable"))
def _sort_stable(c, x, stable=False, dim=-1, descending=False):
    return lang.sort(x, dim, descending)


@converter(overload("argsort.default"), overload("argsort.stable"))
def _argsort(c, x, *, stable=False, dim=-1, descending=False):
    return lang.argsort(x, dim, descending)


@converter(overload("mm.default"), overload("bmm.default"))
def _matmul(c, a, b):
    return _product(a, b)


def _product(a, b):
    """Where nothing is summed it is a product element by element."""
    if a.shape[-1] == 1:
        return lang.mul(a, b)
    return lang.matmul(a, b, precision="tf32" if tf32_is_allowed() else None)


@converter(overload("addmm.default"), overload("baddbmm.default"))
def _addmm(c, bias, a, b, beta=1, alpha=1):
    product = _product(a, b)
    product = product * float(alpha) if alpha != 1 else product
    if beta == 0:
        return product
    return lang.add_to_product(product, bias * float(beta) if beta != 1 else bias)
