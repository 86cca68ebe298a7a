# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tool that tries architectures of transformers; these only where that is installed."""

import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parents[2] / "tools/bench/cover_models.py"


def cover(*arguments):
    command = [sys.executable, str(TOOL), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_an_unknown_architecture_is_an_error():
    result = cover("--only", "llama,lama")
    assert result.returncode == 1
    assert result.stderr == "expected architectures of the list, but got lama\n"


def test_one_architecture_is_right():
    pytest.importorskip("transformers")
    result = cover("--only", "gpt_neox")
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.endswith("1 of 1 architectures are right\n")
