# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fuse as a backend of torch.compile.

    model = torch.compile(model, backend="fuse")

or inside of Inductor, for all that is compiled from then on:

    fuse_compiler.torch.use_in_inductor()
    model = torch.compile(model)

torch's graph is cut into regions, each of which becomes one program; the rest stays
eager. report() says which is which, and why.
"""

from torch._dynamo import list_backends, register_backend

from fuse_compiler.torch._backend import backend
from fuse_compiler.torch._report import GraphReport, RegionReport, report, reset_report

# An installed package is found by its entry point, a source tree on the path is not.
if "fuse" not in list_backends(exclude_tags=()):
    register_backend(backend, name="fuse")

__all__ = [
    "GraphReport",
    "RegionReport",
    "backend",
    "report",
    "reset_report",
    "use_in_inductor",
]


def use_in_inductor(options=None):
    """From now on torch.compile(model) hands regions to Fuse that hold a reduction, a
    contraction or attention.

    options  as of the backend; None takes its defaults, False switches it off

    Raises Error where Inductor has another pass there already, and for options that there
    are not.
    """
    # Inductor is large, and the backend does without it.
    from fuse_compiler.torch import _inductor

    _inductor.use_in_inductor(options)
