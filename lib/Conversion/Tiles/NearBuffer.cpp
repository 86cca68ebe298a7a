//===- NearBuffer.cpp - Memory of a block near its core -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NearBuffer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::fuse;

Value NearBuffer::address(const Index &at) const {
  OpBuilder &builder = emitter->getBuilder();
  Location loc = emitter->getKernel().getLoc();
  Value from = pointer;
  auto step = [&](LLVM::GEPArg arg) {
    from = LLVM::GEPOp::create(builder, loc, pointer.getType(), element, from,
                               arg, LLVM::GEPNoWrapFlags::inbounds);
  };
  // The constant apart, so that it becomes an immediate of the access.
  if (at.base)
    step(arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                    emitter->materialize({at.base}))
             .getResult());
  if (at.offset)
    step(static_cast<int32_t>(at.offset));
  return from;
}

NearBuffer NearBuffer::from(const Index &at) const {
  return {*emitter, address(at), element};
}

static int64_t bytesOf(Type element, int64_t count) {
  return element.getIntOrFloatBitWidth() / 8 * count;
}

/// What an access to so many elements may count on. Buffers in a GPU's shared
/// memory start at multiples of its widest access.
int64_t NearBuffer::alignmentOf(int64_t elements) const {
  constexpr int64_t widestAccess = 16;
  int64_t bytes = bytesOf(element, elements);
  bool isShared =
      cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() != 0;
  return isShared ? std::min(bytes, widestAccess) : bytes;
}

Value NearBuffer::load(const Index &at, int64_t lanes, int64_t aligned) const {
  return LLVM::LoadOp::create(
      emitter->getBuilder(), emitter->getKernel().getLoc(),
      PointEmitter::lanesOf(element, lanes), address(at), alignmentOf(aligned));
}

void NearBuffer::store(const Index &at, Value value, int64_t aligned) const {
  LLVM::StoreOp::create(emitter->getBuilder(), emitter->getKernel().getLoc(),
                        value, address(at), alignmentOf(aligned));
}

void NearMemory::allocate(KernelFrame &frame, Type type) {
  constexpr int64_t line = 64;
  OpBuilder &builder = frame.builder;
  int64_t bytes = 0;
  SmallVector<int64_t> offsets;
  for (auto [buffer, elements] : parts) {
    offsets.push_back(bytes / bytesOf(type, 1));
    bytes = llvm::alignTo(bytes + bytesOf(type, elements), line);
  }
  std::string name = ("__scratch_" + frame.function.getName()).str();
  auto module = frame.function->getParentOfType<gpu::GPUModuleOp>();
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    LLVM::GlobalOp::create(builder, frame.loc(),
                           LLVM::LLVMArrayType::get(builder.getI8Type(), bytes),
                           /*isConstant=*/false, LLVM::Linkage::External, name,
                           Attribute(), /*alignment=*/line);
  }
  NearBuffer all(frame.emitter,
                 LLVM::AddressOfOp::create(builder, frame.loc(), pointer, name),
                 type);
  for (auto [part, offset] : llvm::zip_equal(parts, offsets))
    *part.first = all.from(Index::constant(offset));
}
