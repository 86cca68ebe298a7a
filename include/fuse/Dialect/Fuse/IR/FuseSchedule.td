//===- FuseSchedule.td - Schedule attributes ---------------*- tablegen -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_DIALECT_FUSE_IR_FUSESCHEDULE
#define FUSE_DIALECT_FUSE_IR_FUSESCHEDULE

include "fuse/Dialect/Fuse/IR/FuseScheduleParts.td"

def ScheduleAttrInterface : AttrInterface<"ScheduleAttrInterface"> {
  let cppNamespace = "::mlir::fuse";
  let description = [{
    The whole mapping of a kernel onto blocks, threads and vector lanes. The
    lowering obeys it and asks nobody else.
  }];
  let methods = [
    InterfaceMethod<"Threads in a block.", "int64_t", "getThreads">,
    InterfaceMethod<"Elements in a thread's vector.", "int64_t", "getVector">
  ];
}

class Fuse_AnySchedule<string name, string mnemonic_>
    : AttrDef<FuseDialect, name, [DeclareAttrInterfaceMethods<
          ScheduleAttrInterface, ["getThreads", "getVector"]>]> {
  let mnemonic = mnemonic_;
  let genVerifyDecl = 1;
}

class Fuse_Schedule<string name, string mnemonic_>
    : Fuse_AnySchedule<name, mnemonic_> {
  let assemblyFormat = "`<` struct(params) `>`";
}

// One with parts, which print without `#fuse.` (ScheduleAssembly.cpp).
class Fuse_ScheduleOfParts<string name, string mnemonic_>
    : Fuse_AnySchedule<name, mnemonic_> {
  let hasCustomAssemblyFormat = 1;
}

def PointwiseSchedule : Fuse_Schedule<"PointwiseSchedule", "pointwise"> {
  let summary = "one flat space a distinct output shape, cut into vectors";
  let description = [{
    Every distinct output shape is a segment: its elements, in row-major order,
    are cut into vectors of `vector` consecutive elements; a thread computes
    `unroll` vectors, `threads` apart. Where a rotary op of layout `half` pairs
    features d and d + R/2, a thread computes both vectors of the pair. In a
    segment with rotary ops it computes the same features of `heads`
    neighbouring heads, which turn by the same angles, or of as many as divide
    `heads`, the number of heads and that of the rotated ones. In others it so
    walks the dimension along which most of what it computes repeats. The
    segments follow each other in the grid.

    `vector` is a power of two. A last partial vector is computed element by
    element.
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$vector,
                        "int64_t":$unroll,
                        DefaultValuedParameter<"int64_t", "1">:$heads);
  let builders = [AttrBuilder<(ins "int64_t":$threads, "int64_t":$vector,
                                   "int64_t":$unroll), [{
    return $_get($_ctxt, threads, vector, unroll, /*heads=*/1);
  }]>];
}

def RowsSchedule : Fuse_ScheduleOfParts<"RowsSchedule", "rows"> {
  let summary = "rows reduced by a group of threads";
  let description = [{
    The reduced dimensions are the last ones; together they are the columns,
    the others are the rows. `threads / rows_per_block` threads work on a row,
    or `rows_per_thread` times as many, which then have so many rows; a thread
    takes vectors of `vector` consecutive columns. `hold` says where
    they stay between the passes over the row: `registers`, `cache`, `shared` or
    `loop`, each with parameters of its own, such as `shared<unroll = 2>`.

    `share` says which blocks share a row: those of a `cluster<N>`, or with
    `hold = loop` those of the whole `grid<N>`. One block has a row without.

    With `persistent` > 0 there are up to so many blocks, which stay: each takes
    the rows of one after the other, and keeps in registers what all rows read,
    such as weights. A kernel that reduces over all rows, too, wants that (the
    gradient of a weight, the mean of the rows' losses): blocks add up what they
    see, meet at a barrier of the grid, and combine what all have. There are then
    no more blocks than the device runs at the same time, and sums of columns
    want vectors that divide the row, and `hold = registers`, or `hold = shared`
    with the whole row in shared memory. With `preload` they load the next row
    while they reduce one.

    With `least_blocks` > 0 the assembler is told that so many blocks are to fit
    in a multiprocessor (`.minnctapersm`). It then takes no more registers than
    that leaves, and tends to take all of these, for loads ahead of what they are
    needed for.

    All but `loop` want a static number of columns. `vector` is a power of two
    that divides the last dimension.

    ```mlir
    schedule = #fuse.rows<threads = 256, vector = 8, rows_per_block = 1,
                          hold = registers<preload = true>, share = cluster<4>>
    ```
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$vector,
                        "int64_t":$rows_per_block, "HoldAttrInterface":$hold,
                        OptionalParameter<"ShareAttrInterface">:$share,
                        DefaultValuedParameter<"int64_t", "0">:$persistent,
                        DefaultValuedParameter<"int64_t", "0">:$least_blocks);
  let skipDefaultBuilders = 1;
  let builders = [AttrBuilder<(ins "int64_t":$threads, "int64_t":$vector,
                                   "int64_t":$rows_per_block,
                                   "HoldAttrInterface":$hold,
                                   CArg<"ShareAttrInterface", "{}">:$share,
                                   CArg<"int64_t", "0">:$persistent,
                                   CArg<"int64_t", "0">:$least_blocks), [{
    return $_get($_ctxt, threads, vector, rows_per_block, hold, share,
                 persistent, least_blocks);
  }]>];
  let extraClassDeclaration = [{
    /// Blocks that share a row; 1 for none.
    int64_t blocksPerRow() const;
    /// Blocks of a cluster; 1 for none.
    int64_t clusterSize() const { return sharesGrid() ? 1 : blocksPerRow(); }
    /// Whether all blocks of the launch share the only row.
    bool sharesGrid() const;
    /// Rows that a thread holds at the same time.
    int64_t rowsPerThread() const;
    /// The threads that share a row, of one block, a cluster or the grid.
    int64_t threadsPerRow() const {
      return getThreads() / groupsPerBlock() * blocksPerRow();
    }
    /// The groups of a block's threads that have rows of their own.
    int64_t groupsPerBlock() const {
      return getRowsPerBlock() / rowsPerThread();
    }
    /// The same schedule with rows held elsewhere, or otherwise.
    RowsScheduleAttr withHold(HoldAttrInterface hold) const;
    /// The same schedule with up to so many blocks that stay; 0 for one for
    /// each block of rows.
    RowsScheduleAttr withPersistent(int64_t blocks) const;
    /// The same schedule with registers for so many blocks; 0 for no such bound.
    RowsScheduleAttr withLeastBlocks(int64_t blocks) const;
  }];
}

def ColumnsSchedule : Fuse_ScheduleOfParts<"ColumnsSchedule", "columns"> {
  let summary = "some threads a vector of columns, places in loops";
  let description = [{
    The dimensions that are not reduced, in row-major order, are the columns;
    they are cut into vectors of `vector` consecutive ones; where the last
    dimension is reduced, it is the places that are. `splits` threads of
    a block share a vector: each walks every `splits`-th place of the reduced
    dimensions, and their partial results are
    combined in a fixed order through shared memory. Reductions that depend on
    each other, and results that have the reduced dimensions, take further
    walks. `hold` is `registers`, or `loop` (which it is if left out), of so many
    places a step as its `unroll` says.

    With `hold = loop`, `share` says which blocks share a column: those of a
    `cluster<N>`, or up to N in `parts<N>`, both for kernels in which no
    reduction depends on another and no result has the reduced dimensions. One
    block has a column without.

    With `fold` > 1 so many neighbouring rows are walked as one, whose length
    `vector` divides though it does not divide that of one: its vectors lie where
    memory is aligned, and cross from row to row. Each block leaves its states
    for each of these rows, as a part for each, and the second launch combines
    them, and walks the rows that are left over. Only for kernels where one walk
    is enough, a static last dimension is the only one that stays, all that comes
    before the reductions is pointwise, and all results are reduced; with `hold =
    loop` and without clusters.

    With `evict_first` (and one stage) loads of what streams ask the L2 to drop
    their lines before any others. A line that stays of what was written before
    need not be written back then to make room, which takes time where a call
    moves little beside the L2's size.

    `vector` is a power of two. It divides the last dimension, unless that is the
    only one that is reduced and `hold = loop`: vectors then start where memory is
    aligned, and the edges of a column are single elements; or unless it is the
    only one that stays, all results have its size, and `hold = loop`: vectors are
    then cut out of aligned ones. `splits` divides
    `threads`.

    ```mlir
    schedule = #fuse.columns<threads = 256, vector = 4, splits = 16,
                             hold = loop<unroll = 2, stages = 4>,
                             share = cluster<4>>
    ```
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$vector,
                        "int64_t":$splits, "HoldAttrInterface":$hold,
                        OptionalParameter<"ShareAttrInterface">:$share,
                        DefaultValuedParameter<"int64_t", "1">:$fold,
                        DefaultValuedParameter<"bool", "false">:$evict_first);
  let skipDefaultBuilders = 1;
  let builders = [AttrBuilder<(ins "int64_t":$threads, "int64_t":$vector,
                                   "int64_t":$splits, "HoldAttrInterface":$hold,
                                   CArg<"ShareAttrInterface", "{}">:$share,
                                   CArg<"int64_t", "1">:$fold,
                                   CArg<"bool", "false">:$evict_first), [{
    return $_get($_ctxt, threads, vector, splits, hold, share, fold,
                 evict_first);
  }]>];
  let extraClassDeclaration = [{
    /// The most parts of a column; 1 for none.
    int64_t parts() const;
    /// Blocks of a cluster; 1 for none.
    int64_t clusterSize() const;
    /// Whether blocks leave states for a second launch.
    bool leavesParts() const { return parts() > 1 || getFold() > 1; }
  }];
}

def OrderedSchedule : Fuse_Schedule<"OrderedSchedule", "ordered"> {
  let summary = "a block a row, or some columns, which it walks from one end to the other";
  let description = [{
    For kernels with fuse.scan or fuse.top_k. The last dimension is the row. Its
    block takes tiles of `threads` x `vector` x `unroll` elements in the order of
    the scans: `unroll` stretches of one vector a thread, which lie side by side.

    In a tile each thread combines the lanes of its vectors, the threads of a
    warp exchange by shuffles, and the warps through shared memory, once a tile;
    what all elements before the tile come to is kept in registers. Sums of
    floats are kept in two numbers, so that their error does not grow with the
    number of tiles.

    For a selection the block keeps the best elements so far, in their order, in
    shared memory. Each thread finds the best of its elements in a tile that is
    better than the last of these; while any has one, the best of all threads
    takes its place in the order, and its thread finds its next best.

    Reductions, and the selections, take a walk each level of what needs what;
    results take another. What scans give is computed in each walk that needs it.

    Scans along another dimension than the last walk columns. The lanes of a
    vector are neighbouring columns, neighbouring threads have neighbouring
    vectors, and `splits` threads that lie `threads` / `splits` apart share
    those of one: in a tile of `splits` x `unroll` places each takes `unroll`
    that follow each other, and they exchange what these come to through shared
    memory.

    `vector` is a power of two that divides the last dimension. `threads` is 1
    or a multiple of 32, and one of `splits`, which is 1 for rows.
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$vector,
                        "int64_t":$unroll,
                        DefaultValuedParameter<"int64_t", "1">:$splits);
  let builders = [AttrBuilder<
      (ins "int64_t":$threads, "int64_t":$vector, "int64_t":$unroll,
           CArg<"int64_t", "1">:$splits),
      [{ return $_get($_ctxt, threads, vector, unroll, splits); }]>];
  let skipDefaultBuilders = 1;
}

def TransposeSchedule : Fuse_Schedule<"TransposeSchedule", "transpose"> {
  let summary = "square tiles, read and written in memory's order";
  let description = [{
    For pointwise kernels with results of one shape that read a value across:
    neighbours along its last dimension are neighbours along another dimension
    of the results. A block computes a tile of `tile` x `tile` elements of these
    two dimensions. It reads the tile of each such value along the value's last
    dimension in vectors of `vector` elements, leaves it in shared memory, and
    after a barrier writes the results along theirs, in vectors of the same
    width. Other values are read where they are needed.

    In shared memory the vectors of row i stand at their number xor i /
    `vector`, so that neither writing rows nor reading columns makes the threads
    of a warp meet in a bank where `tile` elements take 128 bytes.

    `vector` is a power of two that divides both dimensions; `tile` is one that
    `vector` divides, and `threads` divides the vectors of a tile.
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$tile,
                        "int64_t":$vector);
}

def ContractionSchedule : Fuse_Schedule<"ContractionSchedule", "contraction"> {
  let summary = "one thread an output tile";
  let description = [{
    A thread computes `tile_m` x `tile_n` results, walking the contracted axis
    in a loop with f32 accumulators. With `along = n` the lanes of its vectors
    are neighbouring results (`tile_n` counts vectors); with `along = k` they
    are neighbouring terms of one result, added up at the end.
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$tile_m,
                        "int64_t":$tile_n, "int64_t":$vector,
                        "LaneAxis":$along);
}

def TiledSchedule : Fuse_Schedule<"TiledSchedule", "tiled"> {
  let summary = "tiles of contractions on ordinary cores, from near memory";
  let description = [{
    A block computes a tile of `tile_m` x `tile_n` results of each contraction
    of the kernel. It brings `tile_k` places of the summed axis at a time into
    memory near it, where they are already converted and whatever the kernel
    computes of an operand is done, and a thread multiplies them, `rows` x
    `columns` sums at a time in registers, `vector` columns a vector. What
    follows the contractions is computed when a tile is finished.

    With `threads = 1` (CPU) the near memory is caches: rows are copied, columns
    packed into panels of `columns` each, and the thread walks the tile in
    pieces of `rows` x `columns` sums. With `threads` > 1 (GPU) it is shared
    memory, filled a step ahead; a thread has one piece, `vector` of its columns
    side by side. Groups of threads take steps in turn; their sums are added.
    With `mma_k` > 0 warps multiply f64 on tensor cores, by instructions that
    take so many places of the summed axis (`mma.sync`: 4 on sm_80, 8 on sm_90).

    1. `tile_m` is a multiple of `rows`, `tile_n` one of `columns`, and
       `columns` one of `vector`.
    2. A sum has at most 256 products in sequence: `tile_k` divides 256.
    3. A thread has at most 128 sums or vectors of sums.
    4. Several threads are the pieces of a tile, once for each group of them.
    5. `mma_k` is 0, 4 or 8. `tile_k` is a multiple of twice as much, `rows` of
       half as much, and `vector` is 2.

    ```mlir
    schedule = #fuse.tiled<threads = 1, vector = 16, tile_m = 240, tile_n = 512,
                           tile_k = 256, rows = 12, columns = 32>
    ```
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$vector,
                        "int64_t":$tile_m, "int64_t":$tile_n,
                        "int64_t":$tile_k, "int64_t":$rows,
                        "int64_t":$columns,
                        DefaultValuedParameter<"int64_t", "0">:$mma_k);
  let extraClassDeclaration = [{
    /// Products that a sum has at most in sequence; see docs/numerics.md.
    static constexpr int64_t kMostInSequence = 256;

    /// Groups of threads that take the steps of the summed axis in turn, each
    /// with as many threads as the tile has pieces; 1 on a CPU.
    int64_t groups() const {
      int64_t pieces = getTileM() / getRows() * (getTileN() / getColumns());
      return std::max<int64_t>(1, getThreads() / pieces);
    }
  }];
}

include "fuse/Dialect/Fuse/IR/FuseTensorCoreSchedule.td"

def StreamedPanelsSchedule
    : Fuse_Schedule<"StreamedPanelsSchedule", "streamed_panels"> {
  let summary = "a softmax between two contractions, streamed by a CPU";
  let description = [{
    What `#fuse.streamed` is for tensor cores, for blocks of one thread. A block
    has `tile_m` rows of the first operand (the queries), those of query heads
    that share a head of keys among them, and takes `tile_k` keys and values at
    a time: it packs both, multiplies `rows` x `columns` sums at a time in
    registers, `vector` columns a vector, and follows the maximum and the sum of
    each row online. Scores are in no memory but `tile_m` x `tile_k` of them in
    the caches of the core.

    1. `tile_m` is a multiple of `rows`, `tile_k` one of `columns`, and
       `columns` one of `vector`.
    2. A sum has at most 256 products in sequence: `tile_k` divides 256.
    3. A thread has at most 128 vectors of sums.

    ```mlir
    schedule = #fuse.streamed_panels<vector = 16, tile_m = 60, tile_k = 128,
                                     rows = 12, columns = 32>
    ```
  }];
  let parameters = (ins "int64_t":$vector, "int64_t":$tile_m, "int64_t":$tile_k,
                        "int64_t":$rows, "int64_t":$columns);
}

#endif // FUSE_DIALECT_FUSE_IR_FUSESCHEDULE
