//===- KernelKey.cpp - What tells kernels apart ---------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/Strides.h"
#include "fuse/Schedule/MmaModel.h"
#include "fuse/Schedule/TuningFile.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr size_t keyBytes = 16;

/// The kernel's text without what does not change its code. Operands are of
/// another function and print as unknown.
static void printBody(KernelOp kernel, raw_ostream &os) {
  OwningOpRef<KernelOp> copy = kernel.clone();
  copy->setKernelName("");
  copy->removeScheduleAttr();
  copy->walk([](Operation *op) {
    op->removeDiscardableAttr(kInTilesAttr);
    op->removeDiscardableAttr(kRowScaleAttr);
  });
  (*copy)->removeAttr(kSizedSchedulesAttr);
  OpPrintingFlags flags;
  flags.enableDebugInfo(false).printGenericOpForm().useLocalScope();
  copy->print(os, flags);
}

/// What contractions are scheduled for, as far as the kernel has such sizes: as
/// dimensions, or as factors of one.
static void printAssumed(KernelOp kernel, const DimClasses &dims,
                         const llvm::DenseMap<int, unsigned> &classes,
                         ArrayRef<AssumedSize> assumed, raw_ostream &os) {
  if (kernel.getBody().getOps<ContractOp>().empty())
    return;
  DenseMap<int, unsigned> parts(classes);
  SmallVector<std::pair<unsigned, int>> inOrder;
  for (auto [cls, number] : classes)
    inOrder.push_back({number, cls});
  llvm::sort(inOrder);
  for (auto [number, cls] : inOrder)
    for (int part : dynamicSizeOf({{ShapedType::kDynamic, cls}}, dims).classes)
      parts.try_emplace(part, parts.size());
  for (const AssumedSize &one : assumed) {
    if (!llvm::all_of(one.classes,
                      [&](int cls) { return parts.contains(cls); }))
      continue;
    os << "\nfor";
    for (int cls : one.classes)
      os << " d" << parts.lookup(cls);
    os << " = " << one.size;
  }
}

std::string mlir::fuse::kernelKey(KernelOp kernel, const DimClasses &dims,
                                  bool divisible, CallSize size,
                                  ArrayRef<AssumedSize> assumed) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printBody(kernel, os);
  os << (divisible ? "\ndivisible" : "\nany size");
  for (CallSize each : ArrayRef(allCallSizes).drop_front())
    if (size >= each)
      os << "\n" << name(each);
  // Which dynamic dimensions are equal, by classes in the order in which they
  // come, since their numbers depend on the rest of the program.
  llvm::DenseMap<int, unsigned> classes;
  auto printExtents = [&](Value value) {
    os << "\n";
    for (const Extent &extent : dims.extents(value))
      if (extent.isStatic())
        os << " " << extent.size;
      else
        os << " d"
           << classes.try_emplace(extent.cls, classes.size()).first->second;
  };
  for (Value input : kernel.getBody().getArguments()) {
    printExtents(input);
    os << " " << stringifyStrideKind(strideKind(input));
  }
  for (auto [number, value] : llvm::enumerate(kernel.getYield().getValues())) {
    printExtents(value);
    StrideKind kind = resultKind(kernel, number);
    if (kind != StrideKind::dense)
      os << " " << stringifyStrideKind(kind);
  }
  printAssumed(kernel, dims, classes, assumed, os);
  auto hash = llvm::BLAKE3::hash<keyBytes>(llvm::arrayRefFromStringRef(text));
  return llvm::toHex(hash, /*LowerCase=*/true);
}
