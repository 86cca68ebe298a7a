"""Deliberate faults in the choice of schedules of rows, see __init__.py."""

from .mutant import of_file

ROWS = [
    *of_file(
        "lib/Schedule/RowsInSharedMemory.cpp",
        "lit:Schedule",
        (
            "parts-of-rows-fill-a-multiprocessor",
            "if (2 * bytes <= room)",
            "if (bytes <= room)",
        ),
        (
            "every-chip-has-large-clusters",
            "areFew || bytes > portable * largePart\n",
            "true\n",
        ),
        (
            "wide-vectors-are-two-copies",
            "if (vectorBytes > accessBytes)",
            "if (vectorBytes > 2 * accessBytes)",
        ),
        (
            "long-light-rows-are-in-shared-memory",
            "if (RowsScheduleAttr held = proposeSpreadInRegisters())",
            "if (RowsScheduleAttr held = RowsScheduleAttr())",
        ),
        (
            "f32-with-variances-have-large-parts",
            "return deviationPart;",
            "return usualPart;",
        ),
        (
            "short-parts-have-half-the-threads",
            "if (loadsAhead && isDivided && isShort)",
            "if (loadsAhead && isDivided && false)",
        ),
        (
            "exponentials-have-their-weights-ahead",
            "hasWeights && !hasExp && !isWide &&\n      (hasDeviations",
            "hasWeights && !isWide &&\n      (hasDeviations",
        ),
    ),
    *of_file(
        "lib/Schedule/RowsOnGPU.cpp",
        "lit:Schedule",
        (
            "spread-f32-have-few-threads",
            "{2 * streamThreads, mostOfManyThreads}",
            "{streamThreads, mostOfManyThreads}",
        ),
        (
            "narrow-rows-are-spread",
            "widestBytes * vector != accessBytes || vector > 4 ||",
            "widestBytes * vector != accessBytes ||",
        ),
        (
            "nine-vectors-read-once-have-four-threads",
            "return isHalfEmpty || areFewWords ? group / 2 : group;",
            "return areFewWords ? group / 2 : group;",
        ),
        (
            "groups-of-which-most-have-one-vector",
            "return isEmpty ? group / 2 : group;",
            "return group;",
        ),
        (
            "half-of-the-warps-are-too-many",
            "placesForEach(vectors, group) > (isRare ? 1.5 : most) &&",
            "placesForEach(vectors, group) > most &&",
        ),
        (
            "uneven-rows-share-a-block",
            "std::max(group, areUneven ? smallestWholeBlock : smallestBlock);",
            "std::max(group, smallestBlock);",
        ),
        (
            "steps-leave-over-more-than-they-take",
            "bool areHalf = !areWords && !isLong && length % (step / 2) != 0;",
            "bool areHalf = false;",
        ),
        (
            "staged-steps-of-several-inputs-have-no-room",
            "unroll / inputs, /*in_registers=*/0,",
            "unroll, /*in_registers=*/0,",
        ),
        (
            "one-row-for-all-threads",
            "return make(threads, threads / group, HoldKind::registers);",
            "return make(threads, 1, HoldKind::registers);",
        ),
        (
            "one-element-more-doubles-the-threads",
            "number <= below + below / 8;",
            "number <= below;",
        ),
        (
            "heavy-unaligned-rows-are-in-the-caches",
            "if (RowsScheduleAttr shared = proposeHeavyUnaligned())",
            "if (RowsScheduleAttr shared = RowsScheduleAttr())",
        ),
    ),
    *of_file(
        "lib/Schedule/RowsInCaches.cpp",
        "lit:Schedule",
        (
            "some-threads-have-a-vector-less",
            "if (length % vector != 0 || vectors % usual == 0)",
            "if (length % vector != 0 || vectors % usual >= 0)",
        ),
        (
            "large-blocks-of-few-vectors",
            "if (isLarge && vectors < fewestInLarge * threads)",
            "if (isLarge && vectors < threads)",
        ),
        (
            "light-rows-have-few-threads",
            "if (isNear(threads, wanted) && (near == 0 || isLight))",
            "if (isNear(threads, wanted) && near == 0)",
        ),
        (
            "several-f32-are-read-again-as-long-as-one",
            "length % vector == 0 ? cacheAccesses * 7 / 16 : cacheAccesses;",
            "cacheAccesses / 2;",
        ),
        (
            "several-inputs-take-any-registers",
            "return isBounded ? boundedOfSeveral / threads : 0;",
            "return 0;",
        ),
        (
            "f32-of-several-inputs-take-any-registers",
            "int64_t fewest = vector > 4 ? cacheAccesses / 4 : fewestBoundedWords;",
            "int64_t fewest = cacheAccesses / 4;",
        ),
        (
            "long-variances-have-few-threads",
            "int64_t threads = length <= longBounded ? fewBounded : manyBounded;",
            "int64_t threads = fewBounded;",
        ),
        (
            "long-variances-of-any-vectors",
            "(threads == manyBounded && vectors % threads != 0)",
            "false",
        ),
        (
            "variances-of-brief-calls-are-bounded",
            "length <= longestBounded && !isSmall() &&",
            "length <= longestBounded &&",
        ),
        (
            "variances-with-work-are-bounded",
            "!repeatsWork() && llvm::none_of(",
            "llvm::none_of(",
        ),
        (
            "variances-of-long-ops-are-bounded",
            "return isSpecialFunction(op) &&",
            "return false &&",
        ),
        (
            "divided-rows-stay-in-the-caches",
            "length > longestDividedCached &&",
            "false &&",
        ),
    ),
    *of_file(
        "lib/Schedule/RowsInSharedMemory.cpp",
        "lit:Schedule",
        (
            "parts-of-clusters-take-any-registers",
            "isBounded ? boundedThreads / threads : 0",
            "0",
        ),
    ),
    *of_file(
        "lib/Schedule/Candidates.cpp",
        "lit:Schedule",
        (
            "few-threads-are-overruled",
            "fewestFittedThreads = 16;",
            "fewestFittedThreads = 8;",
        ),
    ),
    *of_file(
        "lib/Schedule/ShortRows.cpp",
        "lit:Schedule",
        (
            "f32-variances-have-a-warp",
            "length <= halfWarpDeviations ? warpSize / 2 : warpSize",
            "warpSize",
        ),
        (
            "a-warp-has-every-row-of-two-f32",
            "length <= oneWarpOfTwoWords",
            "true",
        ),
        (
            "guarded-elements-are-free",
            "guarded * shares.guarded",
            "0 * shares.guarded",
        ),
        (
            "whole-vectors-are-held-as-others",
            "length % rowVector == 0 ? heldWholeFree",
            "length % rowVector == 0 ? heldFree",
        ),
        (
            "weighted-variances-in-full-vectors",
            "  return holdShort(wide, threads);\n}\n\n/// A row",
            "  return {};\n}\n\n/// A row",
        ),
        (
            "two-inputs-without-edges",
            "if (wide <= fullVector && length <= longest)",
            "if (wide <= fullVector && length <= wide * threads)",
        ),
        (
            "exponentials-once-in-a-loop",
            "length <= longestOnce)",
            "length < shortestOnce)",
        ),
        (
            "held-elements-are-free",
            "return threads * work * (1 + costOfHeld * more);",
            "return threads * work;",
        ),
        (
            "8-bit-results-have-narrow-accesses",
            "std::max<int64_t>(1, fewestAccessBytes / narrowestBytes);",
            "1;",
        ),
        (
            "cut-weights-are-free",
            "double element = isCut ? workOfCut : 1;",
            "double element = 1;",
        ),
        (
            "short-brief-rows-are-as-others",
            "if (RowsScheduleAttr brief = proposeShortBrief())",
            "if (RowsScheduleAttr brief = RowsScheduleAttr())",
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
    *of_file(
        "lib/Schedule/RowsInSmallCalls.cpp",
        "lit:Schedule",
        (
            "few-rows-are-shared-by-none",
            ": target.few;",
            ": false;",
        ),
        (
            "brief-calls-have-few-threads",
            ": target.brief;",
            ": false;",
        ),
        (
            "brief-rows-are-shared-unevenly",
            "length % (sharingBlocks * smallestBlock * vector) == 0 &&",
            "",
        ),
        (
            "short-exponentials-are-shared",
            "bool areLong = once || (hasExp && widestBytes < wordBytes);",
            "bool areLong = once;",
        ),
        (
            "brief-rows-read-once-are-held",
            "if (once && blocks <= sharingBlocks)",
            "if (once && blocks == 1)",
        ),
        (
            "divided-exponentials-spill",
            "wanted *= 2;",
            "wanted *= 1;",
        ),
        (
            "edges-are-held-as-other-rows",
            "if (length % vector != 0)\n    return proposeModerateUnaligned();",
            "",
        ),
        (
            "copied-rows-have-few-threads",
            "threads = moderateCopiedThreads();",
            "threads = smallestBlock;",
        ),
        (
            "copied-rows-have-eleven-warps",
            "return accesses <= onceVectors * elevenWarps ? elevenWarps : loopThreads;",
            "return elevenWarps;",
        ),
        (
            "moderate-rows-have-one-block",
            "if (RowsScheduleAttr spread = proposeModerateSpread())",
            "if (RowsScheduleAttr spread = RowsScheduleAttr())",
        ),
        (
            "moderate-rows-are-not-copied",
            "if (RowsScheduleAttr copied = proposeModerateCopied())",
            "if (RowsScheduleAttr copied = RowsScheduleAttr())",
        ),
        (
            "one-vector-leaves-weights",
            "return proposeModerateShort();",
            "return {};",
        ),
        (
            "narrow-elements-need-no-room",
            "if (!areWords && (needsRoom || isDivided()) && length > threads * mostEach)",
            "if (false)",
        ),
        (
            "shared-memory-of-large-calls-is-not-taken",
            "large && large.getHold() == HoldKind::shared",
            "false",
        ),
        (
            "one-vector-read-once-has-a-block",
            "return make(threads, threads / warpSize, HoldKind::cache);",
            "return make(threads, 1, HoldKind::cache);",
        ),
        (
            "narrow-logits-are-cached",
            "isLong && fits ? HoldKind::shared : HoldKind::cache",
            "HoldKind::cache",
        ),
        (
            "pairs-of-vectors-need-the-smallest-block",
            "if (vectors > smallestBlock && vectors % (2 * warpSize) == 0)",
            "if (false)",
        ),
        (
            "divided-pairs-are-of-four-rows",
            "if (isDivided() && vectors == smallestBlock)",
            "if (false)",
        ),
        (
            "weights-are-for-small-blocks",
            "if (isWeighed() && (inputs > 1",
            "if (false && (inputs > 1",
        ),
        (
            "exponentials-never-have-six-warps",
            "vectors % three == 0)",
            "false)",
        ),
        (
            "odd-f32-have-larger-blocks",
            "if (inputs > 1 && length < longModerateWords && isOdd &&",
            "if (false &&",
        ),
        (
            "divided-rows-are-held-in-registers",
            "if (RowsScheduleAttr cached = proposeModerateCached(threads))",
            "if (RowsScheduleAttr cached = RowsScheduleAttr())",
        ),
        (
            "uneven-rows-are-not-copied",
            "else if (isNarrow && isWeighed() && accesses > loopThreads &&\n           accesses != 2 * loopThreads)",
            "else if (false)",
        ),
        (
            "short-variances-have-blocks-of-their-own",
            "if (RowsScheduleAttr pair = proposeModeratePair())",
            "if (RowsScheduleAttr pair = RowsScheduleAttr())",
        ),
        (
            "two-accesses-count-once",
            "if (length < moderateWords || accesses < 2 * two)",
            "if (length < moderateWords || vectors < 2 * two)",
        ),
        (
            "sums-over-rows-are-shared",
            "if (!segment.across.empty() || inputs == 0 || inputs > 2 ||",
            "if (inputs == 0 || inputs > 2 ||",
        ),
        (
            "shared-rows-have-threads-of-one-vector",
            "if (vectors < 2 * blocks * smallestBlock)",
            "if (false)",
        ),
        (
            "shared-rows-have-the-usual-threads",
            "if (llvm::alignTo(vectors, threads) < llvm::alignTo(vectors, best))",
            "if (false)",
        ),
        (
            "two-blocks-hold-more-than-they-can",
            "if (areWords && length > blocks * moderateSpreadThreads(blocks) * most)",
            "if (false)",
        ),
        (
            "shared-rows-of-narrow-elements-are-held",
            "if (RowsScheduleAttr shared = proposeModerateSpreadShared(blocks))",
            "if (RowsScheduleAttr shared = RowsScheduleAttr())",
        ),
        (
            "lone-blocks-load-weights-late",
            "length >= loopThreads * moderateHeld",
            "false",
        ),
        (
            "f32-read-once-are-uneven",
            "return areWords && areUneven ? std::max(threads / 2, smallestBlock) : threads;",
            "return threads;",
        ),
        (
            "the-longest-rows-are-held-in-registers",
            "(!once && widestBytes * length > longestSharedInRegisters)",
            "false",
        ),
        (
            "few-long-rows-have-one-block",
            "blocks = std::min<int64_t>(blocks, target.gpu->portableClusterSize);",
            "blocks = 1;",
        ),
    ),
    *of_file(
        "lib/Schedule/RowsAcross.cpp",
        "lit:Schedule",
        (
            "sums-of-columns-keep-rows-in-registers",
            "bool isNarrow = vector > 4 && inputs > 1 && row >= leastNarrowRow;",
            "bool isNarrow = false;",
        ),
        (
            "sums-have-one-row-in-shared-memory",
            "return haveRoomForSums(threads, blocks, 2) ? 2 : 1;",
            "return 1;",
        ),
        (
            "three-rows-are-for-whoever-has-room",
            "if (columnSums() == 1 && (areShort || areLong) &&",
            "if (columnSums() == 1 &&",
        ),
        (
            "sums-of-several-have-as-many-threads",
            "if (columnSums() > 1) {\n    for",
            "if (columnSums() > 9) {\n    for",
        ),
        (
            "ptxas-may-take-what-it-likes-for-sums",
            ".withLeastBlocks(isBounded ? blocks : 0);",
            ".withLeastBlocks(0);",
        ),
        (
            "sums-have-blocks-without-registers",
            "return blocks * threads * registers <= target.gpu->registersPerSM &&",
            "return",
        ),
    ),
]
