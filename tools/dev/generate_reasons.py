#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints docs/reasons.md, made of include/fuse/Analysis/Reasons.def."""

import re
from pathlib import Path

DEFINITIONS = Path(__file__).resolve().parents[2] / "include/fuse/Analysis/Reasons.def"
TEXT = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'
ENTRY = re.compile(
    rf"^REASON(?:_SECTION\({TEXT}\)|\((\w+),\s*{TEXT},\s*{TEXT}\))", re.M
)

INTRODUCTION = """\
<!-- Made of include/fuse/Analysis/Reasons.def by tools/dev/generate_reasons.py -->

# Reasons

Why the compiler did not fuse, share a launch, read without a copy or with full width, and what
would change that. [Remarks](driver.md#remarks) have the sentence and the remedy, and the kind as
`Because` among their facts. A kind stands for itself wherever it is read: no tool needs the words.
"""


def joined(literals):
    """One text of adjacent C++ string literals."""
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals))


def reasons(text):
    """(section, kind, sentence, remedy) of each reason, in order."""
    section = None
    for title, kind, sentence, remedy in ENTRY.findall(text):
        if title:
            section = joined(title)
        else:
            yield section, kind, joined(sentence), joined(remedy)


def worded(text):
    """A detail's position as a letter, which reads better than its number."""
    return re.sub(r"\{(\d)\}", lambda place: "_" + "abc"[int(place[1])] + "_", text)


def page(text):
    lines, current = [INTRODUCTION], None
    for section, kind, sentence, remedy in reasons(text):
        if section != current:
            lines += [
                f"\n## {section}\n",
                "| kind | why | what to change |",
                "| --- | --- | --- |",
            ]
            current = section
        remedy = worded(remedy) or "as the cause says"
        lines.append(f"| `{kind}` | {worded(sentence)} | {remedy} |")
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


if __name__ == "__main__":
    print(page(DEFINITIONS.read_text()), end="")
