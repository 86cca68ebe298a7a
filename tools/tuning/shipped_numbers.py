# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What models have from measurements, as ModelNumbers.h includes it: a line of
include/fuse/Target/Numbers is FUSE_NUMBER(model, name, value, "unit", "what it is"). Whole
numbers are counts; all others have a point or an exponent."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "include" / "fuse" / "Target" / "Numbers"
LINE = re.compile(r'^FUSE_NUMBER\((\w+), (\w+), ([^,"]+), "(.*)", "(.*)"\)$', re.M)


def path_of(model):
    return FOLDER / f"{model[0].upper()}{model[1:]}.inc"


def read(path):
    """The numbers by name."""
    return {name: float(value) for _, name, value, *_ in LINE.findall(path.read_text())}


def of(model):
    return read(path_of(model))


def counts(path):
    """The names of whole numbers."""
    return {
        name for _, name, value, *_ in LINE.findall(path.read_text()) if value.isdigit()
    }


def powers(path):
    """The names of powers of two."""
    return {
        name for _, name, _, unit, _ in LINE.findall(path.read_text()) if "2^n" in unit
    }


def text_of(value, is_count=False):
    if is_count:
        return str(round(value))
    text = f"{value:.4g}"
    return text if "." in text or "e" in text else f"{text}.0"


def write(path, numbers):
    """Other values in place of those that the file has; all else stays."""
    whole = counts(path)

    def line(found):
        model, name, value, unit, text = found.groups()
        if name in numbers:
            value = text_of(numbers[name], name in whole)
        return f'FUSE_NUMBER({model}, {name}, {value}, "{unit}", "{text}")'

    path.write_text(LINE.sub(line, path.read_text()))
