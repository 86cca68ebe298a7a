"""Deliberate faults of contractions by mma.sync, see __init__.py."""

from .mutant import of_file

MMA_SYNC = [
    *of_file(
        "lib/Conversion/Mma/LowerMmaSync.cpp",
        "lit:Emulator/mma-sync lit:Emulator/split-sums lit:Emulator/float8 lit:Emulator",
        (
            "sync-step-is-not-awaited",
            "schedule.getStages() - 2);\n  meet();",
            "schedule.getStages() - 1);\n  meet();",
        ),
        (
            "sync-step-without-a-barrier",
            "schedule.getStages() - 2);\n  meet();",
            "schedule.getStages() - 2);",
        ),
        (
            "sync-copies-go-where-others-still-read",
            "if (places < last)\n      copies.copy(later, ahead, /*part=*/places, /*parts=*/last);",
            "copies.copy(later, at, /*part=*/places, /*parts=*/last + 1);",
        ),
        (
            "sync-results-go-where-others-still-read",
            "NVVM::CpAsyncWaitGroupOp::create(builder, frame.loc(), 0);\n  meet();",
            "NVVM::CpAsyncWaitGroupOp::create(builder, frame.loc(), 0);",
        ),
        (
            "sync-next-tile-is-copied-over-results",
            "           meet();\n           return {};",
            "           return {};",
        ),
        (
            "sync-ring-has-a-slot-less",
            "b.equal(next, ringBytes())",
            "b.equal(next, ringBytes() - schedule.slotBytes())",
        ),
        (
            "sync-fragments-of-the-same-elements",
            "loadFragments(at, places + 1)",
            "loadFragments(at, places)",
        ),
        (
            "sync-consumers-have-the-same-columns",
            "if (schedule.sharesColumns())\n      start =",
            "if (false)\n      start =",
        ),
        (
            "sync-warps-have-the-same-rows",
            "Value ownRow = b.mul(warp, MmaSync::kRows);",
            "Value ownRow = b.mul(warp, int64_t(0));",
        ),
        (
            "sync-sums-of-a-step-of-bytes-replace-the-others",
            "sum = arith::AddFOp::create(builder, frame.loc(), other, sum);",
            "(void)other;",
        ),
        (
            "sync-part-starts-at-the-first-step",
            "firstStep = b.div(b.mul(steps, part), parts);",
            "firstStep = b.word(0);",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/MmaSync.cpp",
        "lit:Emulator/mma-sync lit:Emulator",
        (
            "sync-fragments-without-the-swizzle",
            "chunk = b.bitXor(inRow, inMatrix);",
            "chunk = inRow;",
        ),
        (
            "sync-fragments-are-never-transposed",
            "operand.isAlongK ? NVVM::MMALayout::row : NVVM::MMALayout::col",
            "NVVM::MMALayout::row",
        ),
        (
            "sync-halves-of-columns-are-swapped",
            "Value own = side == Side::rows ? low : high;",
            "Value own = low;",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/SlotCopies.cpp",
        "lit:Emulator/mma-sync lit:Emulator",
        (
            "sync-tail-of-k-is-copied",
            "Value isInside = b.isLess(place, places);",
            "Value isInside = b.isLess(place, b.add(places, 1));",
        ),
        (
            "sync-rows-past-the-edge-are-read",
            "if (!source.hasWholeTiles)",
            "if (false)",
        ),
        (
            "sync-part-of-16-bytes-is-read-as-all",
            "if (!source.hasWholeChunks)",
            "if (false)",
        ),
        (
            "sync-last-rows-of-a-box-are-copied-by-all",
            "if (first + chunk.rowsAtOnce > source.boxRows)",
            "if (false)",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/ThreadChunk.cpp",
        "lit:Emulator/mma-sync lit:Emulator",
        (
            "sync-copies-without-the-swizzle",
            "Value swizzled = b.bitXor(column, b.rem(row, perRow));",
            "Value swizzled = column;",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/SplitSums.cpp",
        "lit:Emulator/split-sums lit:Emulator",
        (
            "split-last-part-is-lost",
            "for (int64_t i = 1; i < most; ++i) {",
            "for (int64_t i = 1; i + 1 < most; ++i) {",
        ),
        (
            "split-parts-after-the-last-count",
            "emitter.less(Index::constant(i), parts), next, sum)",
            "emitter.less(Index::constant(0), parts), next, sum)",
        ),
        (
            "split-contractions-have-the-sums-of-the-first",
            "sumOf(first + i, number, count, lanes)",
            "sumOf(first, number, count, lanes)",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/GatheredEpilogue.cpp",
        "lit:Emulator/split-sums lit:Emulator",
        (
            "split-sums-past-the-edge-are-left",
            "b.frame.ifTrue(share.isInside, [&, &share = share, &its = its] {",
            "b.frame.ifTrue(Value(), [&, &share = share, &its = its] {",
        ),
    ),
]
