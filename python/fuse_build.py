# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What pip calls to build the package (PEP 517 and 660).

There is no wheel yet: it would lack libfuse_compiler.so, which takes LLVM to build. The source
tree itself can be installed (pip install --editable), once the library is there.
"""

import os
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]


def _refuse(what):
    sys.exit(
        f"\nfuse: expected {what}; run `make build` in a clone of the repository, and there "
        "`pip install --editable .` or `export PYTHONPATH=$PWD/python`; FUSE_LIBRARY names a "
        "libfuse_compiler.so that lies elsewhere\n"
    )


def _refuse_archive():
    _refuse(
        "an installation of the source tree, but got one of a wheel, which lacks libfuse_compiler.so"
    )


def _require_library():
    built = [_ROOT / folder / "lib" for folder in ("build", "build-release")]
    named = os.environ.get("FUSE_LIBRARY")
    found = (
        [Path(named)] if named else [folder / "libfuse_compiler.so" for folder in built]
    )
    if not any(library.exists() for library in found):
        _refuse(f"{' or '.join(map(str, found))}, but there is none")


def get_requires_for_build_wheel(config_settings=None):
    _refuse_archive()


def get_requires_for_build_sdist(config_settings=None):
    _refuse_archive()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    _refuse_archive()


def build_sdist(sdist_directory, config_settings=None):
    _refuse_archive()


def get_requires_for_build_editable(config_settings=None):
    _require_library()
    return ["setuptools>=64"]


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    _require_library()
    from setuptools import build_meta

    return build_meta.build_editable(
        wheel_directory, config_settings, metadata_directory
    )
