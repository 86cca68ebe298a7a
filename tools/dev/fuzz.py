"""Random programs against the oracle: `fuse run --verify` on each.

A program passes when every output is within the oracle's bound. One whose
output the oracle cannot bound at all (a product of a thousand factors, say) is
counted apart. A wrong one is kept in the folder --keep, and the exit status is 1.

    python3 tools/dev/fuzz.py --count 500
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import random_program

UNBOUNDED = "every element could be anything"


def run(fuse, target, folder, seed):
    """The verdict on one program and, if it is wrong, what was printed."""
    text, dims = random_program.generate(seed)
    path = pathlib.Path(folder) / f"random_{seed}.mlir"
    path.write_text("".join(f"// --dim {n}={s}\n" for n, s in dims.items()) + text)
    command = [fuse, "run", path, "--target", target, "--verify", "--repeat", "1"]
    for name, size in dims.items():
        command += ["--dim", f"{name}={size}"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=120, check=False
        )
    except subprocess.TimeoutExpired:
        return "wrong", "no end after 120 s"
    if done.returncode == 0:
        path.unlink()
        return "right", ""
    errors = [line for line in done.stderr.splitlines() if line.startswith("error")]
    if errors and all(UNBOUNDED in line for line in errors):
        path.unlink()
        return "unbounded", ""
    return "wrong", "\n".join(errors) or f"exit status {done.returncode}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument(
        "--seed", type=int, help="of the first program; fresh without it"
    )
    parser.add_argument("--fuse", default="build/bin/fuse")
    parser.add_argument("--target", default="cpu")
    parser.add_argument(
        "--keep", default=tempfile.gettempdir(), help="folder of wrong programs"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    seed = random.randrange(1 << 30) if options.seed is None else options.seed
    print(f"programs {seed} to {seed + options.count - 1}")

    verdicts = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = {
            pool.submit(run, options.fuse, options.target, options.keep, seed + i): seed
            + i
            for i in range(options.count)
        }
        for future in concurrent.futures.as_completed(runs):
            verdict, message = future.result()
            verdicts[verdict] += 1
            if verdict == "wrong":
                print(f"random_{runs[future]}.mlir in {options.keep}: {message}")
    print(
        ", ".join(
            f"{verdicts[each]} {each}" for each in ("right", "unbounded", "wrong")
        )
    )
    return 1 if verdicts["wrong"] or not verdicts["right"] else 0


if __name__ == "__main__":
    sys.exit(main())
