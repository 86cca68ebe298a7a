//===- CostModel.h - What a kernel would take -------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel takes a launch, and then as long as its memory or its arithmetic
// takes, whichever is longer. Both follow from where its values are needed. In
//
//   %e = fuse.exp %x
//   %t = fuse.transpose %e permutation = [1, 0]
//   %s = fuse.add %e, %t
//
// a thread that writes %s at [i, j] needs %e at [i, j] and at [j, i]: two
// views, so that in one kernel exp is computed twice for each result, and %x is
// read twice. A row, or a few columns, are the work of one block: where there
// are few of them, most of the machine idles. Views are counted; a kernel whose
// values have too many is refused before its code explodes. A dynamic dimension
// counts as a large one. Rows of several shapes in one kernel take one launch,
// and the time of each. Contractions on tensor cores take at least as long as
// their fastest tiles.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_FUSION_COSTMODEL_H
#define FUSE_LIB_FUSION_COSTMODEL_H

#include "fuse/Analysis/DimClasses.h"
#include "fuse/Analysis/StreamedSpace.h"
#include "fuse/Schedule/Candidates.h"
#include "fuse/Target/GPUTarget.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace mlir::fuse {

/// The machine, in the units of the model.
struct MachineRates {
  double bytesPerSecond;
  double operationsPerSecond;
  double launchSeconds;
  /// Multiprocessors, or cores.
  double processors;
  /// Whether schedules let several blocks share each of a few results.
  bool sharesResults;
  /// Bytes of a row of which a multiprocessor holds no second one, so that
  /// clusters hold it; infinite where there are none.
  double clusterRowBytes;
  /// Blocks that may share each of a few long rows; 1 where there are no
  /// clusters.
  double mostBlocksPerRow;
  /// Whether a block packs the operands of its tiles, see
  /// #fuse.tiled: it then takes the tiles of several contractions one by one.
  bool packsOperands;
  /// The chip, if its tensor cores run contractions.
  std::optional<GPUTarget> tensorCores = std::nullopt;
  const GPUTarget *tensorCoresOrNull() const {
    return tensorCores ? &*tensorCores : nullptr;
  }
  /// The GPU's; those of an H200 for others.
  const ModelNumbers &numbers() const {
    return tensorCores ? *tensorCores : shippedNumbers;
  }
  /// Whether a block streams a softmax between two contractions.
  bool streams() const { return packsOperands || tensorCores; }

  /// Those of what lookupGPUTarget() finds; the host's for "cpu" and for chips
  /// that nobody knows, which a later stage refuses.
  static MachineRates of(StringRef chip);
};

/// How often memory is asked for rows that ops walk in order: anew for each
/// walk, unless a multiprocessor's cache has those of all blocks that it holds.
double timesWalked(ArrayRef<Operation *> ops, ArrayRef<Value> inputs,
                   ArrayRef<Value> results, const DimClasses &dims,
                   const MachineRates &machine);

/// Views of one value beyond which a kernel is refused.
inline constexpr size_t mostViews = 8;

/// The contractions of a group, if tensor cores run them for calls with aligned
/// tensors; else the reason.
FailureOr<MmaSpace> tensorCoreSpace(const MmaGroup &group,
                                    const DimClasses &dims,
                                    const GPUTarget &gpu, Reason &reason);

/// The space of two contractions with a softmax between them that a block
/// streams, for such calls; else the reason.
FailureOr<StreamedSpace> streamedSpaceOn(const MachineRates &machine,
                                         const MmaGroup &group,
                                         const DimClasses &dims,
                                         Reason &reason);

/// The seconds that one kernel of these ops takes, or nothing if its values
/// have too many views. `ops` are in program order, `inputs` and `results` are
/// what crosses the kernel's edge; `known` are the segments, where others ask
/// for them, too.
std::optional<double>
kernelSeconds(ArrayRef<Operation *> ops, ArrayRef<Value> inputs,
              ArrayRef<Value> results, const DimClasses &dims,
              const MachineRates &machine, KnownSegments *known = nullptr);

/// The seconds that the instructions of some of the ops of such a kernel take
/// by themselves, as often as it computes them; infinite if its values have too
/// many views.
double instructionSeconds(ArrayRef<Operation *> some, ArrayRef<Operation *> ops,
                          ArrayRef<Value> results, const DimClasses &dims,
                          const MachineRates &machine);

/// The part of the machine that the blocks of such a kernel keep busy, up to 1.
double busyPart(ArrayRef<Operation *> ops, ArrayRef<Value> results,
                const DimClasses &dims, const MachineRates &machine);

} // namespace mlir::fuse

#endif // FUSE_LIB_FUSION_COSTMODEL_H
