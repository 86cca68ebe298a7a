"""Deliberate faults of what is decided of a program before its kernels are lowered, see __init__.py."""

from .mutant import of_file

PROGRAM = [
    *of_file(
        "lib/Analysis/DimClasses.cpp",
        "Analysis lit:Fusion Regression",
        (
            "broadcast-dims-are-equal",
            "    if (type.getDimSize(axis) != 1)\n      unite(operand, axis, result, axis + shift);",
            "    if (type.getDimSize(axis) != 2)\n      unite(operand, axis, result, axis + shift);",
        ),
        (
            "kept-dims-are-not-counted",
            "out += !reduced || keep;",
            "out += !reduced;",
        ),
    ),
    *of_file(
        "lib/Analysis/InPlace.cpp",
        "Analysis Execution",
        (
            "pairs-need-not-lie-in-one-thread",
            "return rotary.getInput() == operand && rotatesInThread(rotary);",
            "return rotary.getInput() == operand;",
        ),
        (
            "broadcast-inputs-are-read-in-place",
            "dims.extents(input) == extents &&\n          isReadInPlace(input, extents))",
            "dims.extents(input) == extents)",
        ),
        (
            "what-other-rows-read-is-overwritten",
            "!isReadElsewhere(number, input) && dims.extents(input) == extents &&",
            "dims.extents(input) == extents &&",
        ),
    ),
    *of_file(
        "lib/Schedule/VectorWidth.cpp",
        "lit:Schedule lit:Examples",
        (
            "vectors-need-not-divide",
            "while (vector > 1 && size % vector != 0)",
            "while (vector > 8 && size % vector != 0)",
        ),
        (
            "dynamic-rows-have-wide-vectors",
            "  if (!target.divisible)\n    return 1;\n",
            "",
        ),
    ),
    *of_file(
        "lib/Analysis/ReductionSegments.cpp",
        "lit:Schedule lit:Fusion",
        (
            "short-even-rows-leave-edges",
            "  if (length % 2 != 0)\n    return length >= shortestOddWithEdges;",
            "  if (true)\n    return length >= shortestOddWithEdges;",
        ),
        (
            "short-odd-rows-leave-none",
            "return length >= shortestOddWithEdges;",
            "return length >= 1024;",
        ),
        (
            "halves-leave-edges-as-quarters",
            "areHalves ? fewestInsteadOfHalves : fewestWithEdges",
            "fewestWithEdges",
        ),
    ),
    *of_file(
        "lib/Dialect/Fuse/Transforms/SplitReductions.cpp",
        "lit:Dialect/Fuse/Transforms",
        (
            "shared-rows-are-cut",
            "busy *= options.blocksPerRow;",
            "busy *= 1;",
        ),
        (
            "any-shared-reduction-is-of-rows",
            "bool areRows = op.getDims().front() == rank - reduced;",
            "bool areRows = overLast;",
        ),
    ),
    *of_file(
        "lib/Fusion/CostModel.cpp",
        "lit:Fusion",
        (
            "clusters-share-no-rows",
            "      machine.mostBlocksPerRow);",
            "      1.0);",
        ),
    ),
    *of_file(
        "lib/Fusion/BindDims.cpp",
        "lit:Fusion lit:tools Regression",
        (
            "static-dims-get-names",
            "extent.isStatic() ? std::to_string(extent.size)",
            'extent.isStatic() ? std::string("n")',
        ),
    ),
    *of_file(
        "lib/Dialect/Fuse/IR/Reduction.cpp",
        "lit:Dialect/Fuse/Transforms",
        (
            "variances-from-another-mean",
            "mean.getInput() == of && mean.getDims() == getDims();",
            "mean.getDims() == getDims();",
        ),
        (
            "variances-over-other-dimensions",
            "mean.getInput() == of && mean.getDims() == getDims();",
            "mean.getInput() == of;",
        ),
    ),
    *of_file(
        "lib/Dialect/Fuse/Transforms/Welford.cpp",
        "lit:Dialect/Fuse/Transforms lit:Schedule",
        (
            "variances-in-registers-stay-one",
            "!isa<RegistersHoldAttr>(rows.getHold()) ||",
            "rows ||",
        ),
        (
            "variances-that-go-on-are-statistics",
            "if (statisticsOnly && !areColumns(mean) && reachesShape(mean, squares))",
            "if (statisticsOnly && !mean)",
        ),
    ),
    *of_file(
        "lib/Dialect/Fuse/Transforms/DecomposeTensor.cpp",
        "lit:Dialect/Fuse/Transforms",
        ("slices-past-the-end", "if (!isInside(", "if (false && !isInside("),
        ("pads-without-a-size", "if (!haveSum({size, low, high}))", "if (false)"),
    ),
    *of_file(
        "lib/Codegen/NVPTX.cpp",
        "lit:Regressions lit:Codegen",
        (
            "constants-of-packed-additions-reach-ptxas",
            "splitNarrowAdditions(ir);",
            "",
        ),
        ("magnitudes-are-no-less-than-0", "keepMagnitudesUnbounded(ir);", ""),
        ("lanes-are-converted-one-by-one", "unpackBFloat16(ir);", ""),
        ("comparisons-forget-nan", "keepNaNsOutOfComparisons(ir);", ""),
    ),
    *of_file(
        "lib/Codegen/UnpackBFloat16.cpp",
        "lit:Codegen",
        (
            "carried-lanes-are-unpacked",
            "!conversion || isCarried(",
            "!conversion || !isCarried(",
        ),
        (
            "an-upper-lane-keeps-the-lower",
            "builder.CreateAnd(word, 0xffff0000)",
            "builder.CreateAnd(word, 0xffffffff)",
        ),
    ),
    *of_file(
        "lib/Analysis/AcrossRows.cpp",
        "Analysis lit:Fusion lit:Random/Regressions",
        (
            "any-reduction-is-of-rows",
            "return isReduction(op) && reducedDims(op) == ArrayRef(rows.reduced) &&",
            "return isReduction(op) ||",
        ),
        (
            "some-rows-are-all",
            "return llvm::equal(reduced, leading);",
            "return !llvm::is_contained(reduced, domain.size() - 1);",
        ),
        (
            "what-follows-may-need-rows",
            "if (ofRows.contains(operand))\n        return false;",
            "",
        ),
        (
            "what-follows-may-have-rows",
            "return found.spaces[*number].isReducedShape(dims.extents(result));",
            "return true;",
        ),
    ),
    *of_file(
        "lib/Dialect/Fuse/Transforms/RaiseMovement.cpp",
        "lit:Dialect/Fuse/Transforms lit:Programs random",
        (
            "rows-become-columns",
            "staysFrom(reducedDims(other).front());",
            "true;",
        ),
        (
            "moved-tokens-are-heads",
            "rotary.setOrder(rotary.getOrder() == HeadOrder::tokens_heads",
            "rotary.setOrder(rotary.getOrder() == HeadOrder::heads_tokens",
        ),
        (
            "any-batch-moves",
            "return hasBatch || ofOne;",
            "return true;",
        ),
        (
            "moves-past-what-others-need",
            "return hasRank && llvm::all_of(op->getUsers(), isInside) &&",
            "return hasRank &&",
        ),
        (
            "what-is-reduced-may-have-another-size",
            "return shape[dim] == input[dim] && (isKnown ||",
            "return (isKnown ||",
        ),
    ),
    *of_file(
        "lib/Dialect/Fuse/Transforms/PropagateReshapes.cpp",
        "lit:Dialect/Fuse/Transforms lit:Programs",
        (
            "expansions-part-rows",
            "if (followsFromReduction(expand.getSrc()))",
            "if (false)",
        ),
    ),
    *of_file(
        "lib/Fusion/Legality.cpp",
        "lit:Fusion lit:Programs random",
        (
            "columns-of-rows-are-scattered",
            "path.empty() && end <= segment.space.reduced.front();",
            "path.empty();",
        ),
    ),
    *of_file(
        "lib/Analysis/DimClasses.cpp",
        "lit:Programs",
        ("names-say-no-sizes", "    uniteNames(function);", "    (void)function;"),
    ),
    *of_file(
        "lib/Fusion/Groups.cpp",
        "lit:Fusion",
        (
            "paths-never-go-back",
            "unsigned last = horizon(position(members[to].back()));",
            "unsigned last = position(members[to].back());",
        ),
    ),
    *of_file(
        "lib/Fusion/CollapseDims.cpp",
        "lit:Fusion",
        (
            "collapsed-kernels-keep-dead-ops",
            "for (Operation *kernel : collapsed)",
            "for (Operation *kernel : llvm::SetVector<Operation *>())",
        ),
        (
            "names-of-sizes-are-not-known-where-dims-are-collapsed",
            "return collapseReduced(reduce, dims);",
            "return collapseReduced(reduce, DimClasses(kernel));",
        ),
    ),
    *of_file(
        "lib/Fusion/MergeGroups.cpp",
        "lit:Fusion/row-order lit:Programs/row-order",
        (
            "walks-in-order-are-compared-as-rows",
            "if (hasSeveralContractions(ops) || takeTurns)",
            "if (hasSeveralContractions(ops))",
        ),
    ),
    *of_file(
        "lib/Fusion/CostModel.cpp",
        "lit:Fusion/row-order",
        (
            "few-long-rows-in-order-take-what-blocks-could-share",
            "return ordered->areRows() ? busyWith(estimatedElements(ordered->kept()))",
            "return ordered->areRows() ? 1.0",
        ),
    ),
]
