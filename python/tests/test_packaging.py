# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The wheel, installed into an empty environment outside of the tree.

FUSE_WHEEL names one with its library, which tools/release/build-wheel.sh makes. Without it
a wheel of the Python files alone is made, and used with the library of the build.
"""

import ast
import inspect
import os
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import fuse_compiler
import pytest
from fuse_compiler import lang
from fuse_compiler._version import VERSION

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "fuse_compiler"
LIBRARY = Path(os.environ["FUSE_LIBRARY"]).absolute()
QUICKSTART = """
import fuse_compiler as fuse
from fuse_compiler import lang

class Buffer:
    '''Memory with DLPack, where there is no NumPy.'''

assert fuse.__version__ == fuse.version()
report = fuse.inspect('''
func.func @double(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = fuse.add %x, %x : tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}''', chip="sm_90")
assert "st.global" in report.ptx
print(fuse.__file__)
"""


def run(*command, **environment):
    kept = {
        k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "FUSE_CACHE_DIR")
    }
    return subprocess.run(
        list(map(str, command)),
        env=kept | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def build_wheel(folder):
    """A wheel of the Python files, without CMake and the network."""
    pytest.importorskip("scikit_build_core")
    result = run(
        *(sys.executable, "-m", "pip", "wheel", "--no-index", "--no-deps", "-q"),
        *("--no-build-isolation", "-C", "wheel.cmake=false", "-w", folder, ROOT),
    )
    assert result.returncode == 0, result.stdout + result.stderr
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    named = os.environ.get("FUSE_WHEEL")
    return Path(named) if named else build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """An environment with nothing but the wheel, and the variables to run it with."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False)
    site = next(home.glob("lib/python3.*/site-packages"))
    python = home / "bin" / "python"
    result = run(
        *(
            sys.executable,
            "-m",
            "pip",
            "--python",
            python,
            "install",
            "-q",
            "--no-index",
        ),
        *("--no-deps", wheel),
    )
    assert result.returncode == 0, result.stdout + result.stderr
    has_library = (site / "fuse_compiler" / "libfuse_compiler.so").exists()
    return home, {} if has_library else {"FUSE_LIBRARY": str(LIBRARY)}


def test_the_quickstart_runs_in_an_empty_environment(installed, tmp_path):
    home, environment = installed
    result = run(home / "bin" / "python", "-I", "-c", QUICKSTART, **environment)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith(str(home))


@pytest.mark.parametrize("is_module", [True, False])
def test_the_driver_is_on_the_path(installed, is_module):
    home, environment = installed
    python = [home / "bin" / "python", "-m", "fuse_compiler"]
    command = python if is_module else [home / "bin" / "fuse"]
    example = ROOT / "examples" / "softmax.mlir"
    good = run(*command, "inspect", example, "--chip", "sm_90", **environment)
    assert good.returncode == 0 and "kernel softmax" in good.stdout, good.stderr
    bad = run(*command, "inspect", "/no/such.mlir", **environment)
    assert (
        bad.returncode == 1 and "error:" in bad.stderr and "Traceback" not in bad.stderr
    )


def test_what_the_wheel_holds(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for name in (
        "__init__.py",
        "__main__.py",
        "py.typed",
        "lang/__init__.pyi",
        "ops/_rope.py",
    ):
        assert f"fuse_compiler/{name}" in names
    assert not [n for n in names if "test" in n or n.endswith(".pyc")]
    info = zipfile.ZipFile(wheel).read(
        f"fuse_compiler-{VERSION}.dist-info/entry_points.txt"
    )
    assert (
        b"[torch_dynamo_backends]\nfuse = fuse_compiler.torch:backend"
        in info.replace(b"=f", b"= f")
    )


@pytest.mark.skipif("FUSE_WHEEL" not in os.environ, reason="no wheel with a library")
def test_the_wheel_is_small_and_says_what_it_needs():
    wheel = Path(os.environ["FUSE_WHEEL"])
    assert wheel.stat().st_size <= 30e6
    assert "-py3-none-manylinux_2_" in wheel.name


def test_the_version_is_that_of_the_sources():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == VERSION


def parameters(function):
    """The names of a function's parameters, in a stub or at run time."""
    if isinstance(function, ast.FunctionDef):
        a = function.args
        return [p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs)] + [
            p.arg for p in (a.vararg, a.kwarg) if p
        ]
    kinds = inspect.Parameter
    found = inspect.signature(function).parameters.values()
    last = [
        p.name for p in found if p.kind in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD)
    ]
    return [p.name for p in found if p.name not in last] + last


def check_stub(stub, module):
    tree = ast.parse(stub.read_text())
    declared = {
        n.name: n for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))
    }
    assert set(declared) == set(module.__all__)
    for name, node in declared.items():
        if isinstance(node, ast.FunctionDef):
            assert parameters(node) == parameters(getattr(module, name)), name
        else:
            public = [n.name for n in node.body if isinstance(n, ast.FunctionDef)]
            assert all(hasattr(getattr(module, name), method) for method in public), (
                name
            )


@pytest.mark.parametrize("module", [fuse_compiler, lang], ids=lambda m: m.__name__)
def test_stubs_declare_what_there_is(module):
    check_stub(Path(module.__file__).with_suffix(".pyi"), module)
