# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cache of compiled code: processes that are killed, damaged files, a full disk.

Whatever happens to its files, what is loaded is right.
"""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from fuzz import stress_cache

ROOT = Path(__file__).resolve().parents[2]

# Compiles program after program, of numbers from the first on, and checks each.
SCRIPT = """
import sys, resource, signal, numpy
import fuse_compiler as fuse
first, count, limit = map(int, sys.argv[1:])
if limit:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
x = numpy.arange(64, dtype=numpy.float32)
for number in range(first, first + count):
    text = '''func.func @scale(%x: tensor<64xf32>) -> tensor<64xf32> {
  %c = fuse.constant dense<NUMBER.0> : tensor<f32>
  %y = fuse.mul %x, %c : tensor<64xf32>, tensor<f32>
  return %y : tensor<64xf32>
}'''.replace("NUMBER", str(number % 8 + 2))
    y = fuse.compile(text, target="cpu")(x)
    assert (y == x * (number % 8 + 2)).all(), number
    print(number, flush=True)
"""


def start(folder, first=0, count=8, limit=0, **environment):
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(first), str(count), str(limit)],
        env={
            **os.environ,
            "FUSE_CACHE_DIR": str(folder),
            "PYTHONPATH": str(ROOT / "python"),
            "PYTHONDONTWRITEBYTECODE": "1",
            **environment,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process):
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return len(out.splitlines())


def entries(folder):
    return [path for path in folder.iterdir() if path.name.startswith("llvmcache-")]


def test_processes_that_are_killed_and_damage_leave_nothing_wrong(tmp_path):
    """`tools/fuzz/stress_cache.py` has more of it."""
    state = stress_cache.stress(tmp_path, rounds=200, processes=4)
    assert state.wrong == []
    assert state.rounds >= 200 and state.killed and state.damaged


def test_flipped_bits_and_short_files_are_compiled_again(tmp_path):
    assert finish(start(tmp_path)) == 8
    files = entries(tmp_path)
    assert len(files) >= 8
    chance = random.Random(1)
    for number, path in enumerate(files):
        content = bytearray(path.read_bytes())
        if number % 4 == 0:
            content = content[: chance.randrange(len(content))]
        else:
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        path.write_bytes(content)
    assert finish(start(tmp_path)) == 8
    # And written anew.
    assert all(len(path.read_bytes()) > 40 for path in files)


@pytest.mark.parametrize("limit", [1, 100, 700])
def test_a_full_disk_costs_nothing_but_time(tmp_path, limit):
    """Files that cannot grow beyond some bytes."""
    assert finish(start(tmp_path, limit=limit)) == 8
    assert all(
        path.stat().st_size > limit for path in entries(tmp_path)
    ) or not entries(tmp_path)
    assert finish(start(tmp_path)) == 8


def test_a_folder_that_cannot_be_written_is_no_cache(tmp_path):
    path = tmp_path / "file"
    path.write_text("")
    assert finish(start(path)) == 8


def test_a_limit_that_is_no_number_is_refused(tmp_path):
    process = start(tmp_path, FUSE_CACHE_MIB="none")
    _, err = process.communicate(timeout=120)
    assert process.returncode != 0
    assert (
        "expected FUSE_CACHE_MIB to be a positive number of mebibytes, but got 'none'"
        in err
    )
    assert not entries(tmp_path)
