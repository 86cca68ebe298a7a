# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of results, compressed where their name ends in .xz."""

import json
import lzma

from bench.peers import recorded_schedules


def _is_packed(path):
    return path.suffix == ".xz"


def read_text(path):
    """With schedules as they are written today."""
    data = path.read_bytes()
    text = (lzma.decompress(data) if _is_packed(path) else data).decode()
    return recorded_schedules.as_today(text)


def read_json(path):
    return json.loads(read_text(path))


def write_text(path, text):
    data = text.encode()
    preset = 9 | lzma.PRESET_EXTREME
    path.write_bytes(lzma.compress(data, preset=preset) if _is_packed(path) else data)
