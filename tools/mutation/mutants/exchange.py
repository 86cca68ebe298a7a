"""Deliberate faults of what threads and blocks exchange, see __init__.py."""

from .mutant import of_file

EXCHANGE = [
    *of_file(
        "lib/Conversion/Reductions/ThreadReduce.cpp",
        "lit:Conversion lit:Regressions lit:Emulator",
        (
            "shuffles-stop-early",
            "for (int64_t distance = std::min(width, warpSize) / 2; distance > 0;",
            "for (int64_t distance = std::min(width, warpSize) / 2; distance > 1;",
        ),
        (
            "no-barrier-between-warps",
            "else\n    gpu::BarrierOp::create(frame.builder, frame.loc());",
            "",
        ),
        (
            "no-barrier-between-blocks",
            "meetInCluster(frame);\n  else",
            "gpu::BarrierOp::create(frame.builder, frame.loc());\n  else",
        ),
        (
            "no-arrival-is-waited-for",
            "awaitBytes(frame, group.arrival);\n  else",
            "gpu::BarrierOp::create(frame.builder, frame.loc());\n  else",
        ),
        (
            "a-cluster-of-columns-does-not-wait",
            "    awaitBytes(frame, group.arrival);\n    frame.ifTrue(wanted",
            "    frame.ifTrue(wanted",
        ),
        (
            "the-last-block-of-a-cluster-of-columns-is-not-expected",
            "bytes += lanesIn(value) * group.vectors * group.slices *",
            "bytes += lanesIn(value) * group.vectors * (group.slices - 1) *",
        ),
        (
            "each-block-of-a-cluster-finishes-columns",
            "frame.ifTrue(emitter.less(group.slice, Index::constant(1)), [&] {\n    frame",
            "frame.ifTrue(emitter.less(group.slice, Index::constant(2)), [&] {\n    frame",
        ),
        (
            "lanes-are-taken-from-the-first-slice-on",
            ": emitter.mul(lane, Index::constant(group.slices));",
            ": lane;",
        ),
        (
            "a-state-of-each-block-is-not-expected",
            "return known ? 0\n                 : group.width / warpSize *",
            "return known ? 0\n                 : (group.width / warpSize - group.blocks) *",
        ),
        (
            "one-block-of-a-cluster-hears-nothing",
            "emitter.less(inWarp, Index::constant(group.blocks))",
            "emitter.less(inWarp, Index::constant(std::max<int64_t>(\n"
            "                                     1, group.blocks - 1)))",
        ),
        (
            "rows-share-their-slots",
            "emitter.mul(group.group, Index::constant(warps));",
            "group.group;",
        ),
        (
            "only-the-last-warp-counts",
            "parts.size() > 1 ? reducer.combineAll(parts) : parts.front();",
            "parts.back();",
        ),
        (
            "half-of-the-warps-count-twice",
            "frame.emitter.rem(group.lane, Index::constant(lanes))",
            "frame.emitter.rem(group.lane, Index::constant(lanes / 2))",
        ),
        (
            "a-double-is-its-low-half-twice",
            "exchange(vector::ExtractOp::create(builder, loc, words, i)));",
            "exchange(vector::ExtractOp::create(builder, loc, words, 0)));",
        ),
    ),
    *of_file(
        "lib/Conversion/Reductions/ClusterExchange.cpp",
        "lit:Conversion lit:Emulator",
        (
            "cluster-barrier-orders-nothing",
            "NVVM::ClusterArriveOp::create(frame.builder, frame.loc(), aligned(frame));\n"
            "  awaitCluster(frame);",
            "NVVM::ClusterArriveRelaxedOp::create(frame.builder, frame.loc(), aligned(frame));\n"
            "  awaitCluster(frame);",
        ),
        (
            "arrivals-are-not-fenced",
            'inlinePTX(frame, {}, "fence.mbarrier_init.release.cluster;", "");',
            "",
        ),
        (
            "an-arrival-of-the-own-block",
            "inBlock(frame, arrival, rank)},",
            "inBlock(frame, arrival, Index::constant(0))},",
        ),
        (
            "half-of-the-bytes-are-expected",
            "word(frame, Index::constant(bytes))},",
            "word(frame, Index::constant(bytes / 2))},",
        ),
        (
            "nobody-waits-for-the-cluster",
            "aligned(frame));\n  awaitCluster(frame);",
            "aligned(frame));",
        ),
    ),
    *of_file(
        "lib/Conversion/Reductions/GridExchange.cpp",
        "lit:Conversion lit:Emulator lit:Programs lit:tools",
        (
            "blocks-arrive-without-a-fence",
            "  LLVM::FenceOp::create(builder, loc, LLVM::AtomicOrdering::acq_rel,\n"
            "                        deviceScope);\n",
            "",
        ),
        (
            "blocks-read-what-they-cannot-see",
            "LLVM::AtomicOrdering::acquire, deviceScope);",
            "LLVM::AtomicOrdering::monotonic, deviceScope);",
        ),
        (
            "threads-read-before-their-block-has-met-the-others",
            "  gpu::BarrierOp::create(frame.builder, frame.loc());\n  ReductionStates",
            "  ReductionStates",
        ),
        (
            "threads-go-on-before-their-block-has-met-the-others",
            "  gpu::BarrierOp::create(frame.builder, frame.loc());\n}",
            "}",
        ),
        (
            "blocks-meet-before-their-threads-are-done",
            "written.\n  gpu::BarrierOp::create(frame.builder, frame.loc());",
            "written.",
        ),
        (
            "one-block-is-not-heard",
            "      {group.lane, blocks, Index::constant(group.width)}",
            "      {emitter.add(group.lane, one), blocks, Index::constant(group.width)}",
        ),
    ),
]
