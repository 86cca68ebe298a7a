"""What a deliberate fault is, see __init__.py."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    name: str
    file: str
    old: str
    new: str
    tests: str


def of_file(file, tests, *changes):
    """The faults of one file that the same tests should notice."""
    return [Mutant(name, file, old, new, tests) for name, old, new in changes]
