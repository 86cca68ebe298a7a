# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""table.py [--print]: whether the table of docs/fusion.md says what the compiler does.

Its column `after` has the launches and the bytes of programs here, on a GPU and with 8192 rows where
their number is dynamic. --print writes each row as it should be.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROWS = 8192
HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[2] / "docs" / "fusion.md"
ROW = re.compile(r"^\| `(\w+)` \| ([^|]*) \| (\d+) \| ([^|]*) \| ([^|]*) \|$", re.M)


def ceildiv(a, b):
    return -(-a // b)


def bytes_of(expression):
    """A number, or an expression over dynamic dims."""
    names = {n: ROWS for n in re.findall(r"[A-Za-z_]\w*", str(expression))}
    names |= {"min": min, "max": max, "ceildiv": ceildiv}
    return eval(str(expression), {"__builtins__": {}}, names)


def after(name):
    command = [
        "fuse", "inspect", HERE / f"{name}.mlir", "--chip", "sm_90", "--json"
    ]  # fmt: skip
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    kernels = json.loads(result.stdout)["kernels"]
    total = sum(
        bytes_of(k["bytes_read"]) + bytes_of(k["bytes_written"]) for k in kernels
    )
    return len(kernels), total / 1e6


def megabytes(number):
    return f"{number:.1f}" if number >= 10 else f"{number:.2f}"


def main():
    rows = ROW.findall(PAGE.read_text())
    wrong = [] if len(rows) > 5 else ["the page has no table"]
    for name, before, kernels, before_bytes, after_bytes in rows:
        count, total = after(name)
        row = f"| `{name}` | {before} | {count} | {before_bytes} | {megabytes(total)} |"
        if "--print" in sys.argv:
            print(row)
        if (str(count), megabytes(total)) != (kernels, after_bytes.strip()):
            wrong.append(f"{name}: the page says {kernels} and {after_bytes}; {row}")
    print("\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
