# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of results, compressed where their name ends in .xz."""

import json
import lzma


def _is_packed(path):
    return path.suffix == ".xz"


def read_json(path):
    data = path.read_bytes()
    return json.loads(lzma.decompress(data) if _is_packed(path) else data)


def write_text(path, text):
    data = text.encode()
    preset = 9 | lzma.PRESET_EXTREME
    path.write_bytes(lzma.compress(data, preset=preset) if _is_packed(path) else data)
