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


def _elements(word, kind):
    """The elements in a register of each lane, the lowest bits first."""
    if kind == "tf32":
        return [registers.from_tf32(word)]
    if kind in registers.FLOAT8:
        parts = [word >> np.uint32(8 * i) & np.uint32(0xFF) for i in range(4)]
        return [registers.from_float8(part, kind) for part in parts]
    parts = [word >> np.uint32(16 * i) & np.uint32(0xFFFF) for i in range(2)]
    return [registers.numbers(part.astype(np.uint16), kind) for part in parts]


def _matrix(warp, words, rows, kind):
    """[rows, 32 bytes] from registers of the lanes: of A four, of B two."""
    each = 4 if kind in registers.FLOAT8 else 1 if kind == "tf32" else 2
    result = np.zeros((rows, 8 * each), np.float32)
    for i, name in enumerate(words):
        half_rows, half_places = (i & 1, i >> 1) if rows == 16 else (0, i)
        row = LANES // 4 + 8 * half_rows
        first = each * (LANES % 4) + 4 * each * half_places
        for number, value in enumerate(_elements(warp.bits(name, "b32"), kind)):
            result[row, first + number] = value
    return result


def _multiply(warp, instruction, mask):
    warp.require_all(mask)
    results, a, b, sums = instruction.operands
    kinds = instruction.parts[-3:-1]
    products = _matrix(warp, a, 16, kinds[0]) @ _matrix(warp, b, 8, kinds[1]).T
    for i, (result, total) in enumerate(zip(results, sums, strict=True)):
        found = products[LANES // 4 + 8 * (i >> 1), 2 * (LANES % 4) + (i & 1)]
        value = (warp.numbers(total, "f32") + found).astype(np.float32)
        warp.set(result, value.view(np.uint32), mask)


def _multiply_eight(warp, instruction, mask):
    """m16n8k8 is of TF32 or of f64."""
    is_wide = instruction.parts[-1] == "f64"
    (_multiply_wide if is_wide else _multiply)(warp, instruction, mask)


def _multiply_wide(warp, instruction, mask):
    """Of f64: an element of a lane is for 8 rows, or columns, and 4 places."""
    warp.require_all(mask)
    results, a, b, sums = instruction.operands
    row_blocks = len(a) // len(b)
    rows, columns = (np.zeros((8 * n, 4 * len(b))) for n in (row_blocks, 1))
    for matrix, names, blocks in ((rows, a, row_blocks), (columns, b, 1)):
        for i, name in enumerate(names):
            place = 4 * (i // blocks) + LANES % 4
            matrix[8 * (i % blocks) + LANES // 4, place] = warp.numbers(name, "f64")
    products = rows @ columns.T
    for i, (result, total) in enumerate(zip(results, sums, strict=True)):
        found = products[LANES // 4 + 8 * (i >> 1), 2 * (LANES % 4) + (i & 1)]
        value = warp.numbers(total, "f64") + found
        warp.set(result, value.view(np.uint64), mask)


HANDLERS = {
    "cp.async.cg.shared.global": _copy,
    "cp.async.commit_group": _commit,
    "cp.async.wait_group": _wait,
    "mma.sync.aligned.m8n8k4.row.col": _multiply_wide,
    "mma.sync.aligned.m16n8k8.row.col": _multiply_eight,
    "mma.sync.aligned.m16n8k16.row.col": _multiply,
    "mma.sync.aligned.m16n8k32.row.col": _multiply,
}
