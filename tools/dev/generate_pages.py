#!/usr/bin/env python3
# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes what pages say of results/ from the files there.

    generate_pages.py            # writes results/README.md, blocks and pictures
    generate_pages.py --check    # fails if one of them does not fit

A block of a page stands between two comments:

    <!-- from results: NAME -->
    ...
    <!-- end -->

Pictures are drawn with matplotlib, and only if what they show has changed.
"""

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools")]

from bench.peers import plots  # noqa: E402
from dev.pages import blocks, overview, results_page  # noqa: E402

RESULTS = ROOT / "results"
IMAGES = ROOT / "docs" / "images"
# Those with blocks.
PAGES = (
    "README.md",
    "docs/performance.md",
    "docs/attention.md",
    "docs/torch.md",
    "docs/block.md",
    "docs/tensor-cores.md",
    "docs/performance-contractions.md",
    "docs/tuning.md",
)
BLOCK = re.compile(r"(<!-- from results: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(text, results):
    """The page's text with its blocks written anew."""

    def fill(match):
        begin, name, end = match.groups()
        if name not in blocks.BLOCKS:
            raise SystemExit(
                f"expected a block of {', '.join(blocks.BLOCKS)}, but got '{name}'; correct "
                "its name or add it to tools/dev/pages/blocks.py"
            )
        return begin + "\n".join(blocks.BLOCKS[name](results)) + "\n" + end

    return BLOCK.sub(fill, text)


def pages(results, root=ROOT):
    """{path: what should stand there}."""
    found = {root / name: filled((root / name).read_text(), results) for name in PAGES}
    page = "\n".join(results_page.markdown(results)) + "\n"
    return found | {root / "results" / "README.md": page}


def stale_pages(results, root=ROOT):
    return [
        path
        for path, text in pages(results, root).items()
        if not path.exists() or path.read_text() != text
    ]


def stale_pictures(results):
    return overview.stale(results.cases, IMAGES) + plots.stale(results.grid, RESULTS)


def check(results):
    """Complains of what does not fit; the exit status."""
    stale = stale_pages(results) + stale_pictures(results)
    for path in stale:
        print(
            f"docs: expected {path.relative_to(ROOT)} to fit the files in results/, but "
            "it does not; run 'make docs' and commit it",
            file=sys.stderr,
        )
    return 1 if stale else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    arguments = parser.parse_args()
    results = blocks.Results(RESULTS)
    if arguments.check:
        return check(results)
    for path, text in pages(results).items():
        path.write_text(text)
    if stale_pictures(results):
        overview.draw(results.cases, IMAGES)
        plots.draw(results.grid, RESULTS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
