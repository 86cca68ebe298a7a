# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which library the package loads."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import fuse_compiler
import pytest
from fuse_compiler._version import VERSION

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = Path(os.environ["FUSE_LIBRARY"]).absolute()


def run(package_parent, **environment):
    """What importing the package from a folder says, in an interpreter of its own."""
    script = (
        "import sys, os; sys.path.insert(0, sys.argv[1]); import fuse_compiler as f; "
    )
    script += "print(f._library.lib._name)"
    return subprocess.run(
        [sys.executable, "-c", script, str(package_parent)],
        env=environment,
        cwd=package_parent,
        capture_output=True,
        text=True,
        check=False,
    )


def build_library(folder, source):
    (folder / "library.c").write_text(source)
    path = folder / "libfuse_compiler.so"
    compiler = shutil.which("clang-22") or shutil.which("cc")
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-o", path, folder / "library.c"], check=True
    )
    return path


def test_versions_agree():
    assert fuse_compiler.__version__ == fuse_compiler.version() == VERSION
    cmake = (ROOT / "CMakeLists.txt").read_text()
    assert re.search(r"project\(Fuse VERSION (\S+)", cmake)[1] == VERSION


def test_says_where_it_looked():
    result = run(ROOT / "python", FUSE_LIBRARY="/no/such/libfuse_compiler.so")
    assert result.returncode != 0
    assert (
        "expected libfuse_compiler.so, but there is none at /no/such/libfuse_compiler.so"
        in result.stderr
    )


@pytest.mark.parametrize("named", [None, "libfuse_compiler.so"])
def test_never_searches_by_a_bare_name(tmp_path, named):
    # The loader would find this one.
    loader = tmp_path / "loader"
    loader.mkdir()
    shutil.copy(LIBRARY, loader / "libfuse_compiler.so")
    shutil.copytree(
        ROOT / "python/fuse_compiler", tmp_path / "a/b/python/fuse_compiler"
    )
    environment = {"LD_LIBRARY_PATH": str(loader)}
    if named:
        environment["FUSE_LIBRARY"] = named
    result = run(tmp_path / "a/b/python", **environment)
    assert result.returncode != 0
    assert "but there is none at" in result.stderr


def test_a_library_beside_the_package_comes_first(tmp_path):
    package = tmp_path / "fuse_compiler"
    shutil.copytree(ROOT / "python/fuse_compiler", package)
    shutil.copy(LIBRARY, package / "libfuse_compiler.so")
    result = run(tmp_path)
    assert result.stdout.strip() == str(package / "libfuse_compiler.so"), result.stderr


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("int fuse_main(void) { return 0; }", "but it has no fuseVersion"),
        ('const char *fuseVersion(void) { return "0.0.1"; }', "but got 0.0.1; install"),
    ],
)
def test_a_library_of_another_kind_is_refused(tmp_path, source, message):
    path = build_library(tmp_path, source)
    result = run(ROOT / "python", FUSE_LIBRARY=str(path))
    assert result.returncode != 0
    assert "Error: expected " in result.stderr and message in result.stderr


def test_the_module_clashes_with_nothing(tmp_path):
    # The file system's modules are called fuse.
    (tmp_path / "fuse.py").write_text("FUSE = object\n")
    shutil.copytree(ROOT / "python/fuse_compiler", tmp_path / "fuse_compiler")
    result = run(tmp_path, FUSE_LIBRARY=str(LIBRARY))
    assert result.returncode == 0, result.stderr
