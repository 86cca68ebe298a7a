# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The list of deliberate faults fits the sources, so that `make mutate` runs."""

import re
from pathlib import Path

from mutation import mutants, mutate
from mutation.mutants import mma_sync, streamed, wgmma

ROOT = Path(__file__).resolve().parents[2]


def test_every_text_is_there_once():
    assert mutate.check(mutants.MUTANTS) == []


def test_every_mutant_changes_something():
    assert all(mutant.old != mutant.new for mutant in mutants.MUTANTS)


def test_the_page_counts_them():
    text = (ROOT / "docs" / "testing.md").read_text()
    table = text.partition("| there are | run |")[2].partition("\n\n")[0]
    counts = [
        [int(number) for number in re.findall(r"\| (\d+)\b", row)]
        for row in table.splitlines()[2:]
    ]
    lists = [mma_sync.MMA_SYNC, wgmma.WGMMA, streamed.STREAMED]
    assert [there for there, _, _ in counts] == [len(each) for each in lists]
    assert all(there >= run >= noticed for there, run, noticed in counts)


def test_groups_of_mutants_exist():
    """A group is a folder of unittests/, lit:FILTER, py:FILE, or random."""
    groups = {group for mutant in mutants.MUTANTS for group in mutant.tests.split()}
    files = [str(path.relative_to(ROOT / "test")) for path in ROOT.glob("test/**/*.*")]
    folders = {path.name for path in (ROOT / "unittests").iterdir()}
    for group in groups:
        kind, _, name = group.partition(":")
        if kind == "py":
            assert (ROOT / f"python/tests/{name}.py").exists(), group
        elif kind == "lit":
            assert any(file.startswith(name) for file in files), group
        elif kind not in ("random", "Regression"):
            assert group in folders, group
