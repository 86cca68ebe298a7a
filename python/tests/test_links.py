# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What pages name exists: paths in the text, files and headings behind links."""

import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (
    "cmake",
    "docs",
    "examples",
    "include",
    "lib",
    "python",
    "results",
    "test",
    "tools",
    "unittests",
)
PAGES = sorted(
    page
    for page in [
        *ROOT.glob("*.md"),
        *(p for f in FOLDERS for p in ROOT.glob(f"{f}/**/*.md")),
    ]
    if ".pytest_cache" not in page.parts
)
# A path from the root of the repository; `*` stands for any name. What has a name in
# capitals, as lib/Schedule/NAME.cpp, is a place where the reader's own file goes.
PATH = re.compile(rf"(?<![\w./$-])(?:{'|'.join(FOLDERS)})/[\w./*-]*[\w*]")
PLACEHOLDER = re.compile(r"NAME|LIBRARY|/X$")
LINK = re.compile(r"\]\(([^)\s]+)\)")


def missing_paths(text):
    return [
        path
        for path in sorted(set(PATH.findall(text)))
        if not PLACEHOLDER.search(path) and not any(ROOT.glob(path))
    ]


def anchors(text):
    """The anchors that GitHub gives to headings; a repeated one is numbered."""
    found = set()
    for heading in re.findall(
        r"^#+ (.*)$", re.sub(r"```.*?```", "", text, flags=re.S), re.M
    ):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        first = anchor = re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")
        count = 0
        while anchor in found:
            count += 1
            anchor = f"{first}-{count}"
        found.add(anchor)
    return found | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


def broken_links(page, text):
    broken = []
    for link in LINK.findall(text):
        if re.match(r"\w+:", link):
            continue
        file, _, anchor = link.partition("#")
        target = page.parent / file if file else page
        if not target.exists():
            broken.append(link)
        elif anchor and target.suffix == ".md":
            if anchor not in anchors(target.read_text()):
                broken.append(link)
    return broken


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_names_exists(page):
    text = page.read_text()
    assert missing_paths(text) == []
    assert broken_links(page, text) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_scripts_that_a_page_runs_can_be_run(page):
    commands = "\n".join(
        re.findall(r"```(?:sh|console)\n(.*?)```", page.read_text(), re.S)
    )
    scripts = re.findall(r"^(?:\$ )?(tools/[\w/.-]+)", commands, re.M)
    assert [name for name in scripts if not os.access(ROOT / name, os.X_OK)] == []


def test_what_does_not_exist_is_found():
    text = (
        "`tools/nowhere.sh`, lib/*/Nowhere.cpp, lib/Target, [a](b.md), [c](README.md#d)"
    )
    assert missing_paths(text) == ["lib/*/Nowhere.cpp", "tools/nowhere.sh"]
    assert broken_links(ROOT / "README.md", text) == ["b.md", "README.md#d"]
