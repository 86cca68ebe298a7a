"""Checks that what the repository's pages and sources name is there.

Relative links of Markdown files lead to a file and, after "#", to a heading of it. Paths
on pages exist, and scripts that pages run can be run. What the changelog names as a test is
one. Pages and tools that comments and messages name exist.
"""

import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
LINK = re.compile(r"\]\(([^)\s]*)\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
SOURCES = ("include", "lib", "python", "test", "tools", "unittests")
FOLDERS = (*SOURCES, "cmake", "docs", "examples", "results")
# A path on a page; "*" stands for any name.
PATH = re.compile(rf"(?<![\w./$-])(?:{'|'.join(FOLDERS)})/[\w./*-]*[\w*]")
# In such a path, what stands for a file that the reader writes.
PLACEHOLDER = re.compile(r"NAME|LIBRARY|/X$")
COMMANDS = re.compile(r"^```(?:sh|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SCRIPT = re.compile(r"^(?:\$ )?(tools/[\w/.-]+)", re.MULTILINE)
# A page or a tool that a comment or a message speaks of.
MENTION = re.compile(
    r"\b(docs/[\w./-]*\w\.md|results/\w+\.json\.xz|tools/[\w./-]+\.(?:py|sh|json))\b"
)
SUFFIXES = {".h", ".cpp", ".td", ".py", ".sh", ".mlir"}
# In the changelog: what stands in parentheses, a test a name.
TEST = re.compile(r"`([\w./-]+)`")


def pages():
    for pattern in (
        "*.md",
        "docs/**/*.md",
        "results/*.md",
        "test/**/*.md",
        "tools/**/*.md",
    ):
        yield from ROOT.glob(pattern)


def anchors(text):
    """The fragments that GitHub gives the headings of a page."""
    for heading in HEADING.findall(FENCE.sub("", text)):
        plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        yield re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def broken(page):
    for link in LINK.findall(FENCE.sub("", page.read_text())):
        target, _, fragment = link.partition("#")
        if "://" in link:
            continue
        file = page.parent / target if target else page
        if not file.exists():
            yield f"{page.relative_to(ROOT)}: expected a file, but got '{link}'"
        elif fragment and fragment not in anchors(file.read_text()):
            yield f"{page.relative_to(ROOT)}: expected a heading, but got '{link}'"


def missing_paths(page):
    text = page.read_text()
    for path in sorted(set(PATH.findall(text))):
        if not PLACEHOLDER.search(path) and not any(ROOT.glob(path)):
            yield f"{page.relative_to(ROOT)}: expected a file, but got '{path}'"
    for path in SCRIPT.findall("".join(COMMANDS.findall(text))):
        if not os.access(ROOT / path, os.X_OK):
            yield f"{page.relative_to(ROOT)}: expected a script to run, but got '{path}'"


def mentions():
    for folder in SOURCES:
        for source in (ROOT / folder).rglob("*"):
            if source.suffix in SUFFIXES:
                for name in MENTION.findall(source.read_text(errors="replace")):
                    if not (ROOT / name).exists():
                        yield f"{source.relative_to(ROOT)}: expected a file, but got '{name}'"


def tests_of_the_changelog():
    text = (ROOT / "CHANGELOG.md").read_text()
    fixed = text.partition("### Fixed")[2].partition("### Known")[0]
    files = [path for path in (ROOT / "test").rglob("*") if path.is_file()]
    known = {path.name for path in files} | {path.stem for path in files}
    sources = [*(ROOT / "unittests").rglob("*.cpp")]
    for inside in re.findall(r"\(([^()]*`[^()]*)\)", fixed):
        for name in TEST.findall(inside):
            suite = re.match(r"(\w+Test|SizePolynomial)\b", name)
            is_there = Path(name).name in known or (ROOT / name).exists()
            if suite:
                is_there = any(suite.group(1) in path.read_text() for path in sources)
            if not is_there:
                yield f"CHANGELOG.md: expected a test, but got '{name}'"


def main():
    checks = (broken, missing_paths)
    problems = [each for page in pages() for check in checks for each in check(page)]
    problems += [*mentions(), *tests_of_the_changelog()]
    sys.exit("\n".join(problems) or None)


if __name__ == "__main__":
    main()
