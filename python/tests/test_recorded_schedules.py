# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/bench/peers/recorded_schedules.py: results of before schedules had parts."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from bench.peers import packed, recorded_schedules
from tuning.schedule_text import PATTERN

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("FUSE_BUILD_DIR", ROOT / "build"))
ROWS = "threads = 64, vector = 8, rows_per_block = 1"
COLUMNS = "threads = 64, vector = 8, splits = 8"


@pytest.mark.parametrize(
    ("then", "today"),
    [
        (f"rows<{ROWS}, hold = cache>", f"rows<{ROWS}, hold = cache>"),
        (
            f"rows<{ROWS}, hold = registers, preload = true, least_blocks = 2, rows_per_thread = 2>",
            f"rows<{ROWS}, hold = registers<preload = true, rows_per_thread = 2>, least_blocks = 2>",
        ),
        (
            f"rows<{ROWS}, hold = shared, unroll = 2, in_registers = 1, preload = true, "
            "copy_groups = 1, blocks_per_row = 2, persistent = 4, stages = 3>",
            f"rows<{ROWS}, hold = shared<unroll = 2, in_registers = 1, preload = true, "
            "copy_groups = 1, stages = 3>, share = cluster<2>, persistent = 4>",
        ),
        (
            f"rows<{ROWS}, hold = loop, blocks_per_row = 264, whole_grid = true>",
            f"rows<{ROWS}, hold = loop, share = grid<264>>",
        ),
        # What is usual is left out, and so is what meant nothing.
        (
            f"rows<{ROWS}, hold = shared, preload = false>",
            f"rows<{ROWS}, hold = shared>",
        ),
        (
            f"rows<{ROWS}, hold = registers, unroll = 2>",
            f"rows<{ROWS}, hold = registers>",
        ),
        (
            f"columns<{COLUMNS}, unroll = 2, parts = 5, stages = 3, fold = 4>",
            f"columns<{COLUMNS}, hold = loop<unroll = 2, stages = 3>, share = parts<5>, fold = 4>",
        ),
        (
            f"columns<{COLUMNS}, blocks_per_column = 4, evict_first = true>",
            f"columns<{COLUMNS}, share = cluster<4>, evict_first = true>",
        ),
        (f"columns<{COLUMNS}>", f"columns<{COLUMNS}>"),
        ("mma<isa = wgmma, stages = 4>", "mma<isa = wgmma, stages = 4>"),
    ],
)
def test_a_schedule_is_written_as_today(then, today):
    text = '{{"us": 1, "schedule": "online #fuse.{}"}}'.format
    assert recorded_schedules.as_today(text(then)) == text(today)
    assert recorded_schedules.as_today(text(today)) == text(today)


def test_recorded_schedules_are_what_the_compiler_writes():
    """So that measured times are found by a choice of today."""
    built = BUILD / "bin" / "fuse-opt"
    fuse_opt = str(built) if built.is_file() else shutil.which("fuse-opt")
    assert fuse_opt, "expected fuse-opt in build/bin or on PATH; run `make test`"
    texts = set()
    for name in ("sweeps.json.xz", "rows-design.jsonl.xz", "grid.json.xz"):
        text = packed.read_text(ROOT / "results" / name)
        texts |= {each for each in re.findall(PATTERN, text)}
    texts = sorted(
        each for each in texts if each.startswith(("#fuse.rows", "#fuse.col"))
    )
    assert len(texts) > 10000
    program = f"func.func private @f() attributes {{s = [{', '.join(texts)}]}}"
    done = subprocess.run([fuse_opt], input=program, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr[:2000]
    assert re.findall(PATTERN, done.stdout) == texts


def test_results_are_read_as_today(tmp_path):
    path = tmp_path / "results.json.xz"
    packed.write_text(
        path, json.dumps([f"#fuse.rows<{ROWS}, hold = loop, stages = 3>"])
    )
    assert packed.read_json(path) == [f"#fuse.rows<{ROWS}, hold = loop<stages = 3>>"]
