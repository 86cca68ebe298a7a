# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cases of a designed sweep: families, lengths of rows, element types, and which of
them are held out, so that no fit has seen them. Nothing here needs torch or a GPU."""

import dataclasses
import hashlib
import json
import math
from pathlib import Path

from bench.peers import chains, grid

from tuning import column_cases

MANIFEST = Path(__file__).with_name("held-out.json")

# How often a family is drawn. Chains share what is left.
ROWS = {
    "softmax": 2.2,
    "rms_norm": 2.2,
    "add+rms_norm": 2.0,
    "layer_norm": 2.2,
    "logsumexp": 1.5,
    "cross_entropy": 1.5,
    "quantize_f8": 2.0,
    "mean_cross_entropy": 0.6,
    "rms_norm_backward": 1.2,
    **{family.name: 0.4 for family in chains.FAMILIES},
}
COLUMNS = {
    "column_sum": 3,
    "sum": 1,
    **{family.name: 1 for family in column_cases.FAMILIES if family.name != "turned"},
}
ELEMENTS = {
    "gelu": 1,
    "swiglu": 1,
    "bias+gelu+residual": 1,
    "rope_interleaved": 0.5,
    "rope_qk": 0.5,
    "turned": 3,
}
SETS = {"rows": ROWS, "columns": COLUMNS, "elements": ELEMENTS}
DTYPES = {"bf16": 0.58, "f32": 0.36, "f16": 0.06}
# Elements of a row: from, to, and how often.
LENGTHS = (
    (8, 320, 0.22),
    (320, 2048, 0.2),
    (2048, 16384, 0.34),
    (16384, 65536, 0.14),
    (65536, 262144, 0.1),
)
# Multiples that a length is, and how often; 0 for powers of two.
MULTIPLES = ((1024, 0.18), (128, 0.22), (8, 0.2), (2, 0.13), (1, 0.17), (0, 0.1))
# Bytes of a call: from, to. A case has one of each row.
SIZES = (
    ((96e3, 1e6), (1.1e6, 8e6)),
    ((9e6, 50e6), (50e6, 200e6)),
    ((220e6, 520e6),),
)
# Calls of no more bytes are timed in CUDA graphs, since events are too coarse.
GRAPH_BYTES = 2e6
# Gradients keep sums of their columns in registers; heads have these sizes.
MOST_COLUMNS = {"rms_norm_backward": 16384}
HEADS = {"rope_interleaved", "rope_qk"}


@dataclasses.dataclass(frozen=True)
class DesignedCase:
    family: str
    dtype: str
    columns: int
    held_out: bool

    def make(self, rows):
        return case_of(self.family, self.dtype, rows, self.columns)

    @property
    def row_bytes(self):
        """What one row more makes a call move."""
        return self.make(4096).bytes - self.make(4095).bytes

    def rows_of(self, size):
        return max(1, round(size / self.row_bytes))


def case_of(family, dtype, rows, columns):
    known = (*grid.FAMILIES, *chains.FAMILIES, *column_cases.FAMILIES)
    found = next(each for each in known if each.name == family)
    return found.make(dtype, rows, columns)


def manifest():
    return json.loads(MANIFEST.read_text())


def is_held_out(family, columns, held):
    """Whether no fit may see the case: by its family, or by its length, of which one in
    six is held out for all families, by a hash that nobody chose."""
    digest = hashlib.sha256(f"{held['salt']} {columns}".encode()).digest()
    return family in held["families"] or digest[0] % held["one_in"] == 0


def _pick(random, weighted):
    names, weights = zip(*weighted)
    return random.choices(names, weights)[0]


def _length(random):
    low, high = _pick(random, [((low, high), part) for low, high, part in LENGTHS])
    number = math.exp(random.uniform(math.log(low), math.log(high)))
    multiple = _pick(random, MULTIPLES)
    if multiple == 0:
        return 2 ** max(3, min(18, round(math.log2(number))))
    if number < 4 * multiple:
        multiple = random.choice((1, 2, 8))
    return max(8, round(number / multiple) * multiple)


def draw(random, count, weights=ROWS):
    """So many different cases, in an order in which every family comes early."""
    held, seen, found = manifest(), set(), []
    while len(found) < count:
        family = _pick(random, weights.items())
        dtype = _pick(random, DTYPES.items())
        columns = _length(random)
        if family in HEADS:
            columns = random.choice((64, 128, 256))
        if columns > MOST_COLUMNS.get(family, columns):
            continue
        if family in ("rms_norm_backward", "mean_cross_entropy", "sum"):
            dtype = "f32" if dtype == "f32" else "bf16"
        key = (family, dtype, columns)
        if key in seen:
            continue
        seen.add(key)
        found.append(DesignedCase(*key, is_held_out(family, columns, held)))
    return found


def draw_sizes(random, case):
    """[rows, "events" or "graph"] of a small call, a middling one and a large one."""
    sizes = []
    for ranges in SIZES:
        low, high = random.choice(ranges)
        rows = case.rows_of(math.exp(random.uniform(math.log(low), math.log(high))))
        moved = rows * case.row_bytes
        if [rows, "events"] not in sizes and moved <= 700e6:
            sizes.append([rows, "graph" if moved <= GRAPH_BYTES else "events"])
    return sizes
