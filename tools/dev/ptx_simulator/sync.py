# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What every chip feeds tensor cores with: cp.async in groups, and mma.sync.

Copies are carried out when their thread waits for them, as late as they may be.
"""

import numpy as np

from . import registers
from .text import PtxError

LANES = np.arange(32)
COPY_BYTES = 16


def _copies(warp):
    """Copies in no group yet, and the groups of the warp's lanes, oldest first."""
    if not hasattr(warp, "copies"):
        warp.copies, warp.copy_groups = [], []
    return warp.copies, warp.copy_groups


def _copy(warp, instruction, mask):
    to, source, size, *read = instruction.operands
    if int(size) != COPY_BYTES:
        raise PtxError(f"expected a copy of {COPY_BYTES} bytes, but got {size}")
    places, sources = warp.addresses(to), warp.addresses(source)
    counts = warp.bits(read[0], "u32") if read else np.full(32, COPY_BYTES)
    copies, _ = _copies(warp)
    for lane in np.nonzero(mask)[0]:
        count = int(counts[lane])
        if count > COPY_BYTES:
            raise PtxError(f"expected at most {COPY_BYTES} bytes, but got {count}")
        copies.append((int(places[lane]), int(sources[lane]), count))


def _commit(warp, instruction, mask):
    copies, groups = _copies(warp)
    warp.require_all(mask)
    groups.append(list(copies))
    copies.clear()


def _wait(warp, instruction, mask):
    _, groups = _copies(warp)
    warp.require_all(mask)
    while len(groups) > int(instruction.operands[0]):
        for place, source, count in groups.pop(0):
            shared, at = warp.block.shared.find(place, COPY_BYTES)
            shared[at : at + COPY_BYTES] = 0
            if count:
                memory = warp.machine.memory
                data, offset = memory.find(source, count, is_store=False)
                shared[at : at + count] = data[offset : offset + count]


def _matrix(warp, words, rows, kind):
    """[rows, 16] from registers of the lanes: of A four, of B two."""
    result = np.zeros((rows, 16), np.float32)
    for i, name in enumerate(words):
        word = warp.bits(name, "b32")
        half_rows, half_places = (i & 1, i >> 1) if rows == 16 else (0, i)
        for half in range(2):
            bits = (word >> np.uint32(16 * half) & np.uint32(0xFFFF)).astype(np.uint16)
            row = LANES // 4 + 8 * half_rows
            place = 2 * (LANES % 4) + 8 * half_places + half
            result[row, place] = registers.numbers(bits, kind)
    return result


def _multiply(warp, instruction, mask):
    warp.require_all(mask)
    results, a, b, sums = instruction.operands
    kind = instruction.parts[-2]
    products = _matrix(warp, a, 16, kind) @ _matrix(warp, b, 8, kind).T
    for i, (result, total) in enumerate(zip(results, sums, strict=True)):
        found = products[LANES // 4 + 8 * (i >> 1), 2 * (LANES % 4) + (i & 1)]
        value = (warp.numbers(total, "f32") + found).astype(np.float32)
        warp.set(result, value.view(np.uint32), mask)


HANDLERS = {
    "cp.async.cg.shared.global": _copy,
    "cp.async.commit_group": _commit,
    "cp.async.wait_group": _wait,
    "mma.sync.aligned.m16n8k16.row.col": _multiply,
}
