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
        "lib/Schedule/Lengths.cpp",
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
            " || rows.getWholeGrid()",
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
        "lib/Schedule/ProposeColumns.cpp",
        "lit:Random/Regressions",
        (
            "clusters-of-columns-have-room-for-anything",
            "  if (exchanged > target.gpu->defaultSharedBytesPerBlock)\n    return false;\n",
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
        "lib/Schedule/RowsOnGPU.cpp",
        "lit:Schedule",
        (
            "short-rows-have-one-vector-a-thread",
            "(vectors < group || placesForEach(vectors, group) > most)",
            "(placesForEach(vectors, group) > most)",
        ),
        (
            "more-divided-vectors-than-fit",
            "         vectors <= mostDivided;\n",
            "         true;\n",
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
    *of_file(
        "lib/Schedule/ProposeColumns.cpp",
        "lit:Schedule",
        (
            "most-of-a-group-is-past-the-end",
            "llvm::alignTo(vectors, row) > mostPastEnd * vectors",
            "row > vectors",
        ),
    ),
    *of_file(
        "lib/Schedule/RowsWithEdges.cpp",
        "lit:Schedule",
        (
            "small-light-rows-have-few-threads",
            "vectors <= shortLightUnaligned && !isSmall();",
            "vectors <= shortLightUnaligned;",
        ),
        (
            "long-light-rows-have-few-threads",
            "length <= fewThreadsLightShared",
            "length <= longestLightShared",
        ),
        (
            "light-rows-stay-in-the-caches",
            "length <= shortestLightShared ||",
            "length >= shortestLightShared ||",
        ),
    ),
    *of_file(
        "lib/Schedule/Alternatives.cpp",
        "lit:Random/Regressions",
        (
            "all-rows-are-as-the-longest",
            "divisor = std::gcd(divisor, length.value_or(1));",
            "divisor = std::max(divisor, length.value_or(1));",
        ),
    ),
    *of_file(
        "lib/Schedule/ProposeRows.cpp",
        "lit:Schedule",
        (
            "small-calls-keep-no-halves",
            "    return length >= fewestHalved * widest && length < longestHalved;\n",
            "    return false;\n",
        ),
    ),
    *of_file(
        "lib/Schedule/RowsWithEdges.cpp",
        "lit:Schedule",
        (
            "most-of-a-second-vector-is-empty",
            "return isOneNarrow && whole <",
            "return false && whole <",
        ),
    ),
    *of_file(
        "lib/Schedule/RowsInSharedMemory.cpp",
        "lit:Schedule",
        (
            "little-is-left-of-steps",
            "if (leavesLittle || (hasExp",
            "if (leavesLittle == hasExp || (hasExp",
        ),
    ),
    *of_file(
        "lib/Schedule/RowsWithEdges.cpp",
        "lit:Schedule",
        (
            "few-unaligned-rows-have-few-threads",
            "if (isShort && isBrief())",
            "if (false)",
        ),
        (
            "moderate-edges-of-any-length",
            "if (length <= shortestModerate || vectorBytes",
            "if (vectorBytes",
        ),
        (
            "moderate-edges-of-two-accesses",
            "shortestModerate || vectorBytes != accessBytes || isDivided()",
            "shortestModerate || isDivided()",
        ),
        (
            "moderate-edges-are-divided",
            "vectorBytes != accessBytes || isDivided() ||",
            "vectorBytes != accessBytes ||",
        ),
        (
            "moderate-edges-repeat-work",
            "!segment.across.empty() ||\n      repeatsWork())",
            "!segment.across.empty())",
        ),
        (
            "moderate-edges-of-exponentials-have-many-threads",
            "make(length <= ofFewThreads ? smallestBlock : two, 1,",
            "make(two, 1,",
        ),
        (
            "moderate-edges-of-exponentials-are-long",
            "if (hasExp && inputs == 1 && length <= ofThreads)",
            "if (hasExp && inputs == 1)",
        ),
        (
            "moderate-edges-are-long",
            "length > (isLight ? longestLightShared : ofThreads))",
            "length > longestLightShared)",
        ),
        (
            "moderate-edges-of-two-inputs-are-long",
            "return length <= ofThreads ? make(two, 1, HoldKind::registers)",
            "return true ? make(two, 1, HoldKind::registers)",
        ),
        (
            "light-moderate-edges-are-as-others",
            "if (length <= (isLight ? lightOfFewThreads : ofFewThreads))",
            "if (length <= ofFewThreads)",
        ),
        (
            "light-moderate-edges-have-few-threads",
            "isLight ? lightSharedThreads(length) : unalignedSharedThreads;",
            "unalignedSharedThreads;",
        ),
        (
            "moderate-edges-of-f32-have-few-threads",
            "bool areFew = hasExp || length <= ofFewThreads;",
            "bool areFew = true;",
        ),
        (
            "moderate-edges-of-f32-have-many-threads",
            "bool areFew = hasExp || length <= ofFewThreads;",
            "bool areFew = length <= ofFewThreads;",
        ),
        (
            "moderate-edges-of-many-f32",
            "if (inputs != 1 || length > ofThreads)",
            "if (inputs != 1)",
        ),
        (
            "moderate-edges-of-f32-of-two-inputs",
            "if (inputs != 1 || length > ofThreads)",
            "if (length > ofThreads)",
        ),
    ),
    *of_file(
        "lib/Schedule/ShortRows.cpp",
        "lit:Schedule",
        (
            "halved-variances-of-any-length",
            "if (length >= fewestHalvedDeviations && length",
            "if (length",
        ),
        (
            "halved-variances-are-long",
            "length <= longestHalvedDeviations &&",
            "length <= 2 * longestHalvedDeviations &&",
        ),
        (
            "halved-variances-of-small-calls",
            "longestHalvedDeviations &&\n      !isSmall())",
            "longestHalvedDeviations)",
        ),
    ),
    *of_file(
        "lib/Schedule/RowsOnGPU.cpp",
        "lit:Schedule",
        (
            "few-f32-are-shared-by-four",
            "return isHalfEmpty || areFewWords ?",
            "return isHalfEmpty ?",
        ),
        (
            "few-f32-of-any-length",
            "vectors > group &&\n                       vectors < 2 * group;",
            "vectors > group;",
        ),
        (
            "few-f32-without-exponentials",
            "bool areFewWords = hasExp && widestBytes",
            "bool areFewWords = widestBytes",
        ),
    ),
]
