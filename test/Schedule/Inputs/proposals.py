# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether lowering takes what the scheduler proposes.

    proposals.py FUSE_OPT STRIDE

Kernels of rows of many lengths, of every width of element, for chips with and without
clusters and for calls of few bytes: every STRIDE-th of them. Prints those refused.
"""

import itertools
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

LENGTHS = (33, 1000, 1025, 2056, 2816, 4097, 4100, 8192, 10240, 12289, 16384, 24576)
LENGTHS += (32768, 40000, 50257, 65536, 65552, 100001, 131072, 262144, 600000)
LENGTHS += (1048576, 3000000)
TYPES = ("f8E4M3FN", "i8", "bf16", "f32", "f64")
# Rows, chip, how much calls move.
CALLS = (
    ("?", "sm_90", "large"),
    ("?", "sm_90", "small"),
    ("3", "sm_90", "large"),
    ("?", "sm_80", "large"),
    ("?", "sm_120", "large"),
)
# X is the type of all elements, R of one a row, W of weights, S of one in all.
BODIES = {
    "once": "%y = fuse.reduce max %a dims = [1] keep : X -> R",
    "light": "%m = fuse.reduce max %a dims = [1] keep : X -> R\n"
    "%y = fuse.sub %a, %m : X, R -> X",
    "two": "%h = fuse.add %a, %b : X\n"
    "%m = fuse.reduce mean %h dims = [1] keep : X -> R\n"
    "%n = fuse.mul %h, %m : X, R -> X\n"
    "%y = fuse.mul %n, %w : X, W -> X",
    "twice": "%m = fuse.reduce mean %a dims = [1] keep : X -> R\n"
    "%d = fuse.sub %a, %m : X, R -> X\n"
    "%q = fuse.mul %d, %d : X\n"
    "%v = fuse.reduce mean %q dims = [1] keep : X -> R\n"
    "%y = fuse.mul %d, %v : X, R -> X",
    "exp": "%y = fuse.softmax %a dims = [1] : X",
    "quantize": "%m = fuse.reduce max %a dims = [1] keep : X -> R\n"
    "%d = fuse.div %a, %m : X, R -> X\n"
    "%y = fuse.cast %d : X -> Q",
    "all rows": "%m = fuse.reduce max %a dims = [1] keep : X -> R\n"
    "%y = fuse.reduce max %m dims = [0] keep : R -> S",
    "columns": "%m = fuse.reduce max %a dims = [1] keep : X -> R\n"
    "%d = fuse.sub %a, %m : X, R -> X\n"
    "%y = fuse.reduce sum %d dims = [0] : X -> W",
    "columns of two": "%p = fuse.mul %a, %b : X\n"
    "%m = fuse.reduce max %p dims = [1] keep : X -> R\n"
    "%d = fuse.sub %p, %m : X, R -> X\n"
    "%y = fuse.reduce sum %d dims = [0] : X -> W",
}
RESULTS = {"once": "R", "quantize": "Q", "all rows": "S", "columns": "W"}
RESULTS["columns of two"] = "W"


def program(kind, element, length, rows):
    # 8-bit types are storage.
    computed = "f32" if element in ("f8E4M3FN", "i8") else element
    names = {
        "X": f"tensor<{rows}x{length}x{computed}>",
        "R": f"tensor<{rows}x1x{computed}>",
        "W": f"tensor<{length}x{computed}>",
        "S": f"tensor<1x1x{computed}>",
        "Q": f"tensor<{rows}x{length}xf8E4M3FN>",
    }
    given = f"tensor<{rows}x{length}x{element}>"
    inputs = ["a", "b"] if kind in ("two", "columns of two") else ["a"]
    body, result = BODIES[kind], RESULTS.get(kind, "X")
    if computed != element:
        casts = [f"%{name} = fuse.cast %{name}0 : {given} -> X\n" for name in inputs]
        body = "".join(casts) + body
        inputs = [f"{name}0" for name in inputs]
    arguments = [f"%{name}: {given}" for name in inputs]
    arguments += ["%w: W"] if kind == "two" else []
    text = f"({', '.join(arguments)}) -> {result} {{\n{body}\nreturn %y : {result}\n}}"
    spelled = re.sub(r"\b[XRWQS]\b", lambda name: names[name[0]], text)
    return f"func.func @rows{spelled}\n"


def refusal(tool, case):
    kind, element, length, (rows, chip, size) = case
    options = f"chip={chip} size={size}"
    passes = [f"-fuse-form=chip={chip}", f"-fuse-schedule={options}"]
    done = subprocess.run(
        [tool, "-", *passes, f"-fuse-lower={options}", "-o", "/dev/null"],
        input=program(kind, element, length, rows),
        capture_output=True,
        text=True,
        check=False,
    )
    return f"{case}: {done.stderr}" if done.returncode else None


def main():
    tool, stride = sys.argv[1], int(sys.argv[2])
    cases = list(itertools.product(BODIES, TYPES, LENGTHS, CALLS))[::stride]
    with ThreadPoolExecutor() as pool:
        refused = list(filter(None, pool.map(lambda case: refusal(tool, case), cases)))
    print("".join(refused), end="")
    print(f"{len(cases)} kernels, {len(refused)} refused")


if __name__ == "__main__":
    main()
