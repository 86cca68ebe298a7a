# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows that repeat work: tools/bench/peers/chains.py, as programs that no example has."""

import os
import shutil
import subprocess
from pathlib import Path

import fuse_compiler as fuse
import pytest
from bench.peers import chains

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(name="driver", scope="module")
def fixture_driver():
    build = Path(os.environ.get("FUSE_BUILD_DIR", ROOT / "build"))
    built = build / "bin" / "fuse"
    found = str(built) if built.is_file() else shutil.which("fuse")
    assert found, "expected the driver fuse in build/bin or on PATH; run `make test`"
    return found


@pytest.mark.parametrize("family", chains.FAMILIES, ids=lambda family: family.name)
@pytest.mark.parametrize("dtype", ["bf16", "f32"])
def test_each_is_one_kernel(family, dtype):
    case = family.make(dtype, 32768, 4096)
    result = fuse.inspect(case.program, chip="sm_90", sizes={"rows": 32768})
    assert len(result.kernels) == 1
    for tensor, given in zip(result.inputs, case.inputs, strict=True):
        assert tensor.dtype == given.dtype
        assert tensor.shape[-1] == given.shape[-1]


@pytest.mark.parametrize("family", chains.FAMILIES, ids=lambda family: family.name)
@pytest.mark.parametrize("dtype, columns", [("bf16", 1024), ("f32", 1333)])
def test_the_oracle_agrees_with_the_emulated_kernel(driver, family, dtype, columns):
    """Whole vectors, and rows that leave edges."""
    run = [driver, "run", "-", "--target", "emu", "--chip", "sm_90", "--verify"]
    done = subprocess.run(
        [*run, "--dim", "rows=3"],
        input=family.make(dtype, 3, columns).program,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "no rule was broken" in done.stdout
    assert "WRONG" not in done.stdout and ": ok" in done.stdout
