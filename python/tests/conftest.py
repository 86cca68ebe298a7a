# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of the Python package share."""

import os
from pathlib import Path

import pytest

if "FUSE_BUILD_DIR" in os.environ:
    library = Path(os.environ["FUSE_BUILD_DIR"], "lib", "libfuse_compiler.so")
    os.environ.setdefault("FUSE_LIBRARY", str(library))


def _torch_with_gpu():
    try:
        import torch
    except ImportError:
        return None
    return torch if torch.cuda.is_available() else None


def pytest_collection_modifyitems(items):
    marked = [item for item in items if item.get_closest_marker("gpu")]
    if marked and not _torch_with_gpu():
        for item in marked:
            item.add_marker(pytest.mark.skip(reason="no torch with a CUDA device"))


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


@pytest.fixture(scope="session")
def examples():
    return Path(__file__).resolve().parents[2] / "examples"
