//===- FuseSchedule.td - Schedule attributes ---------------*- tablegen -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_DIALECT_FUSE_IR_FUSESCHEDULE
#define FUSE_DIALECT_FUSE_IR_FUSESCHEDULE

include "fuse/Dialect/Fuse/IR/FuseEnums.td"

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

class Fuse_Schedule<string name, string mnemonic_>
    : AttrDef<FuseDialect, name, [DeclareAttrInterfaceMethods<
          ScheduleAttrInterface, ["getThreads", "getVector"]>]> {
  let mnemonic = mnemonic_;
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
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
    `heads`, the number of heads and that of the rotated ones. The segments
    follow each other in the grid.

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

def RowsSchedule : Fuse_Schedule<"RowsSchedule", "rows"> {
  let summary = "rows reduced by a group of threads";
  let description = [{
    The reduced dimensions are the last ones; together they are the columns,
    the others are the rows. `threads / rows_per_block` threads work on a row,
    or `rows_per_thread` times as many, which then have so many rows; a thread
    takes vectors of `vector` consecutive columns. `hold` says where
    they stay between the passes over the row:

    - `registers`: in the thread's registers.
    - `cache`: in the caches, which are told to keep the row until the last pass
      and to drop it then. Few registers make for many threads in flight.
    - `shared`: in shared memory, each vector in a place that only its thread
      uses, filled by asynchronous copies; the last `in_registers` vectors of
      each thread, and what is no whole vector of all threads, are kept in
      registers. The copies are waited for in groups, `copy_groups` at most, of
      as many whole steps of `unroll` vectors each, but for the last. For rows
      that are longer than the registers of a block.
    - `loop`: nowhere; each pass reads the row, `unroll` vectors at a time. With
      `stages` > 1 the copies of the `stages` - 1 steps behind the present one
      are on their way to shared memory meanwhile, to places that only their
      thread uses. Inputs whose vectors are not aligned are loaded in their step.

    With `preload` and `hold = registers` a thread loads what later passes
    need besides the row, such as weights, and stores results that need no
    reduction, before the threads exchange their first results. That hides the
    latency of memory where few blocks run, and costs registers. With `preload`
    and `hold = shared` it loads what the first step of the last pass needs
    besides the row before they do, and in each step that of the next one.

    With `blocks_per_row` > 1 (from sm_90 on) so many neighbouring blocks, a
    cluster, share a row: vector number v belongs to the thread v modulo all of
    their threads, and each warp leaves its part of a reduction in the shared
    memory of all of them. For rows that are longer than what a multiprocessor
    holds, and for few rows.

    With `whole_grid` (and `hold = loop`) all elements are one row, which all
    blocks share: up to `blocks_per_row`, as many as the device runs at the same
    time. Each block leaves its part of a reduction in memory, all meet at a
    barrier of the grid, and each combines the parts. For the scale of a whole
    tensor and what is computed with it.

    With `persistent` > 0 there are up to so many blocks, which stay: each takes
    the rows of one after the other, and keeps in registers what all rows read,
    such as weights. A kernel that reduces over all rows, too, wants that (the
    gradient of a weight, the mean of the rows' losses): blocks add up what they
    see, meet at a barrier of the grid, and combine what all have. There are then
    no more blocks than the device runs at the same time, and sums of columns
    want vectors that divide the row, and `hold = registers`, or `hold = shared`
    with the whole row in shared memory. With `preload` they load the next row
    while they reduce one; into shared memory from when the last pass over this
    one has read a vector, or, with `stages` > 1, into room for so many rows,
    where the copies of the `stages` - 1 rows behind the present one are on their
    way from when its first pass begins.

    With `least_blocks` > 0 the assembler is told that so many blocks are to fit
    in a multiprocessor (`.minnctapersm`). It then takes no more registers than
    that leaves, and tends to take all of these, for loads ahead of what they are
    needed for.

    With `rows_per_thread` > 1 (and `hold = registers`) a thread loads its part
    of so many rows before it reduces the first, and reads what all rows share,
    such as weights, once for all of them; so is what it computes of columns
    alone. Its rows are as far apart as the block has groups of threads, so that
    neighbouring groups read neighbouring rows. For short rows, where such things
    are much of what a thread does.

    All but `loop` want a static number of columns. `vector` is a power of two
    that divides the last dimension.
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$vector,
                        "int64_t":$rows_per_block, "HoldKind":$hold,
                        DefaultValuedParameter<"int64_t", "4">:$unroll,
                        DefaultValuedParameter<"int64_t", "0">:$in_registers,
                        DefaultValuedParameter<"bool", "false">:$preload,
                        DefaultValuedParameter<"int64_t", "4">:$copy_groups,
                        DefaultValuedParameter<"int64_t", "1">:$blocks_per_row,
                        DefaultValuedParameter<"bool", "false">:$whole_grid,
                        DefaultValuedParameter<"int64_t", "0">:$persistent,
                        DefaultValuedParameter<"int64_t", "1">:$stages,
                        DefaultValuedParameter<"int64_t", "0">:$least_blocks,
                        DefaultValuedParameter<"int64_t", "1">:$rows_per_thread);
  let builders = [AttrBuilder<(ins "int64_t":$threads, "int64_t":$vector,
                                   "int64_t":$rows_per_block, "HoldKind":$hold,
                                   "int64_t":$unroll, "int64_t":$in_registers,
                                   "bool":$preload, "int64_t":$copy_groups), [{
    return $_get($_ctxt, threads, vector, rows_per_block, hold, unroll,
                 in_registers, preload, copy_groups, /*blocks_per_row=*/1,
                 /*whole_grid=*/false, /*persistent=*/0, /*stages=*/1,
                 /*least_blocks=*/0, /*rows_per_thread=*/1);
  }]>];
  let extraClassDeclaration = [{
    /// Blocks of a cluster; 1 for none.
    int64_t clusterSize() const {
      return getWholeGrid() ? 1 : getBlocksPerRow();
    }
    /// The threads that share a row, of one block, a cluster or the grid.
    int64_t threadsPerRow() const {
      return getThreads() / groupsPerBlock() * getBlocksPerRow();
    }
    /// The groups of a block's threads that have rows of their own.
    int64_t groupsPerBlock() const {
      return getRowsPerBlock() / getRowsPerThread();
    }
    /// The same schedule with clusters of so many blocks.
    RowsScheduleAttr withBlocksPerRow(int64_t blocks) const;
    /// The same schedule with up to so many blocks for the only row.
    RowsScheduleAttr withWholeGrid(int64_t blocks) const;
    /// The same schedule with up to so many blocks that stay; 0 for one for
    /// each block of rows.
    RowsScheduleAttr withPersistent(int64_t blocks) const;
    RowsScheduleAttr withPreload(bool preload) const;
    /// The same schedule with copies of so many steps less one on their way.
    RowsScheduleAttr withStages(int64_t stages) const;
    /// The same schedule with registers for so many blocks; 0 for no such bound.
    RowsScheduleAttr withLeastBlocks(int64_t blocks) const;
    /// The same threads with so many rows each.
    RowsScheduleAttr withRowsPerThread(int64_t rows) const;
  }];
}

def ColumnsSchedule : Fuse_Schedule<"ColumnsSchedule", "columns"> {
  let summary = "some threads a vector of columns, places in loops";
  let description = [{
    The dimensions that are not reduced, in row-major order, are the columns;
    they are cut into vectors of `vector` consecutive ones; where the last
    dimension is reduced, it is the places that are. `splits` threads of
    a block share a vector: each walks every `splits`-th place of the reduced
    dimensions, `unroll` places at a time, and their partial results are
    combined in a fixed order through shared memory. Reductions that depend on
    each other, and results that have the reduced dimensions, take further
    walks; with `hold = registers` (the number of places is static) all walks
    are unrolled and only the first reads memory.

    With `parts` > 1 up to so many blocks share each column. Steps of `splits` x
    `unroll` places are dealt to them in turn, each block leaves its states in
    memory, and a second launch combines these from the first part to the last.
    There are no more parts than steps. Only for kernels in which no reduction
    depends on another and no result has the reduced dimensions.

    With `blocks_per_column` > 1 (from sm_90 on) so many neighbouring blocks, a
    cluster, share each column in one launch: steps are dealt to them as to
    parts, and the first of them combines the states, which the others leave in
    its shared memory. For the same kernels, with `parts` = 1.

    With `fold` > 1 so many neighbouring rows are walked as one, whose length
    `vector` divides though it does not divide that of one: its vectors lie where
    memory is aligned, and cross from row to row. Each block leaves its states
    for each of these rows, as a part for each, and the second launch combines
    them, and walks the rows that are left over. Only for kernels where one walk
    is enough, a static last dimension is the only one that stays, all that comes
    before the reductions is pointwise, and all results are reduced; with `hold =
    loop` and `blocks_per_column` = 1.

    `stages` (with `hold = loop`) are those of `#fuse.rows`.

    With `evict_first` (and `stages` = 1) loads of what streams ask the L2 to drop
    their lines before any others. A line that stays of what was written before
    need not be written back then to make room, which takes time where a call
    moves little beside the L2's size.

    `vector` is a power of two. It divides the last dimension, unless that is the
    only one that is reduced and `hold = loop`: vectors then start where memory is
    aligned, and the edges of a column are single elements; or unless it is the
    only one that stays, all results have its size, and `hold = loop`: vectors are
    then cut out of aligned ones. `splits` divides
    `threads`.
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$vector,
                        "int64_t":$splits,
                        DefaultValuedParameter<"HoldKind", "HoldKind::loop">:$hold,
                        DefaultValuedParameter<"int64_t", "4">:$unroll,
                        DefaultValuedParameter<"int64_t", "1">:$parts,
                        DefaultValuedParameter<"int64_t", "1">:$blocks_per_column,
                        DefaultValuedParameter<"int64_t", "1">:$stages,
                        DefaultValuedParameter<"int64_t", "1">:$fold,
                        DefaultValuedParameter<"bool", "false">:$evict_first);
  let builders = [AttrBuilder<(ins "int64_t":$threads, "int64_t":$vector,
                                   "int64_t":$splits, "HoldKind":$hold,
                                   "int64_t":$unroll, "int64_t":$parts), [{
    return $_get($_ctxt, threads, vector, splits, hold, unroll, parts,
                 /*blocks_per_column=*/1, /*stages=*/1, /*fold=*/1,
                 /*evict_first=*/false);
  }]>];
  let extraClassDeclaration = [{
    /// The same schedule with clusters of so many blocks, instead of parts.
    ColumnsScheduleAttr withBlocksPerColumn(int64_t blocks) const;
    /// The same schedule with copies of so many steps less one on their way,
    /// which leave the L2 as others do.
    ColumnsScheduleAttr withStages(int64_t stages) const;
    ColumnsScheduleAttr withFold(int64_t fold) const;
    ColumnsScheduleAttr withEvictFirst(bool evictFirst) const;
    /// Whether blocks leave states for a second launch.
    bool leavesParts() const { return getParts() > 1 || getFold() > 1; }
  }];
}

def OrderedSchedule : Fuse_Schedule<"OrderedSchedule", "ordered"> {
  let summary = "a block a row, which it walks from one end to the other";
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

    `vector` is a power of two that divides the last dimension. `threads` is 1
    or a multiple of 32.
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$vector,
                        "int64_t":$unroll);
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
    memory, filled for the next places while these are multiplied, and each
    thread has one piece, `vector` of its columns beside each other.

    1. `tile_m` is a multiple of `rows`, `tile_n` one of `columns`, and
       `columns` one of `vector`.
    2. A sum has at most 256 products in sequence: `tile_k` divides 256.
    3. A thread has at most 128 sums or vectors of sums.
    4. The threads of a block, if several, are the pieces of a tile.

    ```mlir
    schedule = #fuse.tiled<threads = 1, vector = 16, tile_m = 240, tile_n = 512,
                           tile_k = 256, rows = 12, columns = 32>
    ```
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$vector,
                        "int64_t":$tile_m, "int64_t":$tile_n,
                        "int64_t":$tile_k, "int64_t":$rows,
                        "int64_t":$columns);
  let extraClassDeclaration = [{
    /// Products that a sum has at most in sequence; see docs/numerics.md.
    static constexpr int64_t kMostInSequence = 256;
  }];
}

def MmaSchedule : Fuse_Schedule<"MmaSchedule", "mma"> {
  let summary = "tiles of a contraction on tensor cores";
  let description = [{
    For a contraction of elements of `operand_bits`, 16 (f16 or bf16) or 8
    (f8E4M3FN and f8E5M2), summed in f32, and what is computed from it element
    by element. At most `persistent` blocks take tiles of `tile_m` x `tile_n`
    results in turn. One warpgroup of a block copies the operands, `tile_k`
    places of the summed axis at a time, into a ring of `stages` slots of shared
    memory; `consumers` other warpgroups multiply what has arrived and keep the
    sums in registers. They share the rows of a tile, or its columns where there
    are 64 rows. Tiles follow each other down `raster` tiles of a column before
    the next column, so that what they read stays in the L2.

    With `store = direct` threads write results from their registers. With
    `store = tma` they leave them in shared memory, 128 bytes of 64 rows at a
    time, from where they are copied while the next tile is multiplied. With
    `store = rows` threads write them from there, 16 bytes of a row each.

    With `swap = true` the two operands change places: a tile has `tile_m` of
    the result's columns, by 64 an instruction, and `tile_n` of its rows, which
    may be few.

    With `split_k` > 1 so many neighbouring blocks, a cluster, share each tile.
    Each sums a part of the summed axis, of neighbouring steps of `tile_k`
    places, and leaves its sums in shared memory. There every block reads those
    of all for some rows of the tile, adds them from the first part to the last,
    and computes what follows. The order is fixed, and so is the result.

    With either of them threads read the sums from shared memory as vectors
    along the result's last axis, and write results from registers.

    With `cluster_m` > 1 so many neighbouring blocks, a cluster, have tiles that
    follow each other along the first axis, and need the same columns; with
    `cluster_n` > 1 along the second, and need the same rows. Each copies its
    part of what they share into the memory of all (multicast), so that the L2 is
    read once.

    `isa = wgmma` (sm_90a): m64nNk16, or k32 of 8 bits, N a multiple of 8 up to
    256, with both operands in shared memory. Tensor cores add products of 8
    bits with 14 bits only; so after each `tile_k` places their sums are added to
    others in f32, and `tile_k` is 128.

    `isa = mma_sync` (every chip): m16n8k16 of 16 bits, from sm_89 on m16n8k32
    of 8 bits, summed as above. There is no producer: each of the 4 warps of a
    consumer has 16 rows of every 64, and all threads copy operands by cp.async,
    up to `stages` - 1 steps ahead. The consumers share the columns of a tile.
    What shared memory holds of results takes the place of the slots. Blocks
    that share a tile by `split_k` are no cluster: each leaves its sums in
    memory, as f32, and a second launch adds them from the first part to the
    last and computes what follows. There are no more parts than steps.

    With `row_bits` or `column_bits` the operand of the result's rows or columns
    is computed from elements of so many bits: 4, 8, 16 or 32. Slots have these, and
    threads compute the operand of a step from there, into one of two buffers
    behind the slots, while that of the step before is multiplied.

    1. `tile_m` is a multiple of 64 that the consumers share evenly, or 64; for
       `mma_sync` any multiple of 64.
    2. What a consumer has of `tile_n` is an N of the instruction.
    3. `tile_k` is a multiple of 64, up to 256; of operands of 8 bits it is 128.
    4. The sums of a thread are at most 160, 96 of operands of 8 bits; for
       `mma_sync` 128 and 64.
    5. With `swap` or `split_k` > 1, `store = direct`. `store = tma` is for
       `wgmma`, `store = rows` for `mma_sync`.
    6. One of `split_k`, `cluster_m` and `cluster_n` is the size of a cluster, at
       most 8, and divides `persistent`; the others are 1. `cluster_m` and
       `cluster_n` are powers of two, and 1 for `mma_sync`.
    7. The slots, the buffers of computed operands, the results, the sums and
       the barriers have room in shared memory.
    8. `row_bits` and `column_bits` are 0 where an operand is multiplied as it
       is. Others are for `mma_sync`, operands of 16 bits and at least 3 stages.

    ```mlir
    schedule = #fuse.mma<isa = wgmma, tile_m = 128, tile_n = 256, tile_k = 64,
                         stages = 4, consumers = 2, raster = 8, store = tma,
                         persistent = 132>
    ```
  }];
  let parameters = (ins "MmaIsa":$isa, "int64_t":$tile_m, "int64_t":$tile_n,
                        "int64_t":$tile_k, "int64_t":$stages,
                        "int64_t":$consumers, "int64_t":$raster,
                        "MmaStore":$store, "int64_t":$persistent,
                        DefaultValuedParameter<"int64_t", "1">:$split_k,
                        DefaultValuedParameter<"bool", "false">:$swap,
                        DefaultValuedParameter<"int64_t", "16">:$operand_bits,
                        DefaultValuedParameter<"int64_t", "1">:$cluster_m,
                        DefaultValuedParameter<"int64_t", "1">:$cluster_n,
                        DefaultValuedParameter<"int64_t", "0">:$row_bits,
                        DefaultValuedParameter<"int64_t", "0">:$column_bits);
  let extraClassDeclaration = [{
    /// Threads of a warpgroup, and rows of one instruction.
    static constexpr int64_t kGroup = 128, kRows = 64;
    /// Bytes of a row in shared memory, which its swizzle permutes.
    static constexpr int64_t kRowBytes = 128;
    /// Bytes of a 16-bit element, of which a row has 64; results are computed by
    /// so many columns.
    static constexpr int64_t kElementBytes = 2;
    static constexpr int64_t kRowElements = kRowBytes / kElementBytes;
    /// Bytes of an operand's element, and how many a row has.
    int64_t operandBytes() const { return getOperandBits() / 8; }
    int64_t rowElements() const { return kRowBytes / operandBytes(); }
    /// Buffers of a consumer for results, of 64 rows each.
    static constexpr int64_t kBuffers = 2;
    static constexpr int64_t kBufferBytes = kRows * kRowBytes;

    /// Whether each consumer multiplies with the four warps' own instructions.
    bool isMmaSync() const { return getIsa() == MmaIsa::mma_sync; }
    /// Whether the consumers have all rows of a tile, and some columns each.
    bool sharesColumns() const {
      return getConsumers() > 1 && (isMmaSync() || getTileM() == kRows);
    }
    /// What a consumer has of a tile: `partsPerConsumer()` times 64 rows, and
    /// so many columns.
    int64_t partsPerConsumer() const {
      return getTileM() / kRows / (sharesColumns() ? 1 : getConsumers());
    }
    int64_t columnsPerConsumer() const {
      return sharesColumns() ? getTileN() / getConsumers() : getTileN();
    }
    /// Whether sums go through shared memory: [rows of the result, columns]
    /// of f32, the rows `sumsPitch()` apart.
    bool gathersSums() const { return getSwap() || getSplitK() > 1; }
    /// What a tile has of the result.
    int64_t resultRows() const { return getSwap() ? getTileN() : getTileM(); }
    int64_t resultColumns() const {
      return getSwap() ? getTileM() : getTileN();
    }
    /// Whether blocks leave their sums of a tile in memory, for a second launch.
    bool leavesParts() const { return isMmaSync() && getSplitK() > 1; }
    /// Blocks of a cluster that exchange their sums of a tile.
    int64_t exchangingBlocks() const { return leavesParts() ? 1 : getSplitK(); }
    /// Blocks of a cluster, and how many of them have tiles below each other in
    /// the result, or beside each other.
    int64_t clusterSize() const {
      return exchangingBlocks() * getClusterM() * getClusterN();
    }
    int64_t clusterRows() const {
      return getSwap() ? getClusterN() : getClusterM();
    }
    int64_t clusterColumns() const {
      return getSwap() ? getClusterM() : getClusterN();
    }
    int64_t sumsPitch() const;
    /// Whether an operand is computed, and the bits in memory of an element of
    /// a tile's rows and columns; 0 of what is multiplied as it is.
    bool computesOperands() const { return getRowBits() || getColumnBits(); }
    int64_t leftBits() const { return getSwap() ? getColumnBits() : getRowBits(); }
    int64_t rightBits() const { return getSwap() ? getRowBits() : getColumnBits(); }
    /// Steps that are computed: one is multiplied, and the next one computed.
    static constexpr int64_t kComputedSteps = 2;
    /// Bytes of a slot, of a step of computed operands, of the buffers for
    /// results, of the sums, and of all dynamic shared memory of a block. With
    /// `mma_sync` results and sums lie where the slots do.
    int64_t slotBytes() const;
    int64_t computedBytes() const;
    int64_t resultBytes() const;
    int64_t sumsBytes() const;
    /// The schedule, or null if the verifier refuses it.
    static MmaScheduleAttr getIfLegal(MLIRContext *context, MmaIsa isa,
                                      int64_t tileM, int64_t tileN,
                                      int64_t tileK, int64_t stages,
                                      int64_t consumers, int64_t raster,
                                      MmaStore store, int64_t persistent,
                                      int64_t splitK = 1, bool swap = false,
                                      int64_t operandBits = 16,
                                      int64_t clusterM = 1,
                                      int64_t clusterN = 1,
                                      int64_t rowBits = 0,
                                      int64_t columnBits = 0);
    int64_t sharedBytes() const;
  }];
}

def StreamedSchedule : Fuse_Schedule<"StreamedSchedule", "streamed"> {
  let summary = "a softmax between two contractions, its rows streamed";
  let description = [{
    For a contraction of f16 or bf16, a softmax of its rows, and a contraction
    of these with a third operand, as attention is: the scores and the weights
    stay in registers. A block has `tile_m` rows of the first operand (the
    queries), `depth` elements each, and takes `tile_k` rows of the second
    operand (the keys) and of the third (the values) at a time, from two rings
    of `stages` slots in shared memory. Each of `consumers` groups of four warps
    multiplies 64 rows of queries with keys, follows the maximum and the sum of
    each row online, and multiplies the exponentials, from registers, with the
    values, of which it sums `tile_n` columns.

    `store` is that of `#fuse.mma`.

    With `heads` above 1 the rows of a tile are `tile_m / heads` queries of
    each of so many query heads that share a head of keys, which is then read
    once for all of them. With `split` above 1 the keys of a tile of queries are
    shared by several blocks, by as many as make about `split` blocks in all, at
    most one for `tile_k` keys. With either, a block leaves the statistics of
    its rows and its sums in memory, as f32, and a second launch combines them.

    `isa = wgmma` (sm_90a): m64nNk16; one more group of warps copies.
    `isa = mma_sync` (every chip): m16n8k16, 16 rows a warp; all threads copy by
    cp.async. Queries stay in registers where these have room, and results go
    through shared memory where the slots were.

    1. `tile_m` is 64 times the consumers; `heads` is a power of two up to it.
    2. `tile_n`, `tile_k` and `depth` are multiples of 64 up to 256, `tile_k`
       of 32 for `mma_sync`; with one consumer of `wgmma` the first two are at
       most 192.
    3. A thread has at most 176 registers of sums, scores and weights:
       (`tile_n` + `tile_k`) / 2 + `tile_k` / 4.
    4. `stages` is 2 to 8, or 1 for `mma_sync`.
    5. What is copied, the results and the barriers have room in shared memory.

    ```mlir
    schedule = #fuse.streamed<isa = wgmma, tile_m = 128, tile_n = 128,
                              tile_k = 128, depth = 128, stages = 2,
                              consumers = 2, store = tma>
    ```
  }];
  let parameters = (ins "MmaIsa":$isa, "int64_t":$tile_m, "int64_t":$tile_n,
                        "int64_t":$tile_k, "int64_t":$depth, "int64_t":$stages,
                        "int64_t":$consumers, "MmaStore":$store,
                        DefaultValuedParameter<"int64_t", "1">:$heads,
                        DefaultValuedParameter<"int64_t", "1">:$split);
  let extraClassDeclaration = [{
    /// Whether a second launch combines what blocks leave.
    bool leavesParts() const { return getHeads() > 1 || getSplit() > 1; }
    /// Queries of a tile.
    int64_t queriesPerTile() const { return getTileM() / getHeads(); }
    /// Bytes of the queries, of a slot of keys and one of values, and of all
    /// dynamic shared memory of a block.
    int64_t queryBytes() const;
    int64_t keyBytes() const;
    int64_t valueBytes() const;
    int64_t sharedBytes() const;
    /// The tile that the second contraction leaves, as a schedule of it alone.
    MmaScheduleAttr resultTile() const;
    /// The schedule, or null if the verifier refuses it.
    static StreamedScheduleAttr
    getIfLegal(MLIRContext *context, MmaIsa isa, int64_t tileM, int64_t tileN,
               int64_t tileK, int64_t depth, int64_t stages, int64_t consumers,
               MmaStore store, int64_t heads, int64_t split);
  }];
}

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
