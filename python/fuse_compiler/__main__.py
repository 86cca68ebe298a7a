# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The driver: `fuse run`, `fuse inspect`, ... as docs/driver.md describes them.

    python -m fuse_compiler inspect program.mlir

In a wheel it is part of the library; in a source tree the executable beside it is run.
"""

import ctypes
import os
import sys
from pathlib import Path

from fuse_compiler._library import Error, lib


def main():
    """Runs the driver with the arguments of the command line; never returns."""
    arguments = ["fuse", *sys.argv[1:]]
    # What `fuse doctor` asks for packages.
    os.environ.setdefault("FUSE_PYTHON", sys.executable)
    if hasattr(lib, "fuseDriverMain"):
        words = [os.fsencode(word) for word in arguments]
        sys.exit(
            lib.fuseDriverMain(len(words), (ctypes.c_char_p * (len(words) + 1))(*words))
        )
    executable = Path(lib._name).resolve().parents[1] / "bin" / "fuse"
    if not executable.exists():
        raise Error(
            f"expected the driver at {executable}, but there is none; run `make build`"
        )
    os.execv(executable, arguments)


if __name__ == "__main__":
    main()
