"""Deliberate faults of contractions by mma.sync, see __init__.py."""

from .mutant import of_file

MMA_SYNC = [
    *of_file(
        "lib/Conversion/Mma/LowerMmaSync.cpp",
        "lit:Emulator/mma-sync lit:Emulator/split-sums lit:Emulator/float8 lit:Emulator",
        (
            "sync-step-is-not-awaited",
            "frame.loc(), underWay);",
            "frame.loc(), underWay + 1);",
        ),
        (
            "sync-step-without-a-barrier",
            "frame.loc(), underWay);\n  meet();",
            "frame.loc(), underWay);",
        ),
        (
            "sync-copies-go-where-others-still-read",
            "copies.copy(later, ahead, /*part=*/places, /*parts=*/last);",
            "copies.copy(later, at, /*part=*/places, /*parts=*/last);",
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
            "loadFragments(at, buffer, places + 1)",
            "loadFragments(at, buffer, places)",
        ),
        (
            "sync-consumers-have-the-same-columns",
            "if (!schedule.sharesColumns())\n    return start;",
            "if (true)\n    return start;",
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
        "lib/Conversion/Mma/LowerMmaSync.cpp",
        "lit:Emulator/computed lit:Emulator/weights",
        (
            "computed-step-is-not-awaited",
            "--underWay;",
            "(void)underWay;",
        ),
        (
            "computed-first-step-without-a-barrier",
            "computed.clear(buffer); });\n  meet();",
            "computed.clear(buffer); });",
        ),
        (
            "computed-steps-have-one-buffer",
            "nextBuffer = otherBuffer(buffer);\n    computed.compute(",
            "nextBuffer = buffer;\n    computed.compute(",
        ),
        (
            "computed-columns-start-where-copies-do",
            "run.operand.computedBits ? run.computedOffset : run.offset",
            "run.offset",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/ComputedSteps.cpp",
        "lit:Emulator/computed lit:Emulator/weights",
        (
            "computed-chunks-without-the-swizzle",
            "Value chunk = b.bitXor(b.rem(thread, rowChunks), b.rem(row, rowChunks));",
            "Value chunk = b.rem(thread, rowChunks);",
        ),
        (
            "computed-elements-are-as-wide-as-the-operand",
            "source.slotOffset + place.inSlot(start)",
            "source.slotOffset + start",
        ),
        (
            "computed-of-the-same-columns",
            "b.add(tile.column, piece.inTile)",
            "tile.column",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/ComputedPlaces.cpp",
        "lit:Emulator/computed lit:Emulator/weights",
        (
            "computed-places-end-behind-the-operand",
            "emitter.min(place, emitter.add(places, Index::constant(-together)))",
            "place",
        ),
        (
            "computed-columns-end-behind-the-operand",
            "if (hasWholeTiles)",
            "if (true)",
        ),
        (
            "computed-steps-end-behind-the-operand",
            "b->min(step, last)",
            "step",
        ),
        (
            "computed-beyond-the-last-place",
            "return b->select(isInside, stored, zero);",
            "return stored;",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/SlotCopies.cpp",
        "lit:Emulator/computed lit:Emulator/weights",
        (
            "copies-of-halves-are-of-bytes",
            "Index::constant(along / source.perElement)",
            "Index::constant(along)",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/ThreadChunk.h",
        "lit:Emulator/computed lit:Emulator/weights",
        (
            "copies-of-bytes-are-swizzled",
            "place.computedBits ? Swizzle::none",
            "place.computedBits ? Swizzle::matrices",
        ),
    ),
    *of_file(
        "lib/Analysis/ComputedOperands.cpp",
        "lit:Conversion/lower-kernels-computed lit:Emulator/computed",
        (
            "computed-of-elements-elsewhere",
            "!needed.contains(user) || followed.contains({user, value})",
            "true",
        ),
    ),
    *of_file(
        "lib/Analysis/ComputedOperands.cpp",
        "Analysis lit:Emulator/computed",
        (
            "computed-of-inputs-with-fewer-elements",
            "return outer.isStatic() ? extents[axis] == Extent{next}",
            "return outer.isStatic() ? true",
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
        "lib/Conversion/Mma/MmaSync.cpp",
        "lit:Emulator/float64",
        (
            "wide-fragments-of-the-same-four-places",
            "address(memory, at, first, step, further)",
            "address(memory, at, first, step, 0)",
        ),
        (
            "wide-fragments-without-the-swizzle",
            "b.mul(b.rem(memoryRow, 4), 2)",
            "b.mul(b.rem(memoryRow, 4), int64_t(0))",
        ),
        (
            "wide-products-of-the-same-eight-rows",
            "rows[place * blocks + block]",
            "rows[place * blocks]",
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
            "place = b.bitXor(column, b.rem(row, inRow));",
            "place = column;",
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
