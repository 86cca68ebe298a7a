"""Deliberate faults of what is computed again, and of what leaves the caches, see
__init__.py."""

from .mutant import of_file

REPEATED_WORK = [
    *of_file(
        "lib/Analysis/RowWork.cpp",
        "Analysis lit:Schedule",
        (
            "what-rows-share-is-read-once",
            "    work.repeated += segment.space.isSharedByRows(dims.extents(value));\n",
            "",
        ),
        (
            "exponentials-are-computed-again",
            "if (isa<CastOp>(op) || kept.contains(op))",
            "if (isa<CastOp>(op))",
        ),
        (
            "numbers-of-a-row-are-of-its-elements",
            "known->second = !extents.empty() && !segment.space.isReducedShape(extents);",
            "known->second = !extents.empty();",
        ),
        (
            "a-bounded-sum-is-a-level",
            "work.levels += bounded < level.size();",
            "work.levels += 1;",
        ),
    ),
    *of_file(
        "lib/Schedule/RowsWithRepeatedWork.cpp",
        "lit:Schedule",
        (
            "little-work-of-f32-counts",
            "vector <= 4 ? work.repeatsSpecial : work.repeated >= fewestRepeated",
            "work.repeated >= fewestRepeated",
        ),
        (
            "the-shortest-rows-have-a-warp",
            "length < shortestOfWarp || length > longestInShared)",
            "length > longestInShared)",
        ),
        (
            "two-warps-of-any-vectors",
            "vectors % (2 * warpSize) != 0 && vectors % warpSize == 0;",
            "false;",
        ),
        (
            "a-warp-holds-any-vectors",
            "return vectors % warpSize == 0 ? make(2 * warpSize, 2, HoldKind::registers)",
            "return true ? make(2 * warpSize, 2, HoldKind::registers)",
        ),
        (
            "eight-warps-take-any-registers",
            ".withLeastBlocks(boundedThreads / partThreads);",
            ";",
        ),
        (
            "weights-always-wait",
            "/*preload=*/length > longestUnloaded);",
            "/*preload=*/false);",
        ),
        (
            "two-accesses-of-two-inputs",
            "  if (areMany && vectorBytes > accessBytes)\n",
            "  if (false)\n",
        ),
        (
            "long-f32-are-held-by-more-threads",
            "{length > longWords ? heldLongWords : heldWords, longest}",
            "{heldWords, longest}",
        ),
        (
            "exponentials-have-more-threads",
            "    return {heldByExponentials, longestHeavyNarrow};\n",
            "    return {heldNarrow, longestNarrow};\n",
        ),
        (
            "weighted-variances-stay-in-registers",
            "    return {heldInLevels, 0};\n",
            "    return {heldInLevels, longestNarrow};\n",
        ),
        (
            "what-is-written-has-few-threads",
            "writesRow ? fewestWritten : fewestOfUnwritten",
            "fewestOfUnwritten",
        ),
        (
            "one-function-is-worth-a-cluster",
            "work.repeated <= oneSpecialFunction",
            "false",
        ),
        (
            "parts-of-f32-are-never-of-few-threads",
            "  if (length <= longFewHeld)\n    return spread(",
            "  if (vector > 4 && length <= longFewHeld)\n    return spread(",
        ),
    ),
    *of_file(
        "lib/Schedule/RowsInSmallCalls.cpp",
        "lit:Schedule",
        (
            "eight-bits-are-loaded-ahead",
            "return hasWeights || !isDivided() || narrowestBytes > 1;",
            "return true;",
        ),
    ),
    *of_file(
        "lib/Schedule/ProposeColumns.cpp",
        "lit:Schedule",
        (
            "large-calls-leave-the-caches",
            "  return isSmall && !isBrief && areWords &&",
            "  return !isBrief && areWords &&",
        ),
        (
            "brief-calls-leave-the-caches",
            "  return isSmall && !isBrief && areWords &&",
            "  return isSmall && areWords &&",
        ),
        (
            "16-bit-elements-leave-the-caches",
            "  return isSmall && !isBrief && areWords &&",
            "  return isSmall && !isBrief &&",
        ),
    ),
    *of_file(
        "lib/Conversion/Columns/ColumnWalks.cpp",
        "lit:Conversion",
        (
            "nothing-leaves-the-caches",
            "  if (schedule.getEvictFirst())\n",
            "  if (false)\n",
        ),
    ),
    *of_file(
        "lib/Fusion/CostModel.cpp",
        "lit:Fusion",
        (
            "widening-costs-instructions",
            "    if (!isWidening(op))\n",
            "",
        ),
    ),
]
