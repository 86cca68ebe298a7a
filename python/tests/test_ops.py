# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An op of the dialect is in every place where it is looked for."""

import itertools
import re
import sys
from pathlib import Path

from accuracy import op_accuracy
from fuse_compiler import lang

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
sys.path.append(str(ROOT / "tools" / "fuzz"))

from random_programs.generator import generate  # noqa: E402

# What make docs writes of each op.
OPS = dict(
    re.findall(
        r"^### `fuse\.(\w+)`(.*?)(?=^##|\Z)",
        re.sub(r"^####", "", (DOCS / "dialect.md").read_text(), flags=re.M),
        re.M | re.S,
    )
)
# Of one float, element by element.
FUNCTIONS = {
    op
    for op, text in OPS.items()
    if re.search(r"\$input attr-dict `:` custom<PointwiseTypes>", text)
    and re.search(r"^\| `input` \|.*\bf32\b", text, re.M)
    and "GeluForm" not in text
}
PRIMITIVES = {op for op in FUNCTIONS if "`Composite`" not in OPS[op]}


def rows(page, header):
    """The first cell of each row of a table, as names, and the other cells."""
    table = (DOCS / page).read_text().partition(f"| {header} |")[2]
    for line in table.partition("\n\n")[0].splitlines()[2:]:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        yield cells[0].split(", "), cells[1:]


def names(page, header):
    return set(itertools.chain.from_iterable(each for each, _ in rows(page, header)))


def test_every_schedule_is_in_the_index():
    dialect, index = ((DOCS / page).read_text() for page in ("dialect.md", "ops.md"))
    known = re.findall(r"^### (\w+ScheduleAttr)", dialect, re.M)
    listed = re.findall(r"\(dialect\.md#(\w+scheduleattr)\)", index)
    assert sorted(listed) == sorted(name.lower() for name in known)


def test_schedulers_are_asked_in_the_order_of_the_page():
    source = (ROOT / "lib" / "Schedule" / "Candidates.cpp").read_text()
    table = re.search(r"auto scheduler :\s+\{(.*?)\}", source, re.S).group(1)
    asked = [name.strip().removeprefix("propose") for name in table.split(",")]
    page = (DOCS / "pipelines.md").read_text()
    order = re.search(r"schedulers in this order: (.*) \|", page).group(1).split(", ")
    assert [name.title().replace(" ", "") for name in order] == asked


def test_functions_are_found():
    assert {"exp", "neg", "silu"} <= FUNCTIONS
    assert FUNCTIONS & {"gelu", "not", "add"} == set()
    assert "silu" not in PRIMITIVES


def test_random_programs_have_every_op():
    own = re.search(r"^\| the compiler's own \|.*", (DOCS / "ops.md").read_text(), re.M)
    missing = set(OPS) - set(re.findall(r"\[(\w+)\]", own.group()))
    for seed in range(4000):
        if not missing:
            break
        missing -= set(re.findall(r"\bfuse\.(\w+)", generate(seed).text()))
    assert not missing, "offer them in tools/fuzz/random_programs"


def test_every_function_is_offered_in_python():
    assert FUNCTIONS <= set(lang.__all__), "offer it in python/fuse_compiler/lang"


def test_every_function_has_a_measured_error():
    assert FUNCTIONS == set(op_accuracy.OPS), "tools/accuracy/op_accuracy.py"
    assert FUNCTIONS == names("math.md", "op | CPU: f32 | f64 | H200: f32")


def test_every_function_has_a_stated_rounding():
    assert PRIMITIVES <= names("numerics.md", "operation | ULP")


def test_measured_errors_are_within_the_bounds_that_tests_assert():
    for ops, (f32, f64, cuda) in rows("math.md", "op | CPU: f32 | f64 | H200: f32"):
        for op in ops:
            bound = op_accuracy.OPS[op]
            assert float(f32) <= bound.f32 and float(f64) <= bound.f64, op
            assert not cuda or float(cuda) <= bound.f32_cuda, op
