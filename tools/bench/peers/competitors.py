# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who else computes a family of cases: torch, Triton, and libraries of kernels.

A competitor is bound to inputs, which may convert weights or copy what is written in
place, and is then a call without arguments; only the call is timed. Libraries that
cannot be imported are in `Competitors.missing`, with the reason.
"""

import functools
import importlib

# Competitors that compile for seconds for each shape, so that they run for few, and
# those that do for half a second, which run in one element type.
COSTLY = ("compile", "compile-max")
JIT = ("quack", "flashinfer")
# What compiles nothing.
PLAIN = ("eager",)
NAMES = (*PLAIN, "triton", "liger", *COSTLY, *JIT)

# Triton's kernels hold a row in registers: beyond this the compiler takes minutes.
TRITON_COLUMNS = 65536
# Those whose kernels know no rows.
POINTWISE = ("gelu", "swiglu", "bias_gelu_residual")


def _plain(function):
    """A function of the inputs, bound to them."""
    return lambda *inputs: lambda: function(*inputs)


def _late(make):
    """A function that is made when it is first bound, so that only binding it can fail,
    and once: torch.compile compiles anew for each that it is asked for."""
    make_once = functools.cache(make)

    def bind(*inputs):
        function = make_once()
        return lambda: function(*inputs)

    return bind


def _liger(ops):
    def swap(bound):
        """(y, h) as (h, y)."""
        return lambda *inputs: lambda: bound(*inputs)[::-1]

    def cross_entropy(x, labels):
        function = ops.LigerCrossEntropyFunction
        return function.apply(x, labels, None, -100, 0.0, 0.0, "none")[0]

    def rms_norm_backward(x, w, g):
        norm = importlib.import_module("liger_kernel.ops.rms_norm")
        scale = _scale(x)
        block, warps = norm.calculate_settings(x.shape[-1])
        # No offset, all in f32, and not over g.
        how = (0.0, norm._CASTING_MODE_GEMMA.value, block, warps, False, None)
        return lambda: norm.rms_norm_backward(g, x, w, scale, *how)[:2]

    return {
        "softmax": _plain(ops.LigerSoftmaxFunction.apply),
        "rms_norm": _plain(lambda x, w: ops.LigerRMSNormFunction.apply(x, w, 1e-5)),
        "add+rms_norm": swap(
            lambda x, r, w: ops.LigerFusedAddRMSNormFunction.apply(x, r, w, 1e-5)
        ),
        "layer_norm": _plain(
            lambda x, w, b: ops.LigerLayerNormFunction.apply(x, w, b, 1e-5)
        ),
        "swiglu": _plain(ops.LigerSiLUMulFunction.apply),
        "cross_entropy": _plain(cross_entropy),
        "rms_norm_backward": rms_norm_backward,
    }


def _scale(x):
    """1 / sqrt(mean(x^2) + eps) of each row, which a forward pass has kept."""
    return (x.float().square().mean(-1) + 1e-5).rsqrt()


def _quack(quack):
    norms = importlib.import_module("quack.rmsnorm")
    softmax = importlib.import_module("quack.softmax")
    losses = importlib.import_module("quack.cross_entropy")

    def add_rms_norm(x, r, w):
        y, h, _ = norms.rmsnorm_fwd(x, w, residual=r, eps=1e-5)
        return h, y

    def layer_norm(x, w, b):
        wide = w.float(), b.float()
        return lambda: norms.layernorm_fwd(x, *wide, 1e-5)

    def rms_norm_backward(x, w, g):
        scale = _scale(x)
        return lambda: norms.rmsnorm_bwd(x, w, g, scale)[:2]

    return {
        "softmax": _plain(softmax.softmax_fwd),
        "rms_norm": _plain(lambda x, w: norms.rmsnorm_fwd(x, w, eps=1e-5)[0]),
        "add+rms_norm": _plain(add_rms_norm),
        "layer_norm": layer_norm,
        "cross_entropy": _plain(losses.cross_entropy_fwd),
        "rms_norm_backward": rms_norm_backward,
    }


def _flashinfer(flashinfer):
    import torch

    def add_rms_norm(x, r, w):
        # In place: the sum over r, the norm over x.
        own = x.clone(), r.clone()

        def call():
            flashinfer.fused_add_rmsnorm(*own, w, 1e-5)
            return own[1], own[0]

        return call

    def swiglu(gate, up):
        joined = torch.cat((gate, up), dim=-1)
        return lambda: flashinfer.silu_and_mul(joined)

    return {
        "rms_norm": _plain(lambda x, w: flashinfer.rmsnorm(x, w, 1e-5)),
        "add+rms_norm": add_rms_norm,
        "swiglu": swiglu,
    }


# By name: the module to import, and what makes {family: binder} of it.
LIBRARIES = {
    "liger": ("liger_kernel.ops", _liger),
    "quack": ("quack", _quack),
    "flashinfer": ("flashinfer", _flashinfer),
}


class Competitors:
    """Those of `names` that are here, for any case."""

    def __init__(self, names, import_module=importlib.import_module):
        self.names = tuple(names)
        self.missing = {}
        self._families = {}
        for name in self.names:
            if name not in LIBRARIES:
                continue
            module, families = LIBRARIES[name]
            try:
                self._families[name] = families(import_module(module))
            except Exception as error:  # Also what fails while it is imported.
                self.missing[name] = f"{type(error).__name__}: {error}"[:500]

    def of(self, family, case, costly, jit):
        """{name: binder} for a case; those of COSTLY only if `costly`, and those of JIT
        only if `jit`."""
        found = {}
        for name in self.names:
            if (name in COSTLY and not costly) or (name in JIT and not jit):
                continue
            binder = self._binder(name, family, case)
            if binder:
                found[name] = binder
        return found

    def _binder(self, name, family, case):
        if name in LIBRARIES:
            return self._families.get(name, {}).get(family)
        if name == "triton":
            return _triton(case.triton) if _fits(case) else None
        return _late(lambda: _torch_function(name, case))


def _fits(case):
    """Whether there is a Triton kernel for rows as long as these."""
    if case.triton is None or case.triton in POINTWISE:
        return case.triton is not None
    return case.inputs[0].shape[-1] <= TRITON_COLUMNS


def _torch_function(name, case):
    import torch

    def eager(*inputs):
        return case.torch(torch, *inputs)

    if name == "eager":
        return eager
    mode = "max-autotune-no-cudagraphs" if name == "compile-max" else None
    return torch.compile(eager, dynamic=False, mode=mode)


def _triton(name):
    def bind(*inputs):
        function = triton_function(name)
        first = inputs[0].clone() if name.endswith("in_place") else inputs[0]
        return lambda: function(first, *inputs[1:])

    return bind


def triton_function(name):
    """The Triton kernel that a case names."""
    from . import triton_kernels, triton_rows

    return getattr(triton_kernels, name, None) or getattr(triton_rows, name)
