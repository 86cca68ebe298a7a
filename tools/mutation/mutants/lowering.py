"""Deliberate faults of the lowering, see __init__.py."""

from .mutant import of_file

LOWERING = [
    *of_file(
        "lib/Conversion/Rows/RowPlaces.cpp",
        "Regression lit:Conversion lit:Emulator",
        (
            "rows-past-the-last-one",
            "RowPlace row = place(emitter.min(number, last));",
            "RowPlace row = place(number);",
        ),
        (
            "rows-past-the-last-one-are-written",
            "row.exists = exists;",
            "(void)exists;",
        ),
        (
            "rows-of-a-block-overlap",
            "                  Index::constant(schedule.getRowsPerBlock())),",
            "                  Index::constant(1)),",
        ),
        (
            "rows-whole-vectors-start-after-the-first-aligned-one",
            "emitter.min(emitter.rem(emitter.sub(unit, past), unit), columns);",
            "emitter.min(past, columns);",
        ),
        (
            "blocks-of-a-cluster-do-the-same-vectors",
            "isAlone ? emitter.add(before, thread) : emitter.rem(",
            "isAlone ? thread : emitter.rem(",
        ),
        (
            "blocks-of-a-cluster-have-rows-of-their-own",
            "emitter.mul(emitter.div(block, blocks),",
            "emitter.mul(block,",
        ),
        (
            "rows-held-tail-is-not-guarded",
            "whole ? Value() : isInRow(row, number)}",
            "(void(whole), Value())}",
        ),
        (
            "rows-edge-is-not-guarded",
            "/*followed=*/false, emitter.less(group.lane, elements)}",
            "/*followed=*/false, (void(elements), Value())}",
        ),
        (
            "rows-edges-are-all-after",
            "emitter.select(emitter.less(number, row.head), number, behind)",
            "behind",
        ),
        (
            "rows-tail-is-skipped",
            "geometry.hasTail = divisor % vector != 0 &&",
            "geometry.hasTail = false && divisor % vector != 0 &&",
        ),
    ),
    *of_file(
        "lib/Conversion/Rows/RowWalker.cpp",
        "Regression lit:Conversion lit:Emulator",
        (
            "rows-tail-is-not-combined",
            "state = reducer.combine(state, scalars);",
            "(void)scalars;",
        ),
        (
            "rows-edges-are-not-walked",
            "  if (row.edge)\n    points.push_back(*row.edge);",
            "",
        ),
        (
            "rows-ahead-are-waited-for",
            ": rows.rowsAhead() * slots.groupsFrom(0);",
            ": 0;",
        ),
        (
            "every-row-starts-at-an-aligned-word",
            "emitter.add(whole, emitter.add(rest, Index::constant(from * apart)));",
            "emitter.add(whole, rest);",
        ),
        (
            "a-known-word-is-of-the-first-vector",
            "Index whole = emitter.sub(row.head, past);",
            "Index whole = Index::constant(0);",
        ),
        (
            "rows-steps-in-shared-memory-leave-the-rest",
            "if (stepped < to)",
            "if (false && stepped < to)",
        ),
        (
            "rows-remaining-vectors-start-at-0",
            "frame, emitter.add(stepped, walker), row.vectors, walkers,",
            "frame, walker, row.vectors, walkers,",
        ),
        (
            "copies-of-the-next-row-are-not-counted",
            "isRefilled ? from / inGroup",
            "isRefilled ? count",
        ),
        (
            "weights-of-the-next-step-are-of-this-one",
            "late.load(slots.points(row, following, unroll));",
            "late.load(slots.points(row, first, unroll));",
        ),
    ),
    *of_file(
        "lib/Conversion/Rows/RowSlots.cpp",
        "Regression lit:Conversion lit:Emulator",
        (
            "copies-of-the-next-row-are-of-this-one",
            "copy(next->row, emitter.add(first, Index::constant(i)));",
            "copy(RowPlace(), emitter.add(first, Index::constant(i)));",
        ),
    ),
    *of_file(
        "lib/Conversion/Rows/RowResults.cpp",
        "Regression lit:Conversion lit:Emulator",
        (
            "rows-results-of-a-reduction-are-stored-before-it",
            "return !rows.reduced.contains(rows.yielded(result));",
            "return true;",
        ),
        (
            "rows-nothing-is-stored-early",
            "return !rows.reduced.contains(rows.yielded(result));",
            "return false;",
        ),
    ),
    *of_file(
        "lib/Conversion/Rows/RowExchange.cpp",
        "Regression lit:Conversion lit:Emulator",
        (
            "blocks-write-to-others-that-have-not-started",
            "if (group.blocks > 1 && isFirst)",
            "if (false)",
        ),
    ),
    *of_file(
        "lib/Conversion/Rows/RowExchange.cpp",
        "lit:Conversion lit:Emulator lit:Programs",
        (
            "rows-exchange-while-others-read",
            "return rows.space.levels.size() == 1 && group.width > warpSize &&",
            "return rows.space.levels.size() == 0 && group.width > warpSize &&",
        ),
    ),
    *of_file(
        "lib/Conversion/Rows/RowSlots.cpp",
        "lit:Conversion lit:Emulator lit:Programs",
        (
            "slots-of-rows-do-not-come-round",
            "Index around = Index::constant((1 + rows.rowsAhead()) * slots);",
            "Index around = Index::constant((2 + rows.rowsAhead()) * slots);",
        ),
    ),
    *of_file(
        "lib/Conversion/Rows/ScheduledRows.cpp",
        "lit:Conversion lit:Emulator lit:Programs",
        (
            "late-inputs-are-of-other-rows-too",
            "if (input && space.isSharedByRows(frame.dims.extents(input)))",
            "if (input)",
        ),
    ),
    *of_file(
        "lib/Conversion/Rows/PersistentRows.cpp",
        "lit:Conversion lit:Emulator lit:Programs",
        (
            "rows-after-the-last-are-loaded",
            "emitter.min(nextRow, emitter.add(count, Index::constant(-1))),",
            "nextRow,",
        ),
        (
            "rows-after-the-last-are-copied",
            "Value exists = emitter.less(number, emitter.product(rows.space.rows()));",
            "Value exists;",
        ),
        (
            "first-rows-of-none-are-copied",
            "slots.startCopies(row, emitter.less(number, count));",
            "slots.startCopies(row);",
        ),
        (
            "rows-ahead-lie-over-the-present-one",
            "row.firstSlot = slots.slotsAfter(firstSlot, ahead);",
            "row.firstSlot = firstSlot;",
        ),
        (
            "first-rows-lie-in-one-place",
            "row.firstSlot = Index::constant(i * slots.count());",
            "row.firstSlot = Index::constant(0);",
        ),
        (
            "first-rows-of-none-are-loaded",
            "emitter.less(places.rowOf(block), count)",
            "Value()",
        ),
        (
            "next-rows-are-taken-for-this-one",
            "ahead.define(row, loaded);",
            "ahead.define(row, loadedNext);",
        ),
    ),
    *of_file(
        "lib/Conversion/Points/ShiftedLoad.cpp",
        "lit:Conversion lit:Emulator",
        (
            "cut-vectors-ask-for-no-end",
            "Index::constant(cover.accesses() * perAccess - 1)",
            "Index::constant(0)",
        ),
        (
            "cut-vectors-swap-words",
            "words[i + 1], words[i], bits",
            "words[i], words[i + 1], bits",
        ),
    ),
    *of_file(
        "lib/Conversion/Rows/StagedLoop.cpp",
        "lit:Emulator",
        (
            "a-step-comes-before-its-copies",
            "staging.wait(ahead() - 1);",
            "staging.wait(ahead());",
        ),
        (
            "copies-fill-the-place-that-is-read",
            "       after(stage, ahead()));",
            "       stage);",
        ),
        (
            "slots-go-on-without-end",
            "emitter.less(next, around), next,",
            "emitter.less(next, emitter.add(around, around)), next,",
        ),
        (
            "steps-after-the-loop-are-copied",
            "frame.ifTrue(emitter.less(base, to), [&] {",
            "frame.ifTrue(Value(), [&] {",
        ),
        (
            "a-step-after-the-loop-is-no-group",
            "  });\n  staging.commit();\n}",
            "    staging.commit();\n  });\n}",
        ),
    ),
    *of_file(
        "lib/Conversion/Columns/ColumnWalks.cpp",
        "lit:Conversion lit:Emulator",
        (
            "each-block-of-a-cluster-takes-the-rest",
            "if (!isShared())\n    return count;",
            "if (!frame.partStates)\n    return count;",
        ),
        (
            "cut-columns-step-over-the-last-row",
            "divides() ? Index::constant(0) : emitter.min(Index::constant(1), count);",
            "Index::constant(0);",
        ),
    ),
    *of_file(
        "lib/Conversion/Columns/LowerColumns.cpp",
        "lit:Conversion lit:Emulator",
        (
            "lanes-of-columns-have-the-vector's-place",
            "column = emitter.add(column, lane);",
            "(void)lane;",
        ),
        (
            "a-cluster-of-columns-does-not-start",
            "  if (clustered() > 1)\n    awaitCluster(frame);",
            "",
        ),
        (
            "clusters-for-what-takes-several-walks",
            "if (clustered() > 1 && !isWalkedOnce())",
            "if (clustered() > 16 && !isWalkedOnce())",
        ),
        (
            "overlapping-columns-are-written-twice",
            "emitter.less(firstOwn, emitter.add(column, Index::constant(lane + 1)))",
            "emitter.less(column, emitter.add(column, Index::constant(lane + 1)))",
        ),
    ),
    *of_file(
        "lib/Conversion/Columns/LowerColumns.cpp",
        "lit:Emulator/moved-columns",
        (
            "columns-are-stored-where-they-were-before-they-were-joined",
            "segment.results[store], segment.paths[store])",
            "segment.results[store], ArrayRef<StoreStep>())",
        ),
    ),
    *of_file(
        "lib/Conversion/Reductions/CombineParts.cpp",
        "lit:Emulator/moved-columns",
        (
            "combined-parts-are-stored-where-they-were-before-they-were-joined",
            "ResultStorer(frame, each.number, each.path)",
            "ResultStorer(frame, each.number, {})",
        ),
    ),
    *of_file(
        "lib/Conversion/Points/EmitRandom.cpp",
        "lit:Conversion/lower-kernels-tiled-values",
        (
            "ragged-vectors-of-random-numbers-start-blocks",
            "return !point.ragged && point.skew",
            "return point.skew",
        ),
    ),
    *of_file(
        "lib/Conversion/Reductions/WelfordReducer.cpp",
        "lit:Emulator",
        (
            "variances-means-are-equal",
            "math::FmaOp::create(builder, loc, distance, weighted, within)};",
            "within};",
        ),
        (
            "variances-halves-weigh-twice",
            "emitter.constant(loc, type, 0.5 / *half)",
            "emitter.constant(loc, type, 1.0 / *half)",
        ),
        (
            "variances-numbers-are-those-of-one",
            "return emitter.constant(loc, type, *x + *y);",
            "return emitter.constant(loc, type, *x);",
        ),
        (
            "variances-of-a-lane-count-for-all",
            "number *= width;",
            "(void)width;",
        ),
        (
            "variances-are-not-guarded",
            "if (guard)",
            "if (false)",
        ),
        (
            "variances-of-one-infinity-are-0",
            "loc, state[sum], state[sum]);\n  Value deviation",
            "loc, number, number);\n  Value deviation",
        ),
    ),
    *of_file(
        "lib/Conversion/Points/PointEmitter.cpp",
        "lit:Emulator",
        (
            "any-unknown-dimension-is-whole-vectors",
            "return bits && 128 / bits->first % vector == 0;",
            "return options.divisible;",
        ),
    ),
    *of_file(
        "lib/Conversion/Points/EmitMovement.cpp",
        "lit:Programs lit:Conversion random",
        (
            "rows-past-the-end-are-scattered",
            "target.exists = found.inside;",
            "target.exists = found.inside ? Value() : Value();",
        ),
    ),
    *of_file(
        "lib/Conversion/Rows/SumsOverRows.cpp",
        "lit:Conversion lit:Emulator lit:Programs",
        (
            "rows-that-do-not-exist-are-summed",
            "state, ReducedElements{elements, exists, point.lanes});",
            "state, ReducedElements{elements, Value(), point.lanes});",
        ),
        (
            "columns-past-the-end-are-left",
            "frame.ifTrue(column.exists, [&, number = number] {",
            "frame.ifTrue(Value(), [&, number = number] {",
        ),
        (
            "rows-of-a-block-leave-one-sum",
            "emitter.mul(blocks, rowsPerBlock), thread);",
            "blocks, thread);",
        ),
        (
            "sums-of-columns-are-those-of-others",
            "next[sum * columns.size() + number]",
            "next[sum + number]",
        ),
    ),
    *of_file(
        "lib/Conversion/Reductions/Reducer.cpp",
        "lit:Conversion",
        (
            "strict-sums-take-rough-exponentials",
            "bool mayRound = isTerm && !emitter.getOptions().strict;",
            "bool mayRound = isTerm;",
        ),
        (
            "factors-of-sums-are-as-rough-as-terms",
            "exp(difference, /*isTerm=*/false)",
            "exp(difference, /*isTerm=*/true)",
        ),
    ),
    *of_file(
        "lib/Conversion/Reductions/Reducer.cpp",
        "Regression lit:Regressions random",
        (
            "maximum-starts-at-plus-infinity",
            "return floatType ? infinity(true) : integer(llvm::minIntN(width));",
            "return floatType ? infinity(false) : integer(llvm::minIntN(width));",
        ),
        (
            "minimum-of-integers-starts-at-0",
            "return floatType ? infinity(false) : integer(llvm::maxIntN(width));",
            "return floatType ? infinity(false) : integer(0);",
        ),
        (
            "maximum-loses-nan",
            "return arith::MaximumFOp::create(builder, loc, values[0], values[1]);",
            "return arith::MaxNumFOp::create(builder, loc, values[0], values[1]);",
        ),
        (
            "minimum-loses-nan",
            "return arith::MinimumFOp::create(builder, loc, values[0], values[1]);",
            "return arith::MinNumFOp::create(builder, loc, values[0], values[1]);",
        ),
        (
            "any-is-all",
            "return arith::OrIOp::create(builder, loc, a, b);",
            "return arith::AndIOp::create(builder, loc, a, b);",
        ),
        (
            "online-softmax-of-minus-infinity",
            "return arith::SelectOp::create(builder, loc, isLowest, zero, maximum);",
            "return maximum;",
        ),
        (
            "online-softmax-does-not-rescale",
            "return arith::MulFOp::create(builder, loc, state[1], factor);",
            "return state[1];",
        ),
        (
            "masked-elements-count",
            "  if (!guard)\n    return elements;\n",
            "  if (true)\n    return elements;\n",
        ),
    ),
    *of_file(
        "lib/Conversion/Reductions/Reducer.cpp",
        "lit:Emulator/weights",
        (
            "lanes-that-share-a-scale-are-left-out",
            "for (int64_t from = scaledLanes; from < lanesIn(product);",
            "for (int64_t from = 2 * scaledLanes; from < lanesIn(product);",
        ),
    ),
    *of_file(
        "lib/Conversion/Reductions/LaneProducts.cpp",
        "lit:Emulator/row-products",
        (
            "a-quad-takes-the-sums-of-another",
            "Value isOdd = b.equal(b.rem(own, 2), 1);",
            "Value isOdd = b.equal(b.rem(own, 2), 0);",
        ),
        (
            "a-factor-keeps-its-order",
            "product.order[place] = lane;",
            "product.order[lane] = place;",
        ),
    ),
    *of_file(
        "lib/Conversion/Reductions/LaneSpread.cpp",
        "lit:Emulator/row-products",
        (
            "four-threads-have-a-scale-that-two-have",
            "*number % span != 0)))",
            "*number % spread->step != 0)))",
        ),
    ),
    *of_file(
        "lib/Conversion/Points/PackedBytes.cpp",
        "lit:Emulator/weights",
        (
            "upper-halves-stay-where-they-are",
            "if (inWord >= inPlace)",
            "if (inWord > inPlace)",
        ),
    ),
    *of_file(
        "lib/Conversion/Reductions/Reducer.cpp",
        "lit:Conversion lit:Codegen py:test_sums",
        (
            "mean-divides-by-a-part",
            "Value one = emitter.constant(loc, type, 1);\n  Value part",
            "Value one = emitter.constant(loc, type, 2);\n  Value part",
        ),
        (
            "means-are-not-corrected",
            "arith::SelectOp::create(builder, loc, isNumber, quotient, start);",
            "start;",
        ),
        (
            "means-of-infinities-are-corrected",
            "arith::SelectOp::create(builder, loc, isNumber, quotient, start);",
            "quotient;",
        ),
        (
            "products-are-rounded-first",
            "create(builder, loc, a, b,\n                                   arith::FastMathFlags::contract);",
            "create(builder, loc, a, b,\n                                   arith::FastMathFlags::none);",
        ),
        (
            "sums-of-nothing-have-a-sign",
            "    Value zero = emitter.constant(loc, type, 0);\n    results[0]",
            "    Value zero = emitter.constant(loc, type, -0.0);\n    results[0]",
        ),
        (
            "terms-past-the-end-are-added",
            "    if (!each.guard) {\n      total",
            "    if (true) {\n      total",
        ),
    ),
    *of_file(
        "lib/Conversion/Tiles/LowerContraction.cpp",
        "Regression lit:Conversion lit:Regressions random lit:Emulator",
        (
            "tile-rows-past-the-end-are-written",
            "if (rows[i].key() != rowsInside[i].key())",
            "if (false)",
        ),
        (
            "tile-columns-past-the-end-are-written",
            "if (columns[j].key() != columnsInside[j].key())",
            "if (false)",
        ),
        (
            "sum-without-its-tail",
            "finish(fits ? sums : sumLoop(whole, count, 1, 1, sums));",
            "finish(sums);",
        ),
        (
            "sum-starts-at-1",
            "Index start = Index::constant(0);",
            "Index start = Index::constant(1);",
        ),
        (
            "half-of-the-lanes-count-twice",
            "arith::AddFOp::create(builder, loc, parts[i], parts[i + 1]));",
            "arith::AddFOp::create(builder, loc, parts[i], parts[i]));",
        ),
        (
            "half-of-the-tiles-are-missing",
            "grid.divisor = schedule.getThreads();",
            "grid.divisor = 2 * schedule.getThreads();",
        ),
    ),
    *of_file(
        "lib/Conversion/Pointwise/LowerPointwise.cpp",
        "Regression lit:Conversion lit:Regressions random lit:Emulator",
        (
            "last-vector-is-past-the-end",
            "emitter.less(last, total), [&] { storeAt(flatPoint(first, vector)); },",
            "emitter.less(first, total), [&] { storeAt(flatPoint(first, vector)); },",
        ),
        (
            "half-of-the-blocks-are-missing",
            "return {{{segment.extents, elements * threads * unroll}}};",
            "return {{{segment.extents, 2 * elements * threads * unroll}}};",
        ),
        (
            "unrolled-steps-overlap",
            "emitter.add(emitter.mul(at.block, Index::constant(unroll)), step),",
            "emitter.add(at.block, step),",
        ),
        (
            "dynamic-rows-are-whole-vectors",
            "if (emitter.divides(vector, inner) ||",
            "if (!inner.isStatic() || emitter.divides(vector, inner) ||",
        ),
    ),
    *of_file(
        "lib/Conversion/Launch/OverlapLaunches.cpp",
        "lit:Conversion",
        (
            "kernels-do-not-wait",
            "      builder, loc, NVVM::GridDepActionKind::wait);",
            "      builder, loc, NVVM::GridDepActionKind::launch_dependents);",
        ),
        (
            "kernels-wait-again",
            "if (!control)",
            "if (!control || !wasEarly)",
        ),
    ),
]
