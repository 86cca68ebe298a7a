# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of a program, as `fuse inspect --html` writes it."""

import html
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from fuse_compiler._library import Error, lib

_HEIGHT = 600


class Page:
    """Makes the page of one program, by the driver.

    text   of the program
    entry, target, chip, strict, sizes  as of compile()
    """

    def __init__(self, text, entry, target, chip, strict, sizes):
        self._text = text
        named = [f"--size={name}={size}" for name, size in (sizes or {}).items()]
        self._flags = [
            f"--target={target}",
            *([f"--chip={chip}"] if target != "cpu" and chip else []),
            *([f"--entry={entry}"] if entry else []),
            *(["--strict"] if strict else []),
            *named,
        ]

    def write(self):
        """The page, a whole HTML document. Raises Error where the driver cannot be run."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "program.mlir").write_bytes(self._text)
            command = [sys.executable, "-m", "fuse_compiler", "inspect"]
            # In the folder, since the page names the file as the driver does.
            done = subprocess.run(
                [*command, "program.mlir", "--html=page.html", *self._flags],
                cwd=folder,
                env={**os.environ, **_environment()},
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                said = done.stderr.strip().splitlines()
                raise Error(
                    "expected the driver to write a page, but got "
                    f"'{said[-1] if said else f'exit status {done.returncode}'}'; "
                    "run `python -m fuse_compiler inspect` yourself"
                )
            return Path(folder, "page.html").read_text(encoding="utf-8")

    def frame(self):
        """The page in a frame of its own, for notebooks."""
        return (
            f'<iframe srcdoc="{html.escape(self.write())}" '
            f'style="width: 100%; height: {_HEIGHT}px; border: 0"></iframe>'
        )


def _environment():
    """So that another process finds this package and its library from any folder."""
    package = str(Path(__file__).resolve().parents[1])
    path = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
    return {"PYTHONPATH": path, "FUSE_LIBRARY": os.path.abspath(lib._name)}
