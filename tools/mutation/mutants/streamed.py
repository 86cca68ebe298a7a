"""Deliberate faults of streamed rows, see __init__.py."""

from .mutant import of_file

STREAMED = [
    *of_file(
        "lib/Conversion/Mma/LowerStreamed.cpp",
        "lit:Emulator/streamed lit:Emulator",
        (
            "streamed-sums-are-not-turned-to-a-new-base",
            "b.add(tiles.first, 1)));\n        sums = turnedIfNeeded(sums, now);",
            "b.add(tiles.first, 1)));",
        ),
        (
            "streamed-values-are-released-while-they-are-multiplied",
            "release(*valueRing, valueRing->previousSlot(valuePlace),\n"
            "                b.differs(step",
            "release(*valueRing, valuePlace.slot,\n                b.differs(step",
        ),
        (
            "streamed-call-between-products-and-their-wait",
            "scoreProduct.awaitAllBut(found, overlaps ? 1 : 0)",
            "scoreProduct.awaitAllBut(found, 2)",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/LowerStreamed.cpp",
        "lit:Emulator/wide-heads lit:Emulator",
        (
            "streamed-keys-are-released-before-the-values-in-them",
            "        if (haveValueSlots())\n          release(*keyRing, place.slot);",
            "        release(*keyRing, place.slot);",
        ),
        (
            "streamed-queries-are-copied-where-others-still-read",
            "    queryRing->awaitEmpty(ofQueries);",
            "    ;",
        ),
        (
            "streamed-last-values-of-a-tile-are-not-released",
            "release(*valueRing, valuePlace.slot, tiles.exist);",
            "",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/StreamedKernel.cpp",
        "lit:Emulator/wide-heads lit:Emulator/wide-heads-sync lit:Emulator",
        (
            "streamed-values-are-the-first-features",
            "values.offsetOf(*space.firstOfKeys)",
            "0",
        ),
        (
            "streamed-consumers-have-the-same-columns",
            "b.mul(group, values.offsetOf(schedule.columnsPerConsumer()))",
            "b.word(0)",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/StreamedRows.cpp",
        "lit:Emulator/wide-heads lit:Emulator",
        (
            "streamed-polynomial-of-another-power",
            "constexpr double shifter = 12582912 + bias;",
            "constexpr double shifter = 12582913 + bias;",
        ),
        (
            "streamed-polynomial-of-the-wrong-part",
            "power = fma(power, rest, number(next));",
            "power = fma(power, shifted, number(next));",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/StreamedParts.cpp",
        "lit:Emulator/wide-heads lit:Emulator",
        (
            "streamed-part-has-columns-of-another-consumer",
            "column = b.add(column, ownFirst);",
            "",
        ),
        (
            "streamed-part-has-columns-behind-the-last",
            "group && own * schedule.columnGroups() > width",
            "false",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/StreamedPages.cpp",
        "lit:Emulator/joined-keys lit:Emulator",
        (
            "streamed-part-is-read-behind-its-features",
            "box.place - part->first",
            "box.place",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/StreamedCopies.cpp",
        "lit:Emulator/joined-keys lit:Emulator",
        (
            "copied-part-is-read-behind-its-features",
            "box.place -= firstFeature;",
            "",
        ),
    ),
    *of_file(
        "lib/Dialect/Fuse/Transforms/JoinProducts.cpp",
        "lit:Dialect/Fuse/Transforms/join-products lit:Emulator/joined-keys",
        (
            "joined-products-lose-their-scale",
            "llvm::reverse(terms.front().after)",
            "ArrayRef<Operation *>()",
        ),
    ),
    *of_file(
        "lib/Analysis/ValuesInKeys.cpp",
        "lit:Emulator/wide-heads lit:Emulator",
        (
            "streamed-values-start-within-a-row",
            "first % kFirstOfKeys != 0",
            "false",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/StreamedKernel.cpp",
        "lit:Emulator/streamed lit:Emulator",
        (
            "streamed-sums-are-not-turned-to-the-maximum-at-the-end",
            "arith::MulFOp::create(builder, b.loc(), factors[half], factor);",
            "factor;",
        ),
        (
            "streamed-tile-that-a-mask-cuts-counts-as-whole",
            "signedLess(b.add(key, schedule.getTileK()), tiles.all.last)",
            "signedLess(key, tiles.all.last)",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/LowerStreamedSync.cpp",
        "lit:Emulator/streamed-sync lit:Emulator/decoded-sync lit:Emulator",
        (
            "streamed-sync-tile-is-not-awaited",
            "frame.loc(), ahead);\n  meet();",
            "frame.loc(), ahead + 2);\n  meet();",
        ),
        (
            "streamed-sync-tile-without-a-barrier",
            "frame.loc(), ahead);\n  meet();",
            "frame.loc(), ahead);",
        ),
        (
            "streamed-sync-keys-are-copied-where-others-still-read",
            "    awaitCopies();\n    copyTile(*keyRing, b.add(step, stages()), slot);",
            "    copyTile(*keyRing, b.add(step, stages()), slot);\n    awaitCopies();",
        ),
        (
            "streamed-sync-values-are-copied-to-the-slot-that-is-next",
            "previousSlot(slot));\n  Value number = tileAt(step);",
            "slot);\n  Value number = tileAt(step);",
        ),
        (
            "streamed-sync-tile-of-another-part-is-copied",
            "frame.ifTrue(b.isLess(step, tiles.last), [&] {",
            "frame.ifTrue(Value(), [&] {",
        ),
        (
            "streamed-sync-sums-are-not-turned-to-a-new-base",
            "sums = turnedIfNeeded(sums, state);",
            "",
        ),
        (
            "streamed-sync-fragments-of-another-warp",
            "Value row = b.mul(warp, MmaSync::kRows);",
            "Value row = b.mul(warp, MmaSync::kColumns);",
        ),
        (
            "streamed-sync-consumers-have-the-same-queries",
            "b.mul(rowThread().consumer, queries.offsetOf(MmaScheduleAttr::kRows))",
            "b.word(0)",
        ),
        (
            "streamed-sync-queries-of-another-head",
            "Value head = b.div(place, perHead);",
            "Value head = b.rem(place, b.word(schedule.getHeads()));",
        ),
        (
            "streamed-sync-heads-that-are-not-there-are-read",
            "b.isLess(number, b.word(space.headCount(dims)))",
            "Value()",
        ),
        (
            "streamed-sync-results-go-where-others-still-read",
            "if (schedule.getStore() != MmaStore::direct)\n    meet();",
            "",
        ),
        (
            "streamed-sync-consumer-without-rows-writes",
            "exists = b.isLess(place.row,",
            "exists = b.differs(place.row,",
        ),
        (
            "streamed-sync-missing-page-is-read",
            "b.differs(page, b.word(-1))",
            "Value()",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/ComputedTiles.cpp",
        "lit:Emulator/widened lit:Emulator",
        (
            "streamed-computed-keys-past-the-last-are-read",
            "row.place = emitter.min(row.place, last);",
            "",
        ),
        (
            "streamed-computed-features-past-the-last-are-read",
            "feature = emitter.min(feature, Index::constant(features.size - lanes));",
            "",
        ),
        (
            "streamed-computed-features-of-another-box",
            "slot.isAlongK ? box.place : box.further",
            "0",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/StreamedCopies.cpp",
        "lit:Emulator/streamed-sync lit:Emulator/decoded-sync lit:Emulator",
        (
            "streamed-sync-rows-past-the-last-are-read",
            "row.exists = b.isLess(number, b.wordOf(emitter.size(rowExtent)));",
            "",
        ),
        (
            "streamed-sync-features-past-the-last-are-read",
            "(!arePlacesRows() || further < innerExtent.size)",
            "true",
        ),
        (
            "streamed-sync-neighbours-past-the-last-are-read",
            "bytes = b.select(b.isLess(along, end), bytes, zero);",
            "",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/StreamedTiles.cpp",
        "lit:Emulator/streamed lit:Emulator",
        (
            "streamed-tile-that-rows-see-is-skipped",
            "found.last = b.ceilDiv(lastKey, schedule.getTileK());",
            "found.last = b.div(lastKey, schedule.getTileK());",
        ),
        (
            "streamed-part-of-the-keys-is-lost",
            "Value first = b.min(b.add(tiles.first, b.mul(number, length)), tiles.last);",
            "Value first = b.min(b.add(tiles.first, b.mul(b.add(number, 1), length)), "
            "tiles.last);",
        ),
        (
            "streamed-parts-overlap",
            "Value last = b.min(b.add(first, length), tiles.last);",
            "Value last = tiles.last;",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/StreamedParts.cpp",
        "lit:Emulator/decoded lit:Emulator",
        (
            "streamed-parts-are-not-turned-to-one-maximum",
            "Value weight = rows.turn(part.most, all.most);",
            "Value weight = rows.number(1);",
        ),
        (
            "streamed-totals-of-parts-have-no-weight",
            "LLVM::FMAOp::create(builder, loc, weight, part.total, all.total);",
            "LLVM::FMAOp::create(builder, loc, rows.number(1), part.total, all.total);",
        ),
        (
            "streamed-last-part-counts-again",
            "return {b.select(inside, left.most, none.most),\n"
            "          b.select(inside, left.total, none.total),\n"
            "          b.select(inside, left.sums, none.sums)};",
            "return left;",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/StreamedPages.cpp",
        "lit:Emulator/decoded lit:Emulator",
        (
            "streamed-page-of-the-tile-before",
            "pageOf(tile, b.add(firstKey, copy * rowsPerCopy()))",
            "pageOf(tile, firstKey)",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/StreamedPages.h",
        "lit:Emulator/decoded lit:Emulator",
        (
            "streamed-row-of-another-page",
            "return b.rem(key, operand.pages->rows);",
            "return b.rem(key, 2 * operand.pages->rows);",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/StreamedRows.cpp",
        "lit:Emulator/streamed lit:Emulator",
        (
            "streamed-base-never-follows-the-maximum",
            "return b.select(isNear, base, max);",
            "return base;",
        ),
        (
            "streamed-turn-of-one-row-counts-for-both",
            "for (Value turn : state.turn) {",
            "for (Value turn : {state.turn[0]}) {",
        ),
        (
            "streamed-totals-are-not-turned-to-the-maximum-at-the-end",
            "return make<arith::MulFOp>(sum, lastTurn(state, half));",
            "return sum;",
        ),
        (
            "streamed-totals-are-not-turned-to-a-new-base",
            "isFirst ? sum : fma(state.sum[half], state.turn[half], sum);",
            "isFirst ? sum : plus(state.sum[half], sum);",
        ),
        (
            "streamed-large-maximum-is-rounded",
            "b.select(isHuge, max, make<arith::MulFOp>(max, number(factor)))",
            "make<arith::MulFOp>(max, number(factor))",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/KeyRanges.cpp",
        "lit:Emulator/streamed lit:Emulator",
        (
            "streamed-rows-of-a-tile-see-what-its-first-row-sees",
            "times(grows ? rows.last : rows.first, place.queries));",
            "times(rows.first, place.queries));",
        ),
        (
            "streamed-rows-with-integers-see-what-the-first-does",
            "return {scaled(least), scaled(largest)};",
            "return {scaled(least), scaled(least)};",
        ),
        (
            "streamed-either-range-alone",
            "choose(isEmpty(y.some), x.some, hull(x.some, y.some))",
            "x.some",
        ),
    ),
    *of_file(
        "lib/Conversion/Tiles/LowerStreamedPanels.cpp",
        "lit:Programs",
        (
            "panels-sums-are-not-turned-to-a-new-maximum",
            "frame.ifTrue(grows, [&] { turnSums(row, turn, isFirst); });",
            "",
        ),
        (
            "panels-totals-are-not-turned-to-a-new-maximum",
            "totals.load(row, 1, 1), turn);",
            "totals.load(row, 1, 1), number(1));",
        ),
        (
            "panels-tile-that-rows-see-is-skipped",
            "keyPanels.loop(first, indexOf(seen.some.last), schedule.getTileK(),",
            "keyPanels.loop(first, emitter.mul(emitter.div(indexOf(seen.some.last), step), step), "
            "schedule.getTileK(),",
        ),
        (
            "panels-tile-that-a-mask-cuts-counts-as-whole",
            "isInOrder(wide(emitter.add(key, keysHere)), seen.all.last)",
            "isInOrder(wide(key), seen.all.last)",
        ),
        (
            "panels-rows-of-a-tile-see-what-its-first-row-sees",
            "Index last = emitter.div(lastRow, heads);",
            "Index last = first;",
        ),
    ),
    *of_file(
        "lib/Conversion/Reductions/StreamedFactor.cpp",
        "lit:Programs",
        (
            "streamed-sink-is-below-the-maximum",
            "total = arith::MulFOp::create(builder, loc, total, all);",
            "",
        ),
    ),
    *of_file(
        "lib/Analysis/ScoreMasks.cpp",
        "lit:Emulator/streamed lit:Emulator",
        ("streamed-strict-comparison-is-not", "place.constant += isStrict;", ""),
    ),
    *of_file(
        "lib/Analysis/ScoreMasks.cpp",
        "lit:Emulator/softmax-forms",
        (
            "streamed-chunk-ends-early",
            "isStrict ? 1 : 1 - divisor;",
            "isStrict ? 1 : 0;",
        ),
        (
            "streamed-chunk-starts-late",
            "isStrict ? quotient->divisor : 0;",
            "quotient->divisor;",
        ),
    ),
    *of_file(
        "lib/Dialect/Fuse/Transforms/SoftmaxFactor.cpp",
        "lit:Emulator/softmax-forms lit:Dialect",
        (
            "softmax-factor-gone-from-exponentials",
            "Value all = emitPower(builder, exponentials, 1);",
            "Value all = exponentials;",
        ),
        (
            "softmax-factor-gone-from-logarithm",
            "degrees.lookup(op->getOperand(0)));\n    result",
            "0);\n    result",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/StreamedScores.cpp",
        "lit:Emulator/softmax-forms",
        (
            "streamed-mask-read-behind-keys",
            "  if (isClamped)\n    clampColumns();",
            "  if (isClamped)\n    (void)0;",
        ),
    ),
    *of_file(
        "lib/Analysis/StreamedSpace.cpp",
        "lit:Fusion",
        (
            "streamed-weights-need-not-be-in-proportion",
            "  if (!isProportional)\n",
            "  if (false)\n",
        ),
    ),
]
