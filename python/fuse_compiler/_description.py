# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What libfuse_compiler.so says about a program."""

import re
from dataclasses import dataclass, field

from fuse_compiler._library import Error


@dataclass(frozen=True)
class Tensor:
    """An input or output of a program."""

    name: str
    # "f32", "f16", "bf16", "f64", "f8E4M3FN", "f8E5M2", "i1" (one byte), "i8",
    # "i16", "i32", "i64" or "ui8".
    dtype: str
    # Numbers, and names or expressions of dynamic dims.
    shape: tuple
    # Of outputs: the input that it is written into unless `out` says otherwise.
    in_place: str | None = None
    # Of outputs: the inputs whose buffers it may be given.
    may_alias: tuple = ()
    # Of inputs: whether it is a number that is passed by value.
    is_scalar: bool = False


@dataclass(frozen=True)
class Kernel:
    """One kernel of a program."""

    name: str
    ops: tuple
    # "#fuse.rows<threads = 256, ...>".
    schedule: str
    # Bytes moved: a number, or an expression over the program's dynamic dims.
    bytes_read: int | str
    bytes_written: int | str
    # Its PTX; "" on the CPU.
    ptx: str = field(repr=False)
    # "ptx": counts of loads and stores by width; "ptxas": registers, spills.
    stats: dict = field(repr=False)


class Description:
    """What the JSON of libfuse_compiler.so says about a program."""

    # The Page, of programs that have a text.
    _page = None

    def html(self):
        """A page of the program as `fuse inspect --html` writes it: what became of it and why.

        Returns a whole HTML document. Notebooks show it for a program.
        """
        if self._page is None:
            raise Error(
                "expected a program that compile() or inspect() gave, but got another; compile "
                "its text"
            )
        return self._page.write()

    def _repr_html_(self):
        try:
            return self._page.frame() if self._page else None
        except Error:
            # The notebook shows repr().
            return None

    def __init__(self, description, ptx):
        self.name = description["name"]
        self.ptx = ptx
        self.symbols = tuple(description["symbols"])
        self.inputs = tuple(map(_tensor, description["inputs"]))
        self.outputs = tuple(map(_tensor, description["outputs"]))
        self.kernels = tuple(_kernel(kernel, ptx) for kernel in description["kernels"])


class Inspection(Description):
    """A program compiled for a chip that need not be here: what fuse.inspect() gives.

    name, symbols, inputs, outputs, kernels, remarks and ptx are those of Program.
    """

    def __init__(self, description, ptx):
        super().__init__(description, ptx)
        # Dicts as in `fuse inspect --json`: what was done, what was not, and why.
        self.remarks = tuple(description["remarks"])


def _tensor(fields):
    return Tensor(
        fields["name"],
        fields["dtype"],
        tuple(fields["shape"]),
        fields.get("in_place"),
        tuple(fields.get("may_alias", ())),
        fields.get("scalar", False),
    )


def _kernel(fields, ptx):
    return Kernel(
        fields["name"],
        tuple(fields["ops"]),
        fields["schedule"],
        fields["bytes_read"],
        fields["bytes_written"],
        _entry(ptx, fields["symbol"]),
        {key: fields[key] for key in ("ptx", "ptxas", "operands") if key in fields},
    )


def _entry(ptx, name):
    found = re.search(
        rf"^\.visible \.entry {re.escape(name)}\(.*?^}}$", ptx, re.MULTILINE | re.DOTALL
    )
    return found.group() if found else ""
