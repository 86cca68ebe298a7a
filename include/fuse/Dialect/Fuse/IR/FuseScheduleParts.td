//===- FuseScheduleParts.td - Parts of schedules -----------*- tablegen -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a schedule is one of several of: a way to hold what is walked again, and
// a way to share it among blocks. Each way is an attribute with the parameters
// that mean something there, so that no others can be written:
//
//   hold = registers<preload = true>, share = cluster<4>
//
// A schedule prints a part without `#fuse.`, and reads it with and without.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_DIALECT_FUSE_IR_FUSESCHEDULEPARTS
#define FUSE_DIALECT_FUSE_IR_FUSESCHEDULEPARTS

include "fuse/Dialect/Fuse/IR/FuseEnums.td"

//===----------------------------------------------------------------------===//
// Hold
//===----------------------------------------------------------------------===//

def HoldAttrInterface : AttrInterface<"HoldAttrInterface"> {
  let cppNamespace = "::mlir::fuse";
  let description = [{
    Where rows or columns stay between the walks over them. The methods are for
    what several ways have in common; a way without the parameter has the value
    that is given here.
  }];
  let methods = [
    InterfaceMethod<"What a schedule's text calls it.", "::llvm::StringRef",
      "getKeyword", (ins), [{ return ConcreteAttr::getMnemonic(); }]>,
    InterfaceMethod<"Vectors, or places of a column, of a step of a walk.",
      "int64_t", "getUnroll", (ins), [{}], "return ::mlir::fuse::HoldAttrInterface::kUsualUnroll;">,
    InterfaceMethod<"Whether loads for later walks are before the exchange.",
      "bool", "getPreload", (ins), [{}], "return false;">,
    InterfaceMethod<[{
        Steps, or rows, of which copies have room in shared memory; with 1 no
        copies run ahead.
      }],
      "int64_t", "getStages", (ins), [{}], "return 1;">
  ];
  let extraClassDeclaration = [{
    static constexpr int64_t kUsualUnroll = 4, kUsualCopyGroups = 4;
  }];
}

class Fuse_Hold<string name, string mnemonic_, list<string> overridden = []>
    : AttrDef<FuseDialect, name # "Hold", [DeclareAttrInterfaceMethods<
          HoldAttrInterface, overridden>]> {
  let mnemonic = mnemonic_;
}

def RegistersHold
    : Fuse_Hold<"Registers", "registers", ["getPreload"]> {
  let summary = "in the registers of the threads";
  let description = [{
    A thread keeps its part. For columns, whose number of places is then static,
    all walks are unrolled and only the first reads memory.

    With `preload` a thread of rows loads what later passes need besides the row,
    such as weights, and stores results that need no reduction, before the
    threads exchange their first results. That hides the latency of memory where
    few blocks run, and costs registers.

    With `rows_per_thread` > 1 a thread loads its part of so many rows before it
    reduces the first, and reads what all rows share, such as weights, once for
    all of them; so is what it computes of columns alone. Its rows are as far
    apart as the block has groups of threads, so that neighbouring groups read
    neighbouring rows. For short rows, where such things are much of what a
    thread does.
  }];
  let parameters = (ins DefaultValuedParameter<"bool", "false">:$preload,
                        DefaultValuedParameter<"int64_t", "1">:$rows_per_thread);
  let assemblyFormat = "(`<` struct(params)^ `>`)?";
  let skipDefaultBuilders = 1;
  let builders = [AttrBuilder<(ins CArg<"bool", "false">:$preload,
                                   CArg<"int64_t", "1">:$rows_per_thread), [{
    return $_get($_ctxt, preload, rows_per_thread);
  }]>];
  let genVerifyDecl = 1;
}

def CacheHold : Fuse_Hold<"Cache", "cache"> {
  let summary = "in the caches";
  let description = [{
    These are told to keep the row until the last pass and to drop it then. Few
    registers make for many threads in flight.
  }];
}

def SharedHold
    : Fuse_Hold<"Shared", "shared", ["getUnroll", "getPreload", "getStages"]> {
  let summary = "in shared memory, and what has no room there in registers";
  let description = [{
    Each vector has a place that only its thread uses, filled by asynchronous
    copies; the last `in_registers` vectors of each thread, and what is no whole
    vector of all threads, are kept in registers. The copies are waited for in
    groups, `copy_groups` at most, of as many whole steps of `unroll` vectors
    each, but for the last. For rows that are longer than the registers of a
    block.

    With `preload` a thread loads what the first step of the last pass needs
    besides the row before the threads exchange their first results, and in each
    step that of the next one.

    With `stages` > 1, `preload` and persistent blocks there is room for so many
    rows: the copies of the `stages` - 1 rows behind the present one are on their
    way from when its first pass begins. With one stage the next row's are from
    when the last pass over this one has read a vector.
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "4">:$unroll,
                        DefaultValuedParameter<"int64_t", "0">:$in_registers,
                        DefaultValuedParameter<"bool", "false">:$preload,
                        DefaultValuedParameter<"int64_t", "4">:$copy_groups,
                        DefaultValuedParameter<"int64_t", "1">:$stages);
  let assemblyFormat = "(`<` struct(params)^ `>`)?";
  let skipDefaultBuilders = 1;
  let builders = [AttrBuilder<(ins
      CArg<"int64_t", "HoldAttrInterface::kUsualUnroll">:$unroll,
      CArg<"int64_t", "0">:$in_registers, CArg<"bool", "false">:$preload,
      CArg<"int64_t", "HoldAttrInterface::kUsualCopyGroups">:$copy_groups,
      CArg<"int64_t", "1">:$stages), [{
    return $_get($_ctxt, unroll, in_registers, preload, copy_groups, stages);
  }]>];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The same with room for so many rows.
    SharedHoldAttr withStages(int64_t stages) const {
      return get(getContext(), getUnroll(), getInRegisters(), getPreload(),
                 getCopyGroups(), stages);
    }
  }];
}

def LoopHold : Fuse_Hold<"Loop", "loop", ["getUnroll", "getStages"]> {
  let summary = "nowhere: each walk reads again";
  let description = [{
    A step reads `unroll` vectors of a row, or places of a column. With `stages`
    > 1 the copies of the `stages` - 1 steps behind the present one are on their
    way to shared memory meanwhile, to places that only their thread uses. Inputs
    whose vectors are not aligned are loaded in their step.
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "4">:$unroll,
                        DefaultValuedParameter<"int64_t", "1">:$stages);
  let assemblyFormat = "(`<` struct(params)^ `>`)?";
  let skipDefaultBuilders = 1;
  let builders = [AttrBuilder<(ins
      CArg<"int64_t", "HoldAttrInterface::kUsualUnroll">:$unroll,
      CArg<"int64_t", "1">:$stages), [{
    return $_get($_ctxt, unroll, stages);
  }]>];
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Share
//===----------------------------------------------------------------------===//

def ShareAttrInterface : AttrInterface<"ShareAttrInterface"> {
  let cppNamespace = "::mlir::fuse";
  let description = [{
    How several blocks share a row or a column. A schedule without has one block
    for it.
  }];
  let methods = [
    InterfaceMethod<"What a schedule's text calls it.", "::llvm::StringRef",
      "getKeyword", (ins), [{ return ConcreteAttr::getMnemonic(); }]>,
    InterfaceMethod<"The blocks that share, or the most that may.", "int64_t",
      "getBlocks">
  ];
}

class Fuse_Share<string name, string mnemonic_>
    : AttrDef<FuseDialect, name # "Share", [DeclareAttrInterfaceMethods<
          ShareAttrInterface, ["getBlocks"]>]> {
  let mnemonic = mnemonic_;
  let parameters = (ins "int64_t":$blocks);
  let assemblyFormat = "`<` $blocks `>`";
  let genVerifyDecl = 1;
}

def ClusterShare : Fuse_Share<"Cluster", "cluster"> {
  let summary = "the neighbouring blocks of a cluster, in one launch";
  let description = [{
    From sm_90 on; a power of two of them, up to 16. Vector number v of a row
    belongs to the thread v modulo all of their threads, and each warp leaves its
    part of a reduction in the shared memory of all of them. Steps of a column
    are dealt to the blocks as to parts, and the first of them combines the
    states, which the others leave in its shared memory. For rows that are longer
    than what a multiprocessor holds, and for few rows or columns.
  }];
}

def GridShare : Fuse_Share<"Grid", "grid"> {
  let summary = "all blocks of the launch, which meet at a barrier";
  let description = [{
    All elements are one row, and as many blocks share it as the device runs at
    the same time, up to this number. Each block leaves its part of a reduction
    in memory, all meet at a barrier of the grid, and each combines the parts.
    For the scale of a whole tensor and what is computed with it.
  }];
}

def PartsShare : Fuse_Share<"Parts", "parts"> {
  let summary = "blocks whose states a second launch combines";
  let description = [{
    Steps of `splits` x `unroll` places of a column are dealt to up to so many
    blocks in turn, each block leaves its states in memory, and a second launch
    combines these from the first part to the last. There are no more parts than
    steps. Only for kernels in which no reduction depends on another and no
    result has the reduced dimensions.
  }];
}

#endif // FUSE_DIALECT_FUSE_IR_FUSESCHEDULEPARTS
