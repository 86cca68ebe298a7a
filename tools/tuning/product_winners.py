#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The winners of products of one row in a board's file, of sweeps alone: all else stays.

tools/tuning/product_winners.py results/few-rows-sweep.json.xz results/weights-sweep.json.xz --write lib/Schedule/Models/h200-rows.json
"""

import argparse
import functools
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools")]

from bench.peers import contraction_cases, quantized_cases  # noqa: E402
from tuning import schedule_samples, winners  # noqa: E402

# Kinds of weights in the names of quantized_cases, and the bytes of an element.
BYTES = {"int4": 0.5, "int8": 1, "f8": 1}


def kind_of(name):
    """(kind, whether it has scales of groups) of weights; None for those of two bytes."""
    words = name.split()
    kind = next((each for each in BYTES if each in words), None)
    return kind and (kind, "group" in words)


def keys_by(fuse_opt, chip):
    """Asks the compiler once for each kind."""

    @functools.cache
    def key_of_kind(kind, rows, length):
        if kind is None:
            case = contraction_cases.product("a", "", (1, rows, length))
        else:
            case = quantized_cases.weights("a", 1, rows, length, *kind, "weights")
        return schedule_samples.key_of(fuse_opt, chip, case.program)

    def key_of(name, rows, length):
        kind = kind_of(name)
        return key_of_kind(kind, rows, length), BYTES[kind[0]] if kind else 2

    return key_of


def winners_of(paths, fuse_opt, chip):
    return winners.products_of(winners.read_products(paths), keys_by(fuse_opt, chip))


def with_winners(text, found):
    """The file's text with these, too."""
    known = winners.from_json(json.loads(text))
    fields = winners.as_json({**known, **found})
    lines = text.split("\n")
    for number, line in enumerate(lines):
        for name, value in fields.items():
            if line.startswith(f'  "{name}": '):
                lines[number] = f'  "{name}": {json.dumps(value)},'
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("sweeps", type=Path, nargs="+")
    add("--fuse-opt", default=str(ROOT / "build" / "bin" / "fuse-opt"))
    add("--chip", default="sm_90")
    add("--write", type=Path, help="the board's file")
    arguments = parser.parse_args()
    found = winners_of(arguments.sweeps, arguments.fuse_opt, arguments.chip)
    for (key, length, level), schedule in sorted(found.items()):
        print(f"{key} {length} of size {level}: {schedule}")
    if arguments.write:
        text = arguments.write.read_text()
        arguments.write.write_text(with_winners(text, found))


if __name__ == "__main__":
    main()
