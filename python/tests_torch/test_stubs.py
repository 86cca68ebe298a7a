# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The stubs of the modules that need torch."""

import sys
from pathlib import Path

import fuse_compiler.torch
import pytest
from fuse_compiler import ops

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
from test_packaging import check_stub  # noqa: E402


@pytest.mark.parametrize("module", [fuse_compiler.torch, ops], ids=lambda m: m.__name__)
def test_stubs_declare_what_there_is(module):
    check_stub(Path(module.__file__).with_suffix(".pyi"), module)
