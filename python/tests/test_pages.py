# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pages: what is made of results, what stands in two places, and how long they may be."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from bench.peers import bars, grid, summary
from dev import generate_pages
from dev.pages import blocks, overview

ROOT = generate_pages.ROOT
DOCS = ROOT / "docs"
GENERATED = {"dialect.md", "passes.md", "reasons.md"}
PAGES = sorted(path for path in DOCS.rglob("*.md") if path.name not in GENERATED)
MOST_WORDS = {"performance.md": 1000, "Rationale.md": 3000}
# With the pages of torch, of tensor cores, of attention, of fusion, of a block and of bundles.
MOST_WORDS_OF_ALL = 29500


@pytest.fixture(name="results", scope="module")
def fixture_results():
    return blocks.Results(generate_pages.RESULTS)


def words(path):
    """Those that are read; tables of results are looked up."""
    text = re.sub(r"<!-- from results.*?<!-- end -->", "", path.read_text(), flags=re.S)
    return len(text.split())


@pytest.mark.skipif(not shutil.which("llvm-config-22"), reason="no mlir-tblgen")
def test_pages_fit_the_definitions():
    check = [ROOT / "tools" / "dev" / "generate-docs.sh", "--check"]
    run = subprocess.run(check, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr + run.stdout


def test_pages_fit_the_results(results):
    assert generate_pages.stale_pages(results) == []


def test_pictures_fit_the_results(results):
    assert generate_pages.stale_pictures(results) == []


def test_another_time_makes_pages_and_pictures_stale(results):
    other = blocks.Results(results.folder)
    first = {**results.grid[0], "fuse_us": 2 * results.grid[0]["fuse_us"]}
    other.grid = [first, *results.grid[1:]]
    stale = {path.name for path in generate_pages.stale_pages(other)}
    assert {"README.md", "performance.md"} <= stale
    assert len(generate_pages.stale_pictures(other)) >= 3


def test_drawing_without_matplotlib_is_refused(results, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(SystemExit, match="expected matplotlib, to draw pictures"):
        overview.draw(results.cases, tmp_path)


def test_a_block_that_does_not_exist_is_refused(results):
    text = "<!-- from results: sped -->\n<!-- end -->"
    with pytest.raises(SystemExit, match="expected a block of .*, but got 'sped'"):
        generate_pages.filled(text, results)


def case(share=1.0, ratio=1.0, **changes):
    values = {"family": "softmax", "set": "stream", "dtype": "bf16", "shape": (8, 64)}
    values |= {"bytes": 1 << 29, "share": share, "ratio": ratio, "peer": "triton"}
    return summary.Case(**(values | changes))


def test_a_family_is_a_median_and_a_worst_case():
    cases = [case(0.9, 1.2), case(1.0, 0.96), case(0.99, None, peer=None)]
    cases.append(case(0.5, 2.0, bytes=1 << 20))
    assert summary.family_table(cases)[2] == (
        "| softmax | 4 | 99% | 90% | 50% | 50% | 1.20 | 0.96 |"
    )
    found = summary.totals(cases)
    assert (found.compared, found.ahead, found.behind) == (3, 2, 1)


def test_the_fastest_peer_of_both_files_counts():
    base = {"family": "softmax", "set": "stream", "dtype": "bf16", "shape": [8, 64]}
    base |= {"bytes": 1, "fuse_us": 10.0, "copy_us": 9.0}
    one = {**base, "best_peer": "triton", "best_peer_us": 12.0}
    other = {**base, "fuse_us": 20.0, "best_peer": "compile-max", "best_peer_us": 22.0}
    (found,) = summary.compare([one], [other])
    assert (found.share, found.peer) == (0.9, "compile-max")
    assert found.ratio == pytest.approx(1.1)
    (alone,) = summary.compare([{**base, "best_peer_us": None}], [])
    assert alone.ratio is None


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_pages_are_short(path):
    most = MOST_WORDS.get(path.name)
    assert most is None or words(path) <= most


def test_all_pages_together_are_short():
    assert sum(map(words, PAGES)) <= MOST_WORDS_OF_ALL


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_microseconds_and_commits_are_elsewhere(path):
    """Times are in performance.md and results/; what a commit did, in git."""
    text = re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL)
    assert not re.search(r"\bcommits? [0-9a-f]{7}\b", text)
    # What a call costs the host is told where calls are explained, too.
    if path.name not in ("performance.md", "python.md"):
        assert not re.search(r"\d (us|microseconds)\b", text)


def test_bench_names_the_sets_of_the_grid():
    text = (DOCS / "bench.md").read_text()
    assert set(re.findall(r"^\| (\w+) \| .* \| (?:events|graph)", text, re.M)) == set(
        grid.SETS
    )


def libraries_that_may_be_used():
    """{library: those that it may use} by docs/architecture.md; None is all."""
    text = (DOCS / "architecture.md").read_text()
    table = text.partition("| library |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (\w+) \|[^|]*\|[^|]*\|([^|]*)\|$", table, re.M)
    may = {}
    for name, used in rows:
        names = [each for each in used.strip().split(", ") if each]
        may[name] = None if names == ["all above"] else set(names)
    return may


def test_libraries_use_what_the_architecture_allows():
    may = libraries_that_may_be_used()
    linked = {}
    for path in (ROOT / "lib").rglob("CMakeLists.txt"):
        text = path.read_text()
        name = re.search(r"(?:fuse_add_library|add_library)\(Fuse(\w+)", text)
        used = re.search(r"\n\s+FUSE ((?:Fuse\w+\s+)+)", text)
        if name:
            uses = used.group(1).split() if used else []
            linked[name.group(1)] = {each.removeprefix("Fuse") for each in uses}
    assert set(linked) == set(may)
    for name, uses in linked.items():
        assert may[name] is None or uses <= may[name], name


def targets_in_the_code():
    """{chip: (its default board, PTX version)}; chips start from each other."""
    folder = ROOT / "lib" / "Target"
    boards = {}
    for path in (folder / "Boards").glob("*.json"):
        board = json.loads(path.read_text())
        assert board["name"] == path.stem
        for chip in board.get("default_for", []):
            assert chip not in boards
            boards[chip] = board["title"]
    text = (folder / "GPUTarget.cpp").read_text()
    found, versions = {}, {}
    for name, body in re.findall(
        r"constexpr GPUTarget make(SM\w+)\(\) \{(.*?)\n\}", text, re.S
    ):
        base = re.search(r"t = make(SM\w+)\(\)", body)
        chip = re.search(r't\.chip = "(\w+)"', body).group(1)
        version = re.search(r"t\.ptxVersion = (\d+)", body)
        versions[name] = int(version.group(1)) if version else versions[base.group(1)]
        found[chip] = (boards[chip], versions[name])
    return found


def test_supported_gpus_are_those_of_the_code():
    table = {}
    text = (DOCS / "supported.md").read_text()
    for row in re.findall(r"^\| (`sm_.*) \|$", text, re.M):
        chips, board, version = row.split(" | ")[:3]
        for chip in re.findall(r"`(\w+)`", chips):
            table[chip] = (board, int(version.replace(".", "")))
    assert table == targets_in_the_code()


def rows_of(path, first):
    """The cells of the table whose first header is `first`."""
    table = path.read_text().partition(f"| {first} |")[2].partition("\n\n")[0]
    lines = [line for line in table.splitlines()[2:] if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_bounds_of_functions_are_those_that_tests_assert():
    text = (ROOT / "unittests" / "Conversion" / "MathHarness.cpp").read_text()
    function = r'\{"(\w+)", \d, .*?,\s+([\d.]+), ([\d.]+), [\d.]+\}'
    asserted = {
        "pow" if name == "powf" else name: (float(f32), float(f64))
        for name, f32, f64 in re.findall(function, text, re.DOTALL)
    }
    rows = rows_of(DOCS / "math.md", "function")
    stated = {row[0]: (float(row[1]), float(row[3])) for row in rows}
    del stated["sin, cos of turns"]
    assert stated == asserted
    for name, f32, seen32, f64, seen64, *_ in rows[:-1]:
        assert float(seen32) <= float(f32) and float(seen64) <= float(f64), name


def test_roundings_are_those_of_the_reference():
    text = (ROOT / "lib" / "Reference" / "Bounded.cpp").read_text()
    ulps = {
        name: float(value)
        for name, value in re.findall(
            r"static constexpr double (\w+) = ([\d.]+);", text.partition("}")[0]
        )
    }
    names = {"log": "logarithm", "sin": "circular", "add": "correct"}
    for ops, value in rows_of(DOCS / "numerics.md", "operation | ULP"):
        op = ops.split(", ")[0]
        if op != "neg":
            stated = re.match(r"[\d.]+", value).group()
            assert float(stated) == ulps[names.get(op, op)], ops


def test_every_op_is_in_the_index():
    known = re.findall(r"^### `fuse\.(\w+)`", (DOCS / "dialect.md").read_text(), re.M)
    listed = re.findall(r"\[(\w+)\]\(dialect\.md#fuse", (DOCS / "ops.md").read_text())
    assert sorted(listed) == sorted(known)


@pytest.mark.parametrize(
    "command, page",
    [
        ("run", "driver.md"),
        ("inspect", "driver.md"),
        ("bench", "bench.md"),
        ("compile", "bundles.md"),
    ],
)
def test_the_usage_on_a_page_is_that_of_the_driver(command, page):
    driver = Path(os.environ.get("FUSE_BUILD_DIR", ROOT / "build"), "bin", "fuse")
    if not driver.exists():
        pytest.skip("the driver is not built here")
    help_text = subprocess.check_output([driver, command, "--help"], text=True)
    known = set(re.findall(r"^  --([\w-]+)", help_text, re.M)) - {"help", "help-list"}
    blocks_ = re.findall(r"^```\n(.*?)^```", (DOCS / page).read_text(), re.M | re.S)
    usage = next(each for each in blocks_ if each.startswith(f"fuse {command} FILE"))
    shown = set(re.findall(r"--([\w-]+)", usage))
    # The emulator's seed says nothing where nothing runs.
    assert shown | {"emu-seed"} == known | {"emu-seed"}


def test_the_steps_of_a_contraction_are_those_of_its_ptx(tmp_path):
    text = (DOCS / "tensor-cores.md").read_text()
    driver = Path(os.environ.get("FUSE_BUILD_DIR", ROOT / "build"), "bin", "fuse")
    if not driver.exists():
        pytest.skip("the driver is not built here")
    program = tmp_path / "linear.mlir"
    program.write_text(re.search(r"```mlir\n(func.func @linear.*?)```", text, re.S)[1])
    command = [driver, "inspect", program, "--chip", "sm_90a", "--emit=ptx"]
    ptx = subprocess.check_output(command, text=True)
    table = text.partition("| step | PTX | SASS |")[2].partition("\n\n")[0]
    steps = re.findall(r"^\| \w+\?? \| `(\S+) ", table, re.M)
    assert len(steps) == 5
    assert [s for s in steps if not re.search(rf"{re.escape(s)}\s", ptx)] == []


# A number of a page, and the file that it is of: what stands around both.
SAME_NUMBERS = [
    ("testing.md", r"runs ([\d,]+) programs", "test/Random/cpu.test", r"--count (\d+)"),
    (
        "testing.md",
        r"compiles (\d+) and",
        "test/Random/compiled.test",
        r"--count (\d+)",
    ),
    (
        "testing.md",
        r"lowers (\d+) ",
        "test/Random/lowered.test",
        r"--count (\d+)",
    ),
    ("testing.md", r"Fuzz` runs ([\d,]+)", "test/Fuzz/text.test", r"--count (\d+)"),
    (
        "testing.md",
        r"([\d,]+) programs, one",
        "test/Rotary/grid.test",
        r"of (\d+) forms",
    ),
    ("status.md", r"scalings: ([\d,]+)", "test/Rotary/grid.test", r"of (\d+) forms"),
    ("testing.md", r"least (\d+)%", "tools/mutation/mutate.py", r"ENOUGH = 0\.(\d+)"),
    (
        "status.md",
        r"(\d+) kernels",
        "test/Examples/llama3_block.test",
        r"(\d+) kernels",
    ),
    (
        "driver.md",
        r"own \((\d+)\)",
        "include/fuse/Compiler/Options.h",
        r"lengths = (\d+)",
    ),
    ("tuning.md", r"with (\d+) candidates", "tools/fuse/Tuning.cpp", r"init\((\d+)\)"),
]


@pytest.mark.parametrize("page, there, source, here", SAME_NUMBERS)
def test_a_number_of_a_page_is_that_of_its_source(page, there, source, here):
    found = []
    for path, pattern in ((DOCS / page, there), (ROOT / source, here)):
        match = re.search(pattern, " ".join(path.read_text().split()))
        assert match, f"expected {pattern} in {path}"
        found.append(int(match.group(1).replace(",", "")))
    assert found[0] == found[1]


def test_every_pass_is_among_the_stages():
    known = set(
        re.findall(r"^### `-(fuse-[\w-]+)`", (DOCS / "passes.md").read_text(), re.M)
    )
    table = (DOCS / "pipelines.md").read_text().partition("| stage | pass |")[2]
    listed = re.findall(r"`(fuse-[\w-]+)`", table.partition("\n\n")[0])
    assert known and sorted(listed) == sorted(known)


def test_what_chains_cost_is_as_measured(results):
    shares = [
        bars.percent_of(entry)
        for entry in results.compiled
        if entry["family"] == "layer_norm_gelu_layer_norm" and entry["dtype"] == "bf16"
    ]
    row = f"in 16 bits | {min(shares):.0f} to {max(shares):.0f}% of a copy"
    assert row in (DOCS / "status.md").read_text()
