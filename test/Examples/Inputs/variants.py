"""Runs an example in several element types and sizes against the oracle.

For each element type, the example's f16, bf16 and f32 become that type; for
each number of columns, its --columns becomes that number. Each such program
must be one kernel and run right at every size of its dynamic dimension. Where
rows are multiples of 16 bytes, streamed operands must take 128-bit accesses;
where an assembler is there, it must spill nothing.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SIZES = (0, 1, 33)
DTYPES = ("f32", "f16", "bf16")


def run(*command):
    """The output of a command that must succeed."""
    result = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if result.returncode != 0:
        print(" ".join(command), result.stdout, sep="\n")
        sys.exit(1)
    return result.stdout


def substitute(text, dtype, old_columns, columns):
    """The program with other element types and another number of columns."""
    text = re.sub(r"(?<=[<x])(f16|bf16|f32)>", f"{dtype}>", text)
    return text.replace(f"x{old_columns}x", f"x{columns}x").replace(
        f"<{old_columns}x", f"<{columns}x"
    )


def check_code(path, wide):
    """The number of kernels, the width of accesses, and spills, on sm_90."""
    expectation = ["--expect-bits=128"] if wide else []
    output = run("fuse", "inspect", path, "--chip=sm_90", "--json", *expectation)
    kernels = json.loads(output)["kernels"]
    if len(kernels) != 1:
        sys.exit(f"{path}: expected one kernel, but got {len(kernels)}")
    # Without an assembler there is only PTX, which cannot spill.
    resources = kernels[0].get("ptxas")
    if resources is None and shutil.which("ptxas"):
        sys.exit(f"{path}: expected ptxas to assemble it, but nothing did")
    if resources and resources["spill_bytes"] != 0:
        sys.exit(f"{path}: expected no spills, but got {resources}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--dim", required=True, help="the dynamic dimension")
    parser.add_argument("--columns", type=int, help="the static size to vary")
    parser.add_argument("--targets", default="cpu")
    arguments = parser.parse_args()

    text = arguments.file.read_text()
    old = arguments.columns
    # An odd number of columns leaves no row but the first aligned.
    widths = [(old, True), (old + 1, False), (1, False)] if old else [(0, True)]
    with tempfile.TemporaryDirectory() as folder:
        for dtype in DTYPES:
            for columns, wide in widths:
                path = str(Path(folder) / f"{dtype}_{columns}.mlir")
                Path(path).write_text(substitute(text, dtype, old, columns))
                check_code(path, wide)
                for target in arguments.targets.split(","):
                    for size in SIZES:
                        dim = f"{arguments.dim}={size}"
                        output = run(
                            "fuse",
                            "run",
                            path,
                            f"--target={target}",
                            f"--dim={dim}",
                            "--verify",
                            "--repeat=1",
                            "--no-cache",
                        )
                        if "could be anything" in output:
                            sys.exit(f"{path}: expected bounds, but got {output}")


if __name__ == "__main__":
    main()
