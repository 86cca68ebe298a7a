from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from torch import Tensor, dtype as _dtype

def add_rms_norm(
    x: Tensor, residual: Tensor, weight: Tensor, eps: float = 1e-6, offset: float = 0.0
) -> tuple[Tensor, Tensor]: ...
def cross_entropy(
    x: Tensor,
    labels: Tensor,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
    reduction: Literal["mean", "sum", "none"] = "mean",
) -> Tensor: ...
def define(
    name: str,
    schema: str,
    formula: Callable[..., Any],
    *,
    dims: Mapping[str, Sequence[str | None]],
    results: Sequence[str],
    gradient: Callable[..., Any] | None = None,
) -> Any: ...
def gated(
    gate: Tensor, up: Tensor, activation: Literal["silu", "gelu", "gelu_tanh"] = "silu"
) -> Tensor: ...
def gelu(x: Tensor, approximate: Literal["none", "tanh"] = "none") -> Tensor: ...
def layer_norm(
    x: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor: ...
def linear_cross_entropy(
    x: Tensor,
    weight: Tensor,
    labels: Tensor,
    bias: Tensor | None = None,
    *,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
    reduction: Literal["mean", "sum"] = "mean",
    rows: int | None = None,
) -> Tensor: ...
def quantize_rows(x: Tensor, dtype: _dtype = ...) -> tuple[Tensor, Tensor]: ...
def rms_norm(
    x: Tensor, weight: Tensor | None = None, eps: float = 1e-6, offset: float = 0.0
) -> Tensor: ...
def rope(
    x: Tensor,
    *,
    cos: Tensor | None = None,
    sin: Tensor | None = None,
    base: float | None = None,
    positions: Tensor | None = None,
    sequences: Tensor | None = None,
    offset: Tensor | None = None,
    length: Tensor | None = None,
    layout: Literal["half", "interleaved"] = "half",
    order: Literal["tokens_heads", "heads_tokens"] = "tokens_heads",
    dims: int | None = None,
    heads: int | None = None,
    scaling: Mapping[str, Any] | None = None,
) -> Tensor: ...
def silu(x: Tensor) -> Tensor: ...
def softmax(x: Tensor) -> Tensor: ...
