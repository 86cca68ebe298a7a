from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

_Target = Literal["auto", "cpu", "cuda", "emu"]
_Dims = Mapping[str, Sequence[str | None]]

__version__: str

class Error(Exception): ...

class Tensor:
    name: str
    dtype: str
    shape: tuple[int | str, ...]
    in_place: str | None
    may_alias: tuple[str, ...]

class Kernel:
    name: str
    ops: tuple[str, ...]
    schedule: str
    bytes_read: int | str
    bytes_written: int | str
    ptx: str
    stats: dict[str, Any]

class Inspection:
    name: str
    symbols: tuple[str, ...]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    kernels: tuple[Kernel, ...]
    remarks: tuple[dict[str, Any], ...]
    ptx: str
    def html(self) -> str: ...

class Program:
    name: str
    device: str
    chip: str
    symbols: tuple[str, ...]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    kernels: tuple[Kernel, ...]
    ptx: str
    tuning: list[dict[str, Any]] | None
    @property
    def remarks(self) -> tuple[dict[str, Any], ...]: ...
    def html(self) -> str: ...
    def print(
        self, stage: Literal["kernels", "schedule", "gpu", "llvm", "ptx"]
    ) -> str: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def __call__(
        self, *arrays: Any, out: Any = None, stream: Any = None, **named: Any
    ) -> Any: ...
    def prepare(self, *inputs: Any, **named: Any) -> None: ...

class Jitted:
    function: Callable[..., Any]
    def __call__(
        self, *args: Any, out: Any = None, stream: Any = None, **kwargs: Any
    ) -> Any: ...
    def program(self, *args: Any, **kwargs: Any) -> Program: ...
    def text(self, *args: Any, **kwargs: Any) -> str: ...

def compile(
    text_or_path: str | PathLike[str],
    entry: str | None = None,
    target: _Target = "auto",
    chip: str | None = None,
    strict: bool = False,
    *,
    device: int = 0,
    line_info: bool = False,
    cache: bool = True,
    launch_overlap: bool = True,
    autotune: bool | Sequence[Sequence[int]] = False,
    tuning: str | PathLike[str] | None = None,
    sizes: Mapping[str, int] | None = None,
    lengths: int = 8,
    graph: bool = False,
) -> Program: ...
def inspect(
    text_or_path: str | PathLike[str],
    entry: str | None = None,
    target: _Target = "cuda",
    chip: str = "sm_90",
    strict: bool = False,
    *,
    line_info: bool = False,
    launch_overlap: bool = True,
    sizes: Mapping[str, int] | None = None,
) -> Inspection: ...
def load(
    path: str | PathLike[str],
    target: _Target = "auto",
    *,
    device: int = 0,
    cache: bool = True,
    tuning: str | PathLike[str] | None = None,
    graph: bool = False,
) -> Program: ...
def jit(
    function: Callable[..., Any] | None = None,
    *,
    dims: _Dims | None = None,
    target: _Target | None = None,
    **options: Any,
) -> Any: ...
def version() -> str: ...
def write_bundle(
    text_or_path: str | PathLike[str],
    folder: str | PathLike[str],
    chips: Sequence[str],
    entry: str | None = None,
    strict: bool = False,
    *,
    sizes: Mapping[str, int] | None = None,
) -> list[str]: ...
