# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_reasons.py FILE.mlir... REMARKS: each function is named after a reason.

@otherRows, and @otherRows_2 where there are several, must be given that reason; @not_otherRows is a
program that nearly asks for it, and must not. @near_streamed must be given no reason whose kind
starts so. With --all, every reason of Reasons.def must have both in one of the files, or stand in one
of the lists below.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))
from dev import generate_reasons  # noqa: E402

# Reasons that another test shows, by the kind or by the sentence's start.
ELSEWHERE = {
    "recomputed": "test/Fusion/row-shapes.mlir",
    "tooManyReductions": "test/Fusion/long-chains.test",
    "acrossClusters": "test/Schedule/across-rows.mlir",
    "reductionNotAlongColumns": "unittests/Analysis/MmaSpaceTest.cpp",
    "mmaColumnOrders": "unittests/Analysis/MmaSpaceTest.cpp",
    "mmaFollowsReduction": "unittests/Analysis/MmaSpaceTest.cpp",
    "togetherFaster": "test/Schedule/detach-contractions.mlir",
    "noTensorCores": "test/Schedule/detach-contractions.mlir",
    "noContraction": "test/Conversion/lower-kernels-mma-invalid.mlir",
    "operandFaster": "test/Fusion/attach-operands.mlir",
    "operandSlower": "test/Fusion/attach-operands.mlir",
    "mmaComputedOperand": "test/Conversion/lower-kernels-mma-invalid.mlir",
    "tileBothLast": "test/Conversion/lower-kernels-invalid.mlir",
    "nothingReduced": "test/Conversion/lower-kernels-reasons-invalid.mlir",
    "noReducedDims": "test/Conversion/lower-kernels-reasons-invalid.mlir",
    "notOverLastDims": "test/Conversion/lower-kernels-reasons-invalid.mlir",
    "mmaNoProduct": "test/Conversion/lower-kernels-reasons-invalid.mlir",
    "contractionShapes": "test/Conversion/lower-kernels-reasons-invalid.mlir",
    "tileOneResult": "test/Conversion/lower-kernels-reasons-invalid.mlir",
    "tileReduces": "test/Conversion/lower-kernels-reasons-invalid.mlir",
    "streamedComputed": "test/Conversion/lower-kernels-reasons-invalid.mlir",
    "streamedBothFollow": "test/Conversion/lower-kernels-reasons-invalid.mlir",
    "streamedMaskReduced": "test/Conversion/lower-kernels-reasons-invalid.mlir",
    "streamedScoresNeeded": "test/Conversion/lower-kernels-reasons-invalid.mlir",
    "streamedRowResults": "test/Conversion/lower-kernels-reasons-invalid.mlir",
    "mmaReductionShapes": "unittests/Analysis/MmaSpaceTest.cpp",
    "streamedNotRead": "test/Conversion/lower-kernels-reasons-invalid.mlir",
    "streamedNoProduct": "test/Conversion/lower-kernels-reasons-invalid.mlir",
    "copyJoined": "test/Explain/copies.mlir",
    "copyReturned": "test/Explain/copies.mlir",
    "copyScattered": "test/Explain/copies.mlir",
    "copyMultiplied": "test/Explain/copies.mlir",
    "copyResultGiven": "test/Explain/copies-results.mlir",
    "copyResultRead": "test/Explain/copies-results.mlir",
    "copyResultScattered": "test/Explain/copies-results.mlir",
    "copyResultJoined": "test/Explain/copies-results.mlir",
    "copyResultSizes": "test/Explain/copies-results.mlir",
    "narrowRows": "test/tools/remarks.test",
    "narrowSchedule": "test/tools/remarks.test",
    "narrowOtherRows": "test/tools/remarks.test",
    "narrowTaken": "test/tools/remarks.test",
    "narrowTurned": "test/tools/remarks.test",
    "narrowShifted": "test/tools/remarks.test",
    "narrowUnaligned": "unittests/Explain/RemarksTest.cpp",
    "narrowRowsOfCall": "unittests/Explain/RemarksTest.cpp",
}


def functions(path):
    return re.findall(r"^ *func\.func @(\w+)\(", Path(path).read_text(), re.M)


def kind_of(function):
    return re.sub(r"_\d+$", "", function.removeprefix("not_"))


def given(remarks):
    """The reasons of each function, by remarks in MLIR's format."""
    found = {}
    for line in remarks.splitlines():
        function = re.search(r"\| Function=(\w+) \|", line)
        if function:
            kinds = re.findall(r"\b(?:Because|Cause)=\"?(\w+)", line)
            found.setdefault(function[1], set()).update(kinds)
    return found


def check(path, remarks):
    errors, seen = [], given(Path(remarks).read_text())
    for function in functions(path):
        kind, kinds = kind_of(function), seen.get(function, set())
        if function.startswith("near_"):
            wrong = any(
                each.startswith(function.removeprefix("near_")) for each in kinds
            )
        else:
            wrong = function.startswith("not_") == (kind in kinds)
        if wrong:
            errors.append(f"{path}: @{function} is given {sorted(kinds)}")
        if function not in seen:
            errors.append(f"{path}: @{function} has no remarks")
    return errors


def is_in(path, kind, sentence):
    text = (ROOT / path).read_text()
    return re.search(rf"\b{kind}\b", text) or sentence.partition("{")[0][:40] in text


def check_all(paths):
    shown = {each for path in paths for each in functions(path)}
    near = tuple(
        each.removeprefix("near_") for each in shown if each.startswith("near_")
    )
    given_in = {
        kind_of(each) for each in shown if not each.startswith(("not_", "near_"))
    }
    not_in = {kind_of(each) for each in shown if each.startswith("not_")}
    all_reasons = list(
        generate_reasons.reasons(generate_reasons.DEFINITIONS.read_text())
    )
    kinds = {kind for _, kind, _, _ in all_reasons}
    named = given_in | not_in | set(ELSEWHERE)
    errors = [f"no reason is called {each}" for each in sorted(named - kinds)]
    for _, kind, sentence, _ in all_reasons:
        if kind in ELSEWHERE:
            if not is_in(ELSEWHERE[kind], kind, sentence):
                errors.append(f"{kind}: not in {ELSEWHERE[kind]}")
        elif kind not in given_in:
            errors.append(f"{kind}: no program where it is given")
        elif kind not in not_in and not kind.startswith(near):
            errors.append(f"{kind}: no program where it is not given")
    return errors


if __name__ == "__main__":
    arguments = sys.argv[1:]
    problems = (
        check_all(arguments[1:]) if arguments[0] == "--all" else check(*arguments)
    )
    print("\n".join(problems))
    sys.exit(bool(problems))
