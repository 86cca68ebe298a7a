"""Checks that the relative links of the repository's Markdown files lead somewhere."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
LINK = re.compile(r"\]\(([^)#\s]+)")


def pages():
    yield from ROOT.glob("*.md")
    yield from ROOT.glob("docs/**/*.md")


def broken(page):
    for target in LINK.findall(page.read_text()):
        if "://" not in target and not (page.parent / target).exists():
            yield f"{page.relative_to(ROOT)}: expected a file, but got '{target}'"


def main():
    problems = [problem for page in pages() for problem in broken(page)]
    sys.exit("\n".join(problems) or None)


if __name__ == "__main__":
    main()
