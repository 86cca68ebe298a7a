# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch tensors.

A tensor is more than its memory: what it stands for may still be to be computed,
or somebody may have to know that it was written to.

    lazily negated           copied (resolve_neg)
    no memory of its own     refused: sparse, nested, meta, wrapped by torch.func
    gradients and tangents   refused while they are tracked
    another type             refused: only tensors, parameters and buffers are plain
    saved for a gradient     its version is incremented, so that backward() notices
"""

import math

from fuse_compiler._adapter import (
    CPU,
    CUDA,
    DTYPES,
    Layout,
    element_name,
    known_code,
    not_writable,
    type_name,
)
from fuse_compiler._library import Error, native

# By the names of subclasses, what to pass instead.
_PLAIN = {
    "AsyncCollectiveTensor": "x.wait()",
    "DTensor": "x.to_local() or x.full_tensor()",
    "FakeTensor": "a real tensor, outside of FakeTensorMode",
    "FunctionalTensor": "a real tensor, outside of what torch traces",
    "MaskedTensor": "x.to_tensor(value), with a value for what is masked",
    "NestedTensor": "x.to_padded_tensor(value), or its parts one by one",
    "UninitializedBuffer": "it after its module has run once",
    "UninitializedParameter": "it after its module has run once",
}


def _check_plain(torch, kind):
    if kind in (torch.Tensor, torch.nn.Parameter):
        return
    if kind.__name__ == "Buffer" and kind.__module__.startswith("torch.nn."):
        return
    remedy = _PLAIN.get(kind.__name__, "x.as_subclass(torch.Tensor)")
    raise Error(
        f"expected a plain tensor, but got {type_name(kind)}, whose elements may mean more than "
        f"their numbers; pass {remedy}"
    )


def _increment_version(torch):
    found = getattr(torch.autograd.graph, "increment_version", None)
    if found is None:
        raise Error(
            "expected a torch that can be told of writes (autograd.graph.increment_version), but "
            f"got {torch.__version__}; update torch"
        )
    return found


class Torch:
    """PyTorch tensors. Work goes to the tensor's device's current stream."""

    def __init__(self, torch, kind):
        _check_plain(torch, kind)
        self._torch = torch
        self._is_grad_enabled = torch.is_grad_enabled
        self._forward_ad = torch.autograd.forward_ad
        self._increment_version = _increment_version(torch)
        self._tracing_state = torch._C._get_tracing_state
        self._num_modes = torch._C._len_torch_dispatch_stack
        self._types = {
            torch.float16: DTYPES["f16"],
            torch.float32: DTYPES["f32"],
            torch.float64: DTYPES["f64"],
            torch.bfloat16: DTYPES["bf16"],
            torch.bool: DTYPES["i1"],
            torch.int32: DTYPES["i32"],
            torch.int8: DTYPES["i8"],
            torch.int16: DTYPES["i16"],
            torch.uint8: DTYPES["ui8"],
            torch.int64: DTYPES["i64"],
        }
        for name in ("f8E4M3FN", "f8E5M2"):
            # Not in old versions.
            element = getattr(torch, element_name(name), None)
            if element is not None:
                self._types[element] = DTYPES[name]
        # Both give the stream's handle; the first skips building an object.
        self._raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (
            lambda index: torch.cuda.current_stream(index).cuda_stream
        )
        self._is_native = bool(native) and self._make_known(kind)

    def _make_known(self, kind):
        """Tells the extension how such tensors are read, if torch says so (from 2.10 on)."""
        api = getattr(kind, "__dlpack_c_exchange_api__", None)
        if api is None:
            return False
        native.watch_torch(
            self._is_grad_enabled,
            self._forward_ad,
            self.wrote,
            (self._tracing_state, self._num_modes),
        )
        return native.know(kind, api)

    def describe(self, tensor):
        try:
            if tensor.is_neg():
                tensor = tensor.resolve_neg()
            address = tensor.data_ptr()
            key = (tensor.shape, tensor.dtype, tensor.device)
            if not tensor.is_contiguous():
                key += (tensor.stride(),)
        except RuntimeError as error:
            raise self._no_memory(tensor) from error
        if not address and tensor.numel():
            raise self._no_memory(tensor)
        if tensor.requires_grad and self._is_grad_enabled():
            raise Error(
                "expected tensors without gradients, but got one that requires them; "
                "detach it or call under torch.no_grad()"
            )
        if self._forward_ad._current_level >= 0:
            self._check_no_tangent(tensor)
        return address, key, tensor

    def describe_out(self, tensor, name):
        if self._tracing_state() is not None or self._num_modes():
            self._check_unrecorded()
        described = self.describe(tensor)
        if described[2] is not tensor:
            raise not_writable(
                name,
                "a tensor that is negated when it is read (x.is_neg())",
                "pass another, such as torch.empty_like(x)",
            )
        return described

    def address(self, tensor):
        return tensor.data_ptr()

    def wrote(self, tensor):
        try:
            self._increment_version(tensor)
        except RuntimeError:
            # Those of the inference mode have no version, which not all versions of torch
            # look after.
            if not tensor.is_inference():
                raise

    def check_stream(self, tensor):
        # The copy would be made on the current stream.
        if tensor.is_neg():
            raise Error(
                "expected tensors that can be read on the stream of the call, but got one that is "
                "negated when it is read (x.is_neg()); pass x.resolve_neg()"
            )

    def _no_memory(self, tensor):
        """The error for a tensor whose elements are not where it says."""
        functorch = self._torch._C._functorch
        if functorch.is_functorch_wrapped_tensor(tensor):
            batched = functorch.is_batchedtensor(tensor)
            what = f"one inside of torch.func.{'vmap' if batched else 'grad, jvp or functionalize'}"
            remedy = "call the program outside of it, or from a torch.autograd.Function"
        elif tensor.is_nested:
            what = "a nested one"
            remedy = "pass x.to_padded_tensor(value), or its parts one by one"
        elif tensor.layout != self._torch.strided:
            what = f"one with the layout {tensor.layout}"
            remedy = "pass x.to_dense()"
        elif tensor.is_meta:
            what = "one on the device meta, which has no elements"
            remedy = "make it on the program's device"
        else:
            what = "one without memory"
            remedy = "pass x.clone()"
        return Error(f"expected a tensor with memory, but got {what}; {remedy}")

    def _check_no_tangent(self, tensor):
        if self._forward_ad.unpack_dual(tensor).tangent is not None:
            raise Error(
                "expected tensors without gradients, but got one with a tangent (forward_ad); "
                "pass forward_ad.unpack_dual(x).primal"
            )

    def _check_unrecorded(self):
        """A recording of this call would lack what the program computes."""
        if self._tracing_state() is not None:
            what = "torch.jit.trace"
        elif self._num_modes() and self._is_proxied():
            what = "torch.fx (make_fx)"
        else:
            return
        raise Error(
            f"expected a call that nobody records, but got one under {what}, which does not see "
            "what the program computes; call it outside of what is recorded"
        )

    def _is_proxied(self):
        c = self._torch._C
        return c._get_dispatch_mode(c._TorchDispatchModeKey.PROXY) is not None

    def layout(self, key, wanted):
        shape, dtype, device = key[:3]
        if str(dtype).startswith("torch.q"):
            raise Error(f"expected numbers, but got {dtype}; pass x.dequantize()")
        code = known_code(self._types.get(dtype), dtype)
        kinds = {"cpu": (CPU, 0), "cuda": (CUDA, device.index or 0)}
        if device.type not in kinds:
            raise Error(f"expected a tensor on cpu or cuda, but got {device}; move it")
        return Layout(
            tuple(shape), code, kinds[device.type], key[3] if len(key) == 4 else None
        )

    def _element(self, dtype):
        return {code: each for each, code in self._types.items()}[DTYPES[dtype]]

    def recipe(self, like_key, dtype, shape):
        if not self._is_native:
            return None
        torch, device = self._torch, like_key[2]
        element = self._element(dtype)
        steps = [math.prod(shape[axis + 1 :]) or 1 for axis in range(len(shape))]
        # What torch's own compiled code allocates with, which skips the dispatcher.
        cheap = getattr(torch._C._dynamo.guards, f"_empty_strided_{device.type}", None)
        # On the current GPU, which it is where there is one.
        is_current = device.type == "cpu" or torch.cuda.device_count() == 1
        if cheap and is_current:
            return cheap, (shape, tuple(steps), element), {}
        keywords = {"dtype": element, "device": device}
        return torch.empty_strided, (shape, tuple(steps)), keywords

    def empty(self, like_key, dtype):
        torch, device = self._torch, like_key[2]
        element = self._element(dtype)

        def make(shape):
            if self._tracing_state() is not None or self._num_modes():
                self._check_unrecorded()
            return torch.empty(shape, dtype=element, device=device)

        return make

    def stream(self, key):
        return self._raw_stream(key[2].index or 0)
