# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of numbers that a fit writes and a source includes: FUSE_X_NUMBER(name, value) a
line, and the macro's #undef at the end."""

import re


def read(path):
    """The numbers by name."""
    lines = re.findall(r"^FUSE_\w+_NUMBER\((\w+), (.*)\)$", path.read_text(), re.M)
    return {name: float(value) for name, value in lines}


def write(path, numbers):
    """Other numbers in place of those that the file has; what is before them stays."""
    text = path.read_text()
    macro = re.search(r"^(FUSE_\w+_NUMBER)\(", text, re.M)[1]
    head = text.partition(f"\n{macro}")[0]
    lines = [f"{macro}({name}, {value:.4g})" for name, value in numbers.items()]
    path.write_text("\n".join([head, *lines, "", f"#undef {macro}", ""]))
