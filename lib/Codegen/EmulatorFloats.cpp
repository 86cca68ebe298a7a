//===- EmulatorFloats.cpp - Conversions as the GPU does them --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorFloats.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

/// `element`, in as many lanes as `like` has.
static Type *withLanes(Type *element, Type *like) {
  auto *vector = dyn_cast<FixedVectorType>(like);
  return vector ? FixedVectorType::get(element, vector->getNumElements())
                : element;
}

/// A bf16 is the upper half of an f32.
static Value *extend(IRBuilder<> &builder, Value *value, Type *type) {
  Type *narrow = withLanes(builder.getInt16Ty(), type);
  Type *wide = withLanes(builder.getInt32Ty(), type);
  Value *bits = builder.CreateZExt(builder.CreateBitCast(value, narrow), wide);
  Value *single = builder.CreateBitCast(builder.CreateShl(bits, 16),
                                        withLanes(builder.getFloatTy(), type));
  return builder.CreateFPExt(single, type);
}

/// f32 to bf16, to nearest even. NaN becomes 0x7fff, as in PTX.
static Value *truncate(IRBuilder<> &builder, Value *value, Type *type) {
  Type *narrow = withLanes(builder.getInt16Ty(), type);
  Type *wide = withLanes(builder.getInt32Ty(), type);
  auto constant = [&](uint64_t number) {
    return ConstantInt::get(wide, number);
  };
  Value *bits = builder.CreateBitCast(value, wide);
  Value *odd = builder.CreateAnd(builder.CreateLShr(bits, 16), constant(1));
  Value *rounded = builder.CreateLShr(
      builder.CreateAdd(builder.CreateAdd(bits, constant(0x7fff)), odd), 16);
  Value *isNaN = builder.CreateFCmpUNO(value, value);
  Value *result = builder.CreateSelect(isNaN, constant(0x7fff), rounded);
  return builder.CreateBitCast(builder.CreateTrunc(result, narrow), type);
}

/// f64 to 16 bits, by a shim for each lane.
static Value *truncateDouble(IRBuilder<> &builder, Value *value, Type *type) {
  Type *element = type->getScalarType();
  Module &module = *builder.GetInsertBlock()->getModule();
  FunctionCallee callee = module.getOrInsertFunction(
      mlir::fuse::emulatorSymbol(element->isHalfTy() ? "fuse.half.of.double"
                                                     : "fuse.bfloat.of.double"),
      FunctionType::get(builder.getInt16Ty(), {builder.getDoubleTy()}, false));
  auto convert = [&](Value *scalar) {
    return builder.CreateBitCast(builder.CreateCall(callee, scalar), element);
  };
  auto *vector = dyn_cast<FixedVectorType>(type);
  if (!vector)
    return convert(value);
  Value *result = PoisonValue::get(type);
  for (unsigned lane = 0; lane < vector->getNumElements(); ++lane)
    result = builder.CreateInsertElement(
        result, convert(builder.CreateExtractElement(value, lane)), lane);
  return result;
}

/// What the instruction becomes; null if it stays.
static Value *expand(Instruction &instruction) {
  if (!isa<FPExtInst, FPTruncInst>(instruction))
    return nullptr;
  Value *value = instruction.getOperand(0);
  Type *from = value->getType()->getScalarType();
  Type *to = instruction.getType()->getScalarType();
  IRBuilder<> builder(&instruction);
  if (from->isBFloatTy())
    return extend(builder, value, instruction.getType());
  if (from->isDoubleTy() && (to->isHalfTy() || to->isBFloatTy()))
    return truncateDouble(builder, value, instruction.getType());
  if (to->isBFloatTy())
    return truncate(builder, value, instruction.getType());
  return nullptr;
}

void mlir::fuse::expandFloatConversion(Instruction &instruction) {
  if (auto *expanded = expand(instruction)) {
    instruction.replaceAllUsesWith(expanded);
    instruction.eraseFromParent();
  }
}

std::string mlir::fuse::emulatorSymbol(StringRef name) {
  return ("emu." + name).str();
}
