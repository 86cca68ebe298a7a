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
            "      return std::nullopt;\n    if (!isFreeInLoads(op))\n",
            "      return std::nullopt;\n",
        ),
    ),
]
