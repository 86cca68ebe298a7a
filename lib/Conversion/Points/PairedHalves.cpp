//===- PairedHalves.cpp - 16-bit floats, two to a word --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PairedHalves.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

/// The chips that there are code for have mma.sync, which wants whole warps,
/// and four threads of a row.
bool mlir::fuse::multipliesRowsByMma(KernelOp kernel) {
  constexpr int64_t warp = 32, quad = 4;
  auto rows = dyn_cast_or_null<RowsScheduleAttr>(kernel.getScheduleAttr());
  if (!rows || rows.rowsPerThread() == 1 || rows.getThreads() % warp != 0 ||
      rows.threadsPerRow() < quad)
    return false;
  return llvm::all_of(kernel.getBody().getOps<ReduceOp>(), [](ReduceOp reduce) {
    return reduce.getInput().getDefiningOp<MulOp>() != nullptr;
  });
}

bool mlir::fuse::computesInPairs(PointEmitter &emitter, Operation *op) {
  auto kernel = op->getParentOfType<KernelOp>();
  if (!kernel || emitter.getOptions().sharedBytes == 0)
    return false;
  ScheduleAttrInterface schedule = kernel.getScheduleAttr();
  if (isa_and_nonnull<RowsScheduleAttr>(schedule))
    return multipliesRowsByMma(kernel);
  auto tiles = dyn_cast_or_null<MmaScheduleAttr>(schedule);
  return tiles && tiles.computesOperands();
}

bool mlir::fuse::computesInAnyOrder(Operation *op) {
  auto kernel = op->getParentOfType<KernelOp>();
  return kernel && isa_and_nonnull<RowsScheduleAttr>(kernel.getScheduleAttr());
}

/// The value before it was widened from `element`, or null if it was not.
static Value narrowed(PointEmitter &emitter, Value wide, Type element) {
  if (auto widened = wide.getDefiningOp<arith::ExtFOp>())
    return getElementTypeOrSelf(widened.getIn()) == element ? widened.getIn()
                                                            : Value();
  auto broadcast = wide.getDefiningOp<vector::BroadcastOp>();
  if (!broadcast || isa<VectorType>(broadcast.getSourceType()))
    return {};
  Value scalar = narrowed(emitter, broadcast.getSource(), element);
  return scalar ? emitter.splat(wide.getLoc(), scalar,
                                cast<VectorType>(wide.getType()).getDimSize(0))
                : scalar;
}

Value mlir::fuse::buildInPairs(PointEmitter &emitter, Operation *op,
                               ValueRange operands) {
  if (!isa<AddOp, SubOp, MulOp>(op) || !computesInPairs(emitter, op))
    return {};
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  auto wide = dyn_cast<VectorType>(operands[0].getType());
  if (!(element.isBF16() || element.isF16()) || !wide ||
      wide.getDimSize(0) % 2 != 0)
    return {};
  Value a = narrowed(emitter, operands[0], element);
  Value b = narrowed(emitter, operands[1], element);
  if (!a || !b)
    return {};
  OpBuilder &builder = emitter.getBuilder();
  Location loc = op->getLoc();
  Value result;
  if (isa<AddOp>(op))
    result = arith::AddFOp::create(builder, loc, a, b);
  else if (isa<SubOp>(op))
    result = arith::SubFOp::create(builder, loc, a, b);
  else
    result = arith::MulFOp::create(builder, loc, a, b);
  return arith::ExtFOp::create(builder, loc, wide, result);
}
