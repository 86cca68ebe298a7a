from collections.abc import Callable, Mapping, Sequence
from typing import Any

class RegionReport:
    name: str
    operators: tuple[str, ...]
    kernels: tuple[tuple[str, ...], ...]
    program: str
    failure: str | None
    def fail(self, message: str) -> None: ...

class GraphReport:
    kind: str
    regions: tuple[RegionReport, ...]
    eager: dict[tuple[str, str], int]
    replay: str
    @property
    def coverage(self) -> float: ...

def backend(
    graph_module: Any,
    example_inputs: Sequence[Any],
    *,
    options: Mapping[str, Any] | None = None,
    mode: str | None = None,
) -> Callable[..., Any]: ...
def report() -> tuple[GraphReport, ...]: ...
def reset_report() -> None: ...
def use_in_inductor(options: Mapping[str, Any] | bool | None = None) -> None: ...
