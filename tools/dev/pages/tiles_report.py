# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the model of tiles says beside what was measured, as a table.

The data are those that its numbers were fitted to, results/mma-sweep.json.xz: fit_mma_model.py
says how well a fit carries over to what it has not seen.
"""

import numpy as np
from bench.peers import summary
from tuning import fit_mma_model as model


def table(cases):
    """A line a number of rows: the schedule that is chosen over the fastest, and times."""
    tiles, numbers = model.Tiles(cases), model.shipped()
    losses = model.losses(tiles, numbers)
    chosen = model.choices(tiles, numbers)
    rows_of = 2 ** np.floor(np.log2(tiles.m[chosen]))
    ratios = 1e6 * model.predicted(tiles, numbers)[chosen] / tiles.times["us"][chosen]
    rows = []
    for count in sorted(set(rows_of)):
        at = rows_of == count
        low, middle, high = np.quantile(ratios[at], (0.1, 0.5, 0.9))
        rows.append(
            [int(count), int(at.sum())]
            + [f"{losses[at].mean():.2f}", f"{losses[at].max():.2f}"]
            + [f"{middle:.2f}", f"{low:.2f} to {high:.2f}"]
        )
    header = ("rows", "products", "chosen over fastest", "worst")
    return summary.table(
        (*header, "predicted over measured", "tenth to nine tenths"), rows
    )
