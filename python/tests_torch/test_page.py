# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The blocks of docs/torch.md, run in order."""

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "torch.md"


def test_the_blocks_run(tmp_path):
    blocks = re.findall(
        r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL
    )
    assert len(blocks) == 5
    script = tmp_path / "page.py"
    script.write_text("\n".join(blocks))
    result = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    shown = re.search(
        r"^```text\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL
    )[1]
    for line in shown.splitlines():
        assert line.removesuffix("...").strip() in result.stdout, result.stdout
