"""Deliberate faults in the choice of schedules of rows, see __init__.py."""

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
