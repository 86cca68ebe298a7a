"""Deliberate faults of what a call relies on: lengths, and bounds. See __init__.py."""

from .mutant import of_file

LENGTHS = [
    *of_file(
        "lib/Fusion/SpecializeDims.cpp",
        "lit:Fusion lit:tools random",
        (
            "names-of-sized-dims-stay",
            "    if (type.isDynamicDim(axis))\n      kept.push_back",
            "    kept.push_back",
        ),
        (
            "a-split-size-is-the-whole",
            "getIndexAttr(size / known)",
            "getIndexAttr(size)",
        ),
        (
            "kernels-keep-dynamic-arguments",
            "    argument.setType(input.getType());\n",
            "    (void)input;\n",
        ),
        (
            "a-broadcast-stays-dynamic",
            "      result.setType(refine(type, dims.extents(result)));\n",
            "      (void)type;\n",
        ),
        (
            "any-name-is-taken",
            "if (!known.contains(size.getKey()))",
            "if (false)",
        ),
    ),
    *of_file(
        "lib/Schedule/Rows/Lengths.cpp",
        "lit:Schedule",
        (
            "what-a-length-follows-from-is-forgotten",
            "        add(term);\n",
            "        (void)term;\n",
        ),
        (
            "columns-have-no-length",
            "  lengths.add(space->keptExtents());\n",
            "",
        ),
        (
            "tokens-are-lengths",
            "      found.erase(name);\n",
            "      (void)name;\n",
        ),
        (
            "a-shared-tensor-has-a-length",
            " || rows.sharesGrid()",
            "",
        ),
    ),
    *of_file(
        "lib/Schedule/AssignSchedules.cpp",
        "lit:Schedule",
        (
            "lengths-outlive-their-kernels",
            "    getOperation()->removeAttr(kLengthsAttr);\n",
            "",
        ),
    ),
    *of_file(
        "lib/Execution/Specializations.cpp",
        "Execution lit:tools",
        (
            "one-length-too-many",
            "if (entries.size() < options.lengths)",
            "if (entries.size() <= options.lengths)",
        ),
        (
            "a-length-of-one-is-broadcast",
            "shortestLength = 2",
            "shortestLength = 1",
        ),
        (
            "every-length-is-the-first",
            "if (known == lengths)",
            "if (!known.empty())",
        ),
    ),
    *of_file(
        "lib/Execution/JIT.cpp",
        "Execution lit:tools",
        (
            "calls-run-the-code-for-any-length",
            "  if (fixed)\n    return *fixed;\n",
            "  if (fixed)\n    (void)*fixed;\n",
        ),
    ),
    *of_file(
        "lib/Conversion/Columns/LowerColumns.cpp",
        "lit:Conversion",
        (
            "columns-hold-any-number",
            "*staticProduct(places) > maxHeldVectors * share",
            "false",
        ),
    ),
    *of_file(
        "lib/Analysis/RepeatedValues.cpp",
        "lit:Random/Regressions lit:Fusion",
        (
            "an-element-above-its-maximum",
            "      visit(difference.getLhs(), difference.getRhs());\n",
            "      (void)difference;\n",
        ),
    ),
    *of_file(
        "lib/Conversion/Points/PointEmitter.cpp",
        "Regression py:test_regressions lit:Conversion random",
        (
            "all-exponents-are-below-a-maximum",
            "reduce.getInput() == difference.getLhs();",
            "reduce.getInput();",
        ),
    ),
    *of_file(
        "lib/Reference/Softmax.h",
        "lit:Random/Regressions",
        (
            "weights-have-the-value-of-a-sum-without-a-bound",
            "    if (weight.isUnbounded())\n      return {0.5, 1.0};\n",
            "",
        ),
    ),
    *of_file(
        "lib/Conversion/Launch/OverlapLaunches.cpp",
        "lit:Conversion lit:Codegen",
        (
            "what-follows-starts-before-labels",
            "allowNext(function, load ? load : wait);",
            "allowNext(function, wait);",
        ),
        (
            "any-load-is-one-of-an-address",
            "    if (!isa<LLVM::LoadOp>(op))\n      llvm::append_range",
            "    if (isa<LLVM::LoadOp>(op))\n      llvm::append_range",
        ),
    ),
    *of_file(
        "lib/Conversion/Rows/LowerRows.cpp",
        "lit:Codegen",
        (
            "labels-are-awaited-before-rows",
            "  if (!early.empty() && rows.isInRegisters() && present.size() == 1)\n",
            "  if (false)\n",
        ),
    ),
    *of_file(
        "lib/Conversion/Reductions/CombineParts.cpp",
        "lit:Emulator lit:Conversion",
        (
            "rows-left-over-are-lost",
            "  ReductionStates states = walkRest(walk());\n",
            "  ReductionStates states = walk();\n",
        ),
        (
            "few-parts-have-many-threads",
            "  slices = std::min(slices, parts);\n",
            "  (void)parts;\n",
        ),
    ),
    *of_file(
        "lib/Conversion/Reductions/PartStates.cpp",
        "lit:Emulator lit:Conversion",
        (
            "whole-groups-are-read-again",
            "fold > 1 && (!places || *places % fold != 0)",
            "fold > 1",
        ),
    ),
    *of_file(
        "lib/Conversion/Columns/LowerColumns.cpp",
        "lit:Emulator lit:Conversion",
        (
            "lanes-stay-in-their-row",
            "    point.crossesRows = lanes > 1;\n",
            "",
        ),
        (
            "parts-of-a-group-count-as-walked",
            "Index::constant(schedule.getFold()));\n    Index across",
            "Index::constant(1));\n    Index across",
        ),
    ),
    *of_file(
        "lib/Analysis/ReductionSpace.cpp",
        "lit:Conversion lit:Schedule",
        (
            "full-results-of-rows-walked-as-one",
            "            !isa<IotaOp, RandomOp>(op));\n  };\n  return llvm::all_of",
            "            !isa<IotaOp, RandomOp>(op));\n  };\n  return true || llvm::all_of",
        ),
    ),
]
