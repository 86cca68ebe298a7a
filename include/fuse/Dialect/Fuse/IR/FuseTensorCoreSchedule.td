//===- FuseTensorCoreSchedule.td - Tiles on tensor cores ---*- tablegen -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part of FuseSchedule.td, which includes it.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_DIALECT_FUSE_IR_FUSETENSORCORESCHEDULE
#define FUSE_DIALECT_FUSE_IR_FUSETENSORCORESCHEDULE

def MmaSchedule : Fuse_Schedule<"MmaSchedule", "mma"> {
  let summary = "tiles of a contraction on tensor cores";
  let description = [{
    For a contraction of elements of `operand_bits`, 16 (f16 or bf16), 8
    (f8E4M3FN and f8E5M2) or 32 (TF32), summed in f32, or 64 (f64), and what is
    computed from it element by element. At most `persistent` blocks take tiles of `tile_m` x `tile_n`
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

    `isa = wgmma` (sm_90a): m64nNk16, or k32 of 8 bits and k8 of 32, N a multiple
    of 8 up to 256, with both operands in shared memory. Tensor cores add products of 8
    bits with 14 bits only; so after each `tile_k` places their sums are added to
    others in f32, and `tile_k` is 128.

    `isa = mma_sync` (every chip): m16n8k16 of 16 bits, m16n8k8 of 32, from sm_89
    on m16n8k32 of 8 bits, summed as above; of f64 m16n8k8 on sm_90, m8n8k4 on
    sm_80. There is no producer: each of the 4 warps of a
    consumer has 16 rows of every 64, and all threads copy operands by cp.async,
    up to `stages` - 1 steps ahead. The consumers share the columns of a tile.
    What shared memory holds of results takes the place of the slots. Blocks
    that share a tile by `split_k` are no cluster: each leaves its sums in
    memory, and a second launch adds them from the first part to the last and
    computes what follows. There are no more parts than steps.

    With `row_bits` or `column_bits` the operand of the result's rows or columns
    is computed from elements of so many bits: 4, 8, 16 or 32. Slots have these, and
    threads compute the operand of a step from there, into one of two buffers
    behind the slots, while that of the step before is multiplied. With `swap` the
    columns are a tile's rows, each of which one warp has: it computes them in
    registers.

    1. `tile_m` is a multiple of 64 that the consumers share evenly, or 64; for
       `mma_sync` any multiple of 64.
    2. What a consumer has of `tile_n` is an N of the instruction.
    3. `tile_k` is a multiple of 64, of operands of 32 bits of 32, of f64 of 16, up
       to 256; of 8 bits it is 128.
    4. The sums of a thread are at most 160, 96 of operands of 8 bits; for
       `mma_sync` 128 and 64, also of f64, which is for `mma_sync`.
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
    /// A sum, and its bytes: f64 is summed in f64, all others in f32.
    Type sumType() const;
    static int64_t sumBytesOf(int64_t operandBits) {
      return operandBits == 64 ? 8 : 4;
    }
    int64_t sumBytes() const { return sumBytesOf(getOperandBits()); }
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
    /// of `sumBytes()`, the rows `sumsPitch()` apart.
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
    values, of which it sums `tile_n` columns. Where `tile_m` is 64 all consumers
    have the same rows and scores, and share the columns of the values: wide
    heads have more sums than the registers of one.

    With `values_in_keys` the values are features of the keys, as those of a
    latent cache are, and are read where the keys lie in shared memory.

    With `in_turn` the products of a tile's weights end before the next tile's
    softmax starts, so that a thread holds no weights beside scores; else they
    run side by side. Tiles that hold values of their keys are taken in turn.

    Of every 8 exponentials a thread computes `polynomials` by multiplications
    and additions, which the units of special functions would wait for.

    With `persistent` > 0 so many blocks at most take tiles of queries in turn:
    the next ones are copied while results are written. Else a tile has a block.

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

    1. `tile_m` is 64 times the consumers, of which there are up to 2, or 3 in
       turn for `wgmma`; or it is 64. `heads` is a power of two up to it.
    2. A consumer's columns, `tile_k` and `depth` are multiples of 64, the first
       two up to 256, `depth` up to 1024; `tile_k` of 32 for `mma_sync` or shared
       columns. With one consumer of `wgmma` the first two are at most 192.
    3. A thread has at most 176 registers of sums, scores and weights, 128 with
       three consumers: (columns + `tile_k`) / 2 + `tile_k` / 4.
    4. `stages` is 2 to 8, or 1 for `mma_sync` with values of their own.
       `polynomials` is up to 8. `persistent` is for `store = tma` where
       blocks leave no parts.
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
                        DefaultValuedParameter<"int64_t", "1">:$split,
                        DefaultValuedParameter<"bool", "false">:$values_in_keys,
                        DefaultValuedParameter<"bool", "false">:$in_turn,
                        DefaultValuedParameter<"int64_t", "0">:$polynomials,
                        DefaultValuedParameter<"int64_t", "0">:$persistent);
  let extraClassDeclaration = [{
    /// Exponentials of which `polynomials` are computed as such.
    static constexpr int64_t kExponentials = 8;
    /// Consumers with the same rows, and what each has of the columns.
    int64_t columnGroups() const {
      return getTileM() == MmaScheduleAttr::kRows ? getConsumers() : 1;
    }
    int64_t columnsPerConsumer() const { return getTileN() / columnGroups(); }
    /// Whether tiles are taken in turn.
    bool takesTurns() const { return getInTurn() || getValuesInKeys(); }
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
               MmaStore store, int64_t heads, int64_t split,
               bool valuesInKeys = false, bool inTurn = false,
               int64_t polynomials = 0, int64_t persistent = 0);
  }];
}

#endif // FUSE_DIALECT_FUSE_IR_FUSETENSORCORESCHEDULE
