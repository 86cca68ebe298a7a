# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The list of deliberate faults fits the sources, so that `make mutate` runs."""

from mutation import mutants, mutate


def test_every_text_is_there_once():
    assert mutate.check(mutants.MUTANTS) == []


def test_every_mutant_changes_something():
    assert all(mutant.old != mutant.new for mutant in mutants.MUTANTS)
