//===- LaunchTraffic.cpp - How much a launch touches ----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchTraffic.h"

using namespace llvm;
using fuse::runtime::SizeExpr;

namespace fuse::jit {

Expected<LaunchTraffic> LaunchTraffic::of(mlir::fuse::LaunchOp op,
                                          const HostValues &values) {
  LaunchTraffic traffic;
  auto pointers = op.getTouchedPointers().value_or(ArrayRef<int64_t>());
  for (auto [pointer, elements] : zip_equal(pointers, op.getTouched())) {
    Expected<SizeExpr> size = values.size(elements);
    if (!size)
      return size.takeError();
    traffic.touched[pointer] = *size;
  }
  for (int64_t pointer : op.getAtMost().value_or(ArrayRef<int64_t>()))
    traffic.bounds.insert(pointer);
  return std::move(traffic);
}

std::optional<SizeExpr> LaunchTraffic::elements(unsigned pointer) const {
  auto known = touched.find(pointer);
  return known == touched.end() ? std::nullopt : std::optional(known->second);
}

} // namespace fuse::jit
