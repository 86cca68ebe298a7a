# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whose fault it was when the measuring process ended.

What is being run stands in a file. A process that finds it there is a successor: the
one before ended in that competitor of that case, which is then left out.
"""

import json

# In place of a competitor: all of them were right, and being timed.
TIMING = "timing"


class Blame:
    def __init__(self, folder):
        self._current = folder / "grid-current.json"
        self._past = folder / "grid-blamed.json"
        self._blamed = json.loads(self._past.read_text()) if self._past.exists() else []
        if self._current.exists():
            self._blamed.append(json.loads(self._current.read_text()))
            self._past.write_text(json.dumps(self._blamed))
            self._current.unlink()

    def suspects(self, case):
        """The competitors that an earlier process has ended in, in this case."""
        key = json.loads(json.dumps(case.key))
        return {name for blamed, name in self._blamed if blamed == key}

    def note(self, case, name):
        """This competitor comes next."""
        self._current.write_text(json.dumps([case.key, name]))

    def clear(self):
        """The case is done."""
        self._current.unlink(missing_ok=True)


def is_unfinished(folder):
    """Whether the process that measured there has ended in a case."""
    return (folder / "grid-current.json").exists()


def forget(folder):
    """Begins without blame."""
    for name in ("grid-current.json", "grid-blamed.json"):
        (folder / name).unlink(missing_ok=True)
