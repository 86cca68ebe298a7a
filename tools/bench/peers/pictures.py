# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SVG files that say of which data they are. Drawing needs matplotlib; to ask whether a
file shows the data of today does not.
"""

import hashlib
import json


def _digest(data):
    return "digest " + hashlib.sha256(json.dumps(data).encode()).hexdigest()[:16]


def shows(path, data):
    """Whether the file is there and was drawn from `data`."""
    return path.exists() and _digest(data) in path.read_text()


def begin():
    try:
        import matplotlib
    except ImportError as error:
        raise SystemExit(
            f"expected matplotlib, to draw pictures, but got: {error}; "
            "'.venv/bin/pip install matplotlib'"
        ) from error

    matplotlib.use("Agg")
    # The same file for the same data, with letters that stay letters.
    matplotlib.rcParams["svg.hashsalt"] = "fuse"
    matplotlib.rcParams["svg.fonttype"] = "none"


def save(figure, path, data):
    from matplotlib import pyplot

    figure.savefig(path, metadata={"Date": None, "Description": _digest(data)})
    pyplot.close(figure)
    # matplotlib leaves spaces at the ends of lines.
    lines = [line.rstrip() for line in path.read_text().splitlines()]
    path.write_text("\n".join(lines) + "\n")
