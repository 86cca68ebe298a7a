//===- Scheduler.h - From a kernel to its schedule --------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scheduler answers one question: does its way of mapping work apply to this
// kernel, and if so with which numbers? The answer is an attribute; nothing is
// rewritten. Each stands in a file of its own and knows nothing of the others.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_SCHEDULER_H
#define FUSE_SCHEDULE_SCHEDULER_H

#include "fuse/Analysis/ReductionSpace.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Schedule/SizeRanges.h"
#include "fuse/Target/CallSize.h"
#include "fuse/Target/GPUTarget.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <optional>

namespace mlir::fuse {

/// Enough for what the threads of a block exchange, which has static shared
/// memory.
inline constexpr int64_t staticSharedBytes = 2048;

/// What schedulers know of the machine.
struct ScheduleTarget {
  /// The host for the chip "cpu", a GPU otherwise; an error for a chip that
  /// nobody knows. `divisible` and `strict` as below.
  static llvm::Expected<ScheduleTarget> of(StringRef chip, bool divisible,
                                           bool strict = false);

  /// A GPU runs blocks of many threads; a CPU runs blocks of one thread whose
  /// vectors are the machine's.
  bool isGPU = true;
  /// Widest load of a thread (GPU) or vector register (CPU), in bits.
  int64_t vectorBits = 128;
  int64_t maxThreads = 1024;
  /// Shared memory that a block may ask for, beside staticSharedBytes.
  int64_t sharedBytes = 0;
  /// Tensors start at multiples of 16 bytes.
  bool aligned = true;
  /// Dynamic last dimensions are multiples of 16 bytes.
  bool divisible = false;
  /// How much calls move.
  CallSize size = CallSize::large;
  /// Products are rounded before they are added.
  bool strict = false;
  /// None on a CPU.
  std::optional<GPUTarget> gpu;
  /// The GPU's; those of an H200 on a CPU.
  const ModelNumbers &numbers() const { return gpu ? *gpu : shippedNumbers; }
  /// Sizes that contractions are scheduled for.
  SmallVector<AssumedSize> assumed;

  /// What calls of a size move at most; 0 on a CPU. Large ones have no bound.
  int64_t mostBytes(CallSize size) const;
  /// Of a call that moves so many bytes.
  CallSize sizeOf(double bytes) const;
};

/// The size of the calls that the kernel is for: by what it moves if that is
/// known, else as the target says.
CallSize callSize(KernelOp kernel, const ScheduleTarget &target);

/// Each returns null where it does not apply.
ScheduleAttrInterface proposePointwise(KernelOp kernel, const DimClasses &dims,
                                       const ScheduleTarget &target);
ScheduleAttrInterface proposeRows(KernelOp kernel, const DimClasses &dims,
                                  const ScheduleTarget &target);
ScheduleAttrInterface proposeOrdered(KernelOp kernel, const DimClasses &dims,
                                     const ScheduleTarget &target);
ScheduleAttrInterface proposeColumns(KernelOp kernel, const DimClasses &dims,
                                     const ScheduleTarget &target);
ScheduleAttrInterface proposeTranspose(KernelOp kernel, const DimClasses &dims,
                                       const ScheduleTarget &target);
ScheduleAttrInterface proposeMma(KernelOp kernel, const DimClasses &dims,
                                 const ScheduleTarget &target);
ScheduleAttrInterface proposeTiled(KernelOp kernel, const DimClasses &dims,
                                   const ScheduleTarget &target);
/// The tiles in a GPU's shared memory that its chip has room for; none where
/// tiles do not apply.
SmallVector<TiledScheduleAttr> sharedTilesOf(KernelOp kernel,
                                             const DimClasses &dims,
                                             const ScheduleTarget &target);
ScheduleAttrInterface proposeStreamedPanels(KernelOp kernel,
                                            const DimClasses &dims,
                                            const ScheduleTarget &target);
ScheduleAttrInterface proposeStreamed(KernelOp kernel, const DimClasses &dims,
                                      const ScheduleTarget &target);
ScheduleAttrInterface proposeContraction(KernelOp kernel,
                                         const DimClasses &dims,
                                         const ScheduleTarget &target);

/// The proposal of the first scheduler that applies; null if none does.
ScheduleAttrInterface proposeSchedule(KernelOp kernel, const DimClasses &dims,
                                      const ScheduleTarget &target);

/// Names (`fuse.dims`) of the dynamic dims that the kernels' rows, or columns
/// that are summed over rows, have the lengths of: with these known, schedules
/// hold rows in registers or share them among blocks. A dim that is a number of
/// rows anywhere is none: it changes from call to call.
SmallVector<std::string> lengthsOf(func::FuncOp function,
                                   ArrayRef<KernelOp> kernels,
                                   const DimClasses &dims);

/// Whether a GPU's blocks should share each of the kernel's results, because
/// they are few: the columns scheduler then takes reductions of rows, too.
bool wantsParts(KernelOp kernel, const DimClasses &dims,
                const ReductionSpace &space, const ScheduleTarget &target);

/// An upper bound of the bytes of static shared memory in which the threads of
/// a block, and the blocks of a cluster, exchange their states; 0 where a
/// thread has a column for itself.
int64_t exchangedBytes(ColumnsScheduleAttr schedule,
                       const ReductionSpace &space);

/// Bits of the narrowest elements of the tensors of this shape that cross the
/// kernel's edge.
int64_t narrowestBits(KernelOp kernel, const DimClasses &dims,
                      ArrayRef<Extent> extents);

/// The elements of a vector for tensors of `extents` among the kernel's inputs
/// and results: one full-width access of the narrowest element type on a GPU,
/// one register of f32 on a CPU.
int64_t widestVector(KernelOp kernel, const DimClasses &dims,
                     ArrayRef<Extent> extents, const ScheduleTarget &target);

/// The largest power of two up to `limit` that divides `size`.
int64_t dividingVector(int64_t limit, int64_t size);

/// A vector of at most `limit` that divides the innermost dimension of
/// `extents`, as far as that is known.
int64_t innermostVector(KernelOp kernel, const DimClasses &dims,
                        ArrayRef<Extent> extents, int64_t limit,
                        const ScheduleTarget &target);

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_SCHEDULER_H
