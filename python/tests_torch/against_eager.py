# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions under torch.compile(function, backend="fuse"), beside the same without it."""

import torch

X = torch.linspace(-3, 3, 6 * 8).reshape(6, 8) + 0.01
OPTIONS = {"contractions": "always", "smallest_region": 1}


def compiled(function, **options):
    return torch.compile(
        function, backend="fuse", options={**OPTIONS, **options}, fullgraph=True
    )


def check(ours, eager, tolerance=2e-6):
    assert len(ours) == len(eager)
    for number, (a, b) in enumerate(zip(ours, eager)):
        assert a.dtype == b.dtype and a.shape == b.shape, number
        assert a.stride() == b.stride() or 1 in a.shape, number
        torch.testing.assert_close(
            a,
            b,
            rtol=tolerance,
            atol=tolerance,
            equal_nan=True,
            msg=lambda m: f"{number}: {m}",
        )
