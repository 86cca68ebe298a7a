# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installing the package with pip."""

import subprocess
import sys
from pathlib import Path

import fuse_build
import pytest

ROOT = Path(__file__).resolve().parents[2]
REMEDY = "run `make build` in a clone of the repository"


@pytest.mark.parametrize("options", [[], ["--no-build-isolation"]])
def test_a_wheel_without_its_library_is_refused(tmp_path, options):
    pytest.importorskip("pip")
    target = tmp_path / "site"
    result = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--no-index", "--target", target]
        + [*options, ROOT],
        capture_output=True,
        text=True,
        check=False,
    )
    output = result.stdout + result.stderr
    assert result.returncode == 1, output
    assert "but got one of a wheel, which lacks libfuse_compiler.so" in output
    assert REMEDY in output and "FUSE_LIBRARY" in output and "Traceback" not in output
    assert not target.exists() or not list(target.iterdir())


def test_the_source_tree_is_installed_with_its_library(monkeypatch, tmp_path):
    library = tmp_path / "libfuse_compiler.so"
    monkeypatch.setenv("FUSE_LIBRARY", str(library))
    with pytest.raises(
        SystemExit, match=f"libfuse_compiler.so, but there is none; {REMEDY}"
    ):
        fuse_build.get_requires_for_build_editable()
    with pytest.raises(SystemExit, match=REMEDY):
        fuse_build.build_editable(tmp_path)
    library.touch()
    assert fuse_build.get_requires_for_build_editable() == ["setuptools>=64"]
    # Without the variable it is looked for where it is built.
    monkeypatch.delenv("FUSE_LIBRARY")
    monkeypatch.setattr(fuse_build, "_ROOT", tmp_path)
    with pytest.raises(
        SystemExit, match="build/lib/libfuse_compiler.so or .*but there is none"
    ):
        fuse_build.get_requires_for_build_editable()
    (tmp_path / "build-release" / "lib").mkdir(parents=True)
    library.rename(tmp_path / "build-release" / "lib" / "libfuse_compiler.so")
    assert fuse_build.get_requires_for_build_editable() == ["setuptools>=64"]
