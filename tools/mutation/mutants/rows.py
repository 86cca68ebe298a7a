"""Deliberate faults in the choice of schedules of rows and columns, see __init__.py."""

from .mutant import of_file

ROWS = [
    *of_file(
        "lib/Schedule/Rows/RowsModel.cpp",
        "Schedule lit:Schedule",
        (
            "winners-of-any-length",
            "bool isAlike = each.length == facts.length && each.size == size;",
            "bool isAlike = each.size == size;",
        ),
        (
            "winners-of-calls-of-any-size",
            "bool isAlike = each.length == facts.length && each.size == size;",
            "bool isAlike = each.length == facts.length;",
        ),
        (
            "winners-of-boards-that-nobody-measured",
            "known == winners.end() || !target.gpu->isMeasured ||",
            "known == winners.end() ||",
        ),
    ),
    *of_file(
        "include/fuse/Schedule/BoardModel.h",
        "Schedule",
        (
            "few-trees-keep-what-is-slow",
            "return a.loss < b.loss;",
            "return a.loss > b.loss;",
        ),
    ),
    *of_file(
        "lib/Schedule/Columns/ColumnsModel.cpp",
        "Schedule lit:Schedule",
        (
            "columns-that-are-walked-again-are-read-again",
            "  if (llvm::any_of(basic, isHeld))\n",
            "  if (false)\n",
        ),
        (
            "vectors-that-leave-edges-are-narrow",
            "  if (facts.mayLeaveEdges)\n",
            "  if (false)\n",
        ),
    ),
    *of_file(
        "lib/Schedule/Columns/ColumnFeatures.cpp",
        "Schedule",
        (
            "clusters-leave-parts-for-a-second-launch",
            "double left = parts > 1 ? parts",
            "double left = shared > 1 ? shared",
        ),
        (
            "copies-that-run-ahead-take-no-room",
            "stages > 1 ? threads * vector",
            "stages > 4 ? threads * vector",
        ),
    ),
    *of_file(
        "lib/Schedule/Columns/ProposeColumns.cpp",
        "lit:Schedule",
        (
            "clusters-read-rows-of-any-length",
            "(target.gpu->maxClusterSize > 1 && *length <= numbers.longestInCluster)",
            "target.gpu->maxClusterSize > 1",
        ),
    ),
    *of_file(
        "lib/Schedule/Columns/LegalColumns.cpp",
        "Schedule",
        (
            "clusters-of-columns-have-room-for-anything",
            "    if (hasRoom(choice.vector, threads, splits, blocks) &&\n        !(facts",
            "    if (!(facts",
        ),
        (
            "unknown-columns-are-one",
            "return facts.columns ? facts.columns : kAssumedSize;",
            "return std::max<int64_t>(1, facts.columns);",
        ),
    ),
    *of_file(
        "lib/Analysis/RowEdges.cpp",
        "Analysis",
        (
            "edges-are-more-than-threads",
            "bool isEven = length - even * vector <= threads;",
            "bool isEven = true;",
        ),
        (
            "vectors-start-before-the-row",
            "std::max<int64_t>(0, length - (unit - 1)) / vector;",
            "length / vector;",
        ),
    ),
]
