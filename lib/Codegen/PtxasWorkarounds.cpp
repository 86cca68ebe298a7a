//===- PtxasWorkarounds.cpp - Around wrong code of ptxas ------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxasWorkarounds.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

/// Two's complement, and without a branch: ptxas keeps both as they are.
static constexpr StringLiteral negation =
    "{ .reg .b32 t; not.b32 t, $1; add.s32 $0, t, 1; }";
static constexpr StringLiteral magnitude =
    "{ .reg .b32 s, t; shr.s32 s, $1, 31; xor.b32 t, $1, s; sub.s32 $0, t, s; "
    "}";

static bool isSignedMinMax(const Instruction &instruction) {
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call && call->getType()->getScalarType()->isIntegerTy(32) &&
         (call->getIntrinsicID() == Intrinsic::smax ||
          call->getIntrinsicID() == Intrinsic::smin);
}

/// The PTX for `instruction` and its operand, if it is one of the two.
static std::pair<StringRef, Value *> match(Instruction &instruction) {
  Value *operand = nullptr;
  if (!instruction.getType()->getScalarType()->isIntegerTy(32))
    return {};
  if (PatternMatch::match(&instruction,
                          PatternMatch::m_Neg(PatternMatch::m_Value(operand))))
    return {negation, operand};
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (call && call->getIntrinsicID() == Intrinsic::abs)
    return {magnitude, call->getArgOperand(0)};
  return {};
}

static Value *emit(IRBuilder<> &builder, StringRef ptx, Value *operand) {
  Type *type = builder.getInt32Ty();
  auto *code = InlineAsm::get(FunctionType::get(type, {type}, false), ptx,
                              "=r,r", /*hasSideEffects=*/false);
  auto *vector = dyn_cast<FixedVectorType>(operand->getType());
  if (!vector)
    return builder.CreateCall(code, {operand});
  Value *result = PoisonValue::get(vector);
  for (unsigned lane = 0; lane < vector->getNumElements(); ++lane) {
    Value *element = builder.CreateExtractElement(operand, lane);
    result = builder.CreateInsertElement(
        result, builder.CreateCall(code, {element}), lane);
  }
  return result;
}

void mlir::fuse::keepNegationsOutOfMinMax(Module &module) {
  for (Function &function : module) {
    if (!any_of(instructions(function), isSignedMinMax))
      continue;
    for (Instruction &instruction :
         make_early_inc_range(instructions(function))) {
      auto [ptx, operand] = match(instruction);
      if (!operand)
        continue;
      IRBuilder<> builder(&instruction);
      instruction.replaceAllUsesWith(emit(builder, ptx, operand));
      instruction.eraseFromParent();
    }
  }
}

/// Whether it becomes an add.s16x2 with a constant.
static bool isNarrowAddition(const Instruction &instruction) {
  auto *type = dyn_cast<FixedVectorType>(instruction.getType());
  bool isNarrow = type && type->getElementType()->isIntegerTy() &&
                  type->getScalarSizeInBits() <= 16;
  bool adds = instruction.getOpcode() == Instruction::Add ||
              instruction.getOpcode() == Instruction::Sub;
  return isNarrow && adds && any_of(instruction.operands(), [](const Use &use) {
           return isa<Constant>(use);
         });
}

static Value *addLanes(Instruction &addition) {
  IRBuilder<> builder(&addition);
  auto opcode = static_cast<Instruction::BinaryOps>(addition.getOpcode());
  auto *type = cast<FixedVectorType>(addition.getType());
  Value *result = PoisonValue::get(type);
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    Value *lhs = builder.CreateExtractElement(addition.getOperand(0), lane);
    Value *rhs = builder.CreateExtractElement(addition.getOperand(1), lane);
    result = builder.CreateInsertElement(
        result, builder.CreateBinOp(opcode, lhs, rhs), lane);
  }
  return result;
}

void mlir::fuse::splitNarrowAdditions(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction :
         make_early_inc_range(instructions(function)))
      if (isNarrowAddition(instruction)) {
        instruction.replaceAllUsesWith(addLanes(instruction));
        instruction.eraseFromParent();
      }
}
