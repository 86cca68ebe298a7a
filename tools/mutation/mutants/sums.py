"""Deliberate faults of long sums, see __init__.py."""

from .mutant import of_file

SUMS = [
    *of_file(
        "lib/Conversion/Reductions/StateLoop.cpp",
        "py:test_sums",
        (
            "one-accumulator-for-all-terms",
            "std::max<int64_t>(1, terms / loop.terms)",
            "int64_t{1} << 40",
        ),
        (
            "a-block-leaves-out-its-last-step",
            "emitter.min(emitter.add(first, block), loop.to);",
            "emitter.min(emitter.add(first, emitter.sub(block, loop.step)), loop.to);",
        ),
        (
            "the-next-block-goes-on-with-the-last",
            "state = reducer.startBlock(state);",
            "(void)reducer;",
        ),
    ),
    *of_file(
        "lib/Conversion/Reductions/BlockedReducer.cpp",
        "py:test_sums",
        (
            "blocks-are-added-without-compensation",
            "arith::AddFOp::create(builder, loc, to.rest, off)",
            "to.rest",
        ),
        (
            "a-maximum-starts-anew-in-each-block",
            "    start[0] = state[0];",
            "    (void)state;",
        ),
    ),
    *of_file(
        "lib/Conversion/Tiles/LowerContraction.cpp",
        "py:test_sums",
        (
            "products-have-one-accumulator",
            "Reducer::longBlock * stride",
            "(int64_t{1} << 40) * stride",
        ),
    ),
    *of_file(
        "lib/Conversion/Rows/SumsOverRows.cpp",
        "py:test_sums",
        (
            "rows-are-summed-to-the-end",
            "  if (!mayBeLong())\n    return;",
            "  return;",
        ),
        (
            "a-block-of-rows-replaces-what-was-left",
            "    if (again)\n",
            "    if (false)\n",
        ),
    ),
    *of_file(
        "lib/Reference/Bounded.cpp",
        "Reference",
        (
            "sums-may-be-off-by-their-length",
            "std::min(terms, ofBlock",
            "std::min(terms, terms + ofBlock",
        ),
        (
            "whole-numbers-are-added-with-roundings",
            "if (sum.isExact() && magnitudes.areAddedExactly(dtype))",
            "if (false)",
        ),
    ),
]
