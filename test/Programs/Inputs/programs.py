"""programs.py kernels|cpu_kernels|verify NAME [OPTION...]: of the program NAME.mlir here.

`kernels` and `cpu_kernels` print the program as kernels with schedules; `verify` runs it on
the CPU and on the emulated GPU, against the oracle.
"""

import pathlib
import subprocess
import sys


def main():
    what, name, *options = sys.argv[1:]
    path = pathlib.Path(__file__).parent / f"{name}.mlir"
    if what == "kernels":
        commands = [["fuse-opt", "-fuse-form", "-fuse-schedule", path]]
    elif what == "cpu_kernels":
        passes = ["-fuse-form=chip=cpu", "-fuse-schedule=chip=cpu"]
        commands = [["fuse-opt", *passes, path]]
    else:
        commands = [
            ["fuse", "run", path, "--target", target, "--verify", "--repeat", "1"]
            + options
            for target in ("cpu", "emu")
        ]
    for command in commands:
        status = subprocess.run(command, check=False).returncode
        if status:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main())
