# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tree is as CONTRIBUTING.md describes it."""

import subprocess
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MOST_LINES = 600
# A bundle's runtime is one file of C that users compile.
LONG = {"lib/Bundle/fuse_bundle.c"}


def tracked(*patterns):
    command = ["git", "ls-files", "--", *patterns]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("git is not installed")
    if listed.returncode != 0:
        pytest.skip("not a clone")
    return [name for name in listed.stdout.splitlines() if (ROOT / name).exists()]


def test_no_two_sources_have_one_name():
    names = Counter(Path(name).name for name in tracked("lib/*.cpp"))
    assert [name for name, count in names.items() if count > 1] == []


def test_files_are_short():
    sources = tracked("*.cpp", "*.h", "*.c", "*.td", "*.py", "*.sh")
    assert sources
    long = {
        name for name in sources if (ROOT / name).read_bytes().count(b"\n") > MOST_LINES
    }
    assert long <= LONG
