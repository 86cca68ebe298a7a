"""Deliberate faults of contractions by TMA and wgmma, see __init__.py."""

from .mutant import of_file

WGMMA = [
    *of_file(
        "lib/Conversion/Mma/LowerMma.cpp",
        "lit:Emulator/contractions lit:Emulator/gathered lit:Emulator/multicast "
        "lit:Emulator/float8 lit:Emulator",
        (
            "wgmma-slot-is-released-while-it-is-multiplied",
            "ring.release(ring.previousSlot(place), self.thread, isLater);",
            "ring.release(place.slot, self.thread, isLater);",
        ),
        (
            "wgmma-products-are-not-awaited-before-their-slot-is-released",
            "  products.front().awaitAllButOne();\n",
            "",
        ),
        (
            "wgmma-sums-are-read-too-soon",
            "sums[i] = products[i % products.size()].awaitAll(sums[i]);",
            "sums[i] = sums[i];",
        ),
        (
            "wgmma-products-without-a-fence",
            "  products.front().fence();\n",
            "",
        ),
        (
            "wgmma-products-of-no-group",
            "  products.front().commit();\n",
            "",
        ),
        (
            "wgmma-producer-waits-for-the-other-phase",
            "forEachTile(/*parity=*/1, [&](",
            "forEachTile(/*parity=*/0, [&](",
        ),
        (
            "wgmma-last-step-is-left-out",
            "Value steps = b.ceilDiv(",
            "Value steps = b.div(",
        ),
        (
            "wgmma-sums-of-the-tile-before-stay",
            "Value isLater = b.differs(step, firstStep);",
            "Value isLater = b.equal(b.word(0), 0);",
        ),
        (
            "wgmma-consumers-have-the-same-rows",
            "if (!schedule.sharesColumns())\n    offset =",
            "if (false)\n    offset =",
        ),
        (
            "wgmma-block-ends-while-others-read-its-sums",
            "  if (isClustered())\n    meetAll();\n  return",
            "  return",
        ),
        (
            "wgmma-sums-of-a-step-of-bytes-replace-the-others",
            "sum = products[number % products.size()].add(sums[number], sum);",
            "sum = sum;",
        ),
        (
            "wgmma-slot-of-bytes-is-never-released",
            "  ring.release(place.slot, self.thread);\n  if (!blockSums.empty())",
            "  if (!blockSums.empty())",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/TileCopies.cpp",
        "lit:Emulator/multicast lit:Emulator/contractions lit:Emulator",
        (
            "wgmma-fewer-bytes-are-expected",
            "ring.expect(place, schedule.slotBytes());",
            "ring.expect(place, schedule.slotBytes() - 128);",
        ),
        (
            "wgmma-blocks-of-a-cluster-copy-the-same-rows",
            "sharers > 1 ? order.rank() : b.word(0), boxRows / sharers",
            "b.word(0), boxRows / sharers",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/BlockSums.cpp",
        "lit:Emulator/block-scales",
        (
            "block-scales-of-a-row-count-for-all",
            "numbers.push_back(known.try_emplace(value, known.size()).first->second);",
            "numbers.push_back(known.try_emplace(value, known.size()).first->second * 0);",
        ),
        (
            "block-scales-are-left-out",
            "    factor = product;\n",
            "",
        ),
        (
            "block-sums-replace-the-others",
            "total = addTo(total, lane);",
            "total = lane;",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/LowerMma.cpp",
        "lit:Emulator/block-scales lit:Emulator/gated-block-scales",
        (
            "block-scales-of-the-first-contraction-count-for-all",
            "its.add(block, sumsOf(sums, only, number), sumsOf(added, only, number));",
            "blockSums.front().add(block, sumsOf(sums, only, number), sumsOf(added, only, number));",
        ),
        (
            "block-scales-are-those-of-the-step-before",
            "b.min(b.add(step, 1), b.sub(lastStep, b.word(1)))",
            "step",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/Wgmma.cpp",
        "lit:Emulator/contractions lit:Emulator",
        (
            "wgmma-operands-of-another-swizzle",
            "(int64_t(1) << 62);",
            "(int64_t(2) << 62);",
        ),
        (
            "wgmma-operands-across-k-count-as-along-it",
            "this->right.isAlongK ? 0 : 1)",
            "0)",
        ),
        (
            "wgmma-instructions-take-the-same-elements",
            "operand.stepOffset(step) / descriptorUnit;",
            "operand.stepOffset(0) / descriptorUnit;",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/TileRing.cpp",
        "lit:Emulator/contractions lit:Emulator/multicast lit:Emulator",
        (
            "wgmma-parity-does-not-change",
            "b.select(wraps, b.bitXor(place.parity, b.word(1)), place.parity)",
            "place.parity",
        ),
        (
            "wgmma-one-consumer-frees-a-slot",
            "b.word(consumers * sharers),",
            "b.word(sharers),",
        ),
        (
            "wgmma-slot-is-free-for-one-block-of-a-cluster",
            "b.inBlock(empty(slot), thread)",
            "empty(slot)",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/MmaEpilogue.cpp",
        "lit:Emulator/epilogues lit:Emulator/contractions lit:Emulator",
        (
            "wgmma-buffer-is-filled-while-it-is-copied",
            "b.builder, b.loc(), uint32_t(followsItself || use.hasStores ? 0 : 1),",
            "b.builder, b.loc(), uint32_t(2),",
        ),
        (
            "wgmma-buffer-is-copied-before-all-have-filled-it",
            "  meet();\n  b.frame.ifTrue(isLeader,\n                 [&] { copyBuffer(",
            "  b.frame.ifTrue(isLeader,\n                 [&] { copyBuffer(",
        ),
        (
            "wgmma-buffer-is-copied-without-a-fence-of-proxies",
            "  NVVM::FenceProxyOp::create(\n      b.builder, b.loc(), "
            "NVVM::ProxyKind::async_shared,\n      NVVM::SharedSpaceAttr::get("
            "b.builder.getContext(),\n                                 "
            "NVVM::SharedSpace::shared_cta));\n",
            "",
        ),
        (
            "wgmma-copies-are-not-awaited-at-the-end",
            "  if (!use.hasCopies)\n    return;",
            "  if (true)\n    return;",
        ),
        (
            "wgmma-residual-is-read-before-it-is-there",
            "    if (tileInputs.isEdge(at))\n      ring.awaitFull(stage);",
            "",
        ),
        (
            "wgmma-stage-of-a-residual-is-released-before-all-have-read-it",
            "    meet();\n    ring.release(stage.slot, self.thread);",
            "    ring.release(stage.slot, self.thread);",
        ),
        (
            "wgmma-ragged-edge-counts-as-whole",
            "[&] { writeAll(/*hasEdges=*/true); });",
            "[&] { writeAll(/*hasEdges=*/false); });",
        ),
        (
            "wgmma-columns-past-the-edge-are-reduced",
            "isCut ? emitter.less(places.columns[column], size(space.n))\n"
            "                 : Value()",
            "Value()",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/SumsExchange.cpp",
        "lit:Emulator/gathered lit:Emulator",
        (
            "wgmma-sums-of-other-blocks-are-not-awaited",
            "  b.awaitPhase(written, parityOf(turn, 0), NVVM::MemScopeKind::CLUSTER);\n",
            "",
        ),
        (
            "wgmma-sums-are-overwritten-while-others-read-them",
            "    b.awaitPhase(read, parityOf(turn, 1), NVVM::MemScopeKind::CLUSTER);\n",
            "",
        ),
        (
            "wgmma-read-sums-are-not-reported",
            "b.frame.ifTrue(turn.isFollowed, [&] { arriveEverywhere(read); });",
            "return;",
        ),
    ),
    *of_file(
        "lib/Conversion/Mma/GatheredEpilogue.cpp",
        "lit:Emulator/gathered lit:Emulator",
        (
            "wgmma-sums-of-a-part-are-lost",
            "for (Value part : llvm::drop_begin(parts))",
            "for (Value part : llvm::drop_begin(parts, parts.size() > 2 ? 2 : 1))",
        ),
        (
            "wgmma-results-past-the-edge-are-written",
            "b.frame.ifTrue(share.isInside, [&, &computed = computed] {",
            "b.frame.ifTrue(Value(), [&, &computed = computed] {",
        ),
        (
            "wgmma-parts-of-heads-are-read-as-whole-ones",
            "b.mul(b.add(start, i * inTile()), schedule.sumBytes())",
            "b.mul(b.add(start, i * apart()), schedule.sumBytes())",
        ),
    ),
]
