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
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

#include <cmath>
#include <optional>

using namespace llvm;

/// Two's complement, and without a branch: ptxas keeps both as they are.
static constexpr StringLiteral negation =
    "{ .reg .b32 t; not.b32 t, $1; add.s32 $0, t, 1; }";
static constexpr StringLiteral magnitude =
    "{ .reg .b32 s, t; shr.s32 s, $1, 31; xor.b32 t, $1, s; sub.s32 $0, t, s; "
    "}";
static constexpr StringLiteral longMagnitude =
    "{ .reg .b64 s, t; shr.s64 s, $1, 63; xor.b64 t, $1, s; sub.s64 $0, t, s; "
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

/// The PTX, of each lane of an operand of 32 or 64 bits.
static Value *emit(IRBuilder<> &builder, StringRef ptx, Value *operand) {
  Type *type = operand->getType()->getScalarType();
  auto *code = InlineAsm::get(FunctionType::get(type, {type}, false), ptx,
                              type->isIntegerTy(64) ? "=l,l" : "=r,r",
                              /*hasSideEffects=*/false);
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

/// The PTX for an absolute value that may be that of the least number, which is
/// negative, or nothing.
static StringRef matchMagnitude(const Instruction &instruction) {
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call || call->getIntrinsicID() != Intrinsic::abs ||
      cast<ConstantInt>(call->getArgOperand(1))->isOne())
    return {};
  const Type *type = call->getType()->getScalarType();
  if (type->isIntegerTy(64))
    return longMagnitude;
  return type->isIntegerTy(32) ? StringRef(magnitude) : StringRef();
}

void mlir::fuse::keepMagnitudesUnbounded(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction :
         make_early_inc_range(instructions(function))) {
      StringRef ptx = matchMagnitude(instruction);
      if (ptx.empty())
        continue;
      IRBuilder<> builder(&instruction);
      instruction.replaceAllUsesWith(
          emit(builder, ptx, instruction.getOperand(0)));
      instruction.eraseFromParent();
    }
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

/// Operations between a function of known range and a comparison.
static constexpr unsigned mostSteps = 8;

/// The range of a function as ptxas knows it: from 0, from -1 to 1, or none.
static std::optional<std::pair<double, double>>
knownRange(const llvm::Value *value) {
  const auto *product = dyn_cast<BinaryOperator>(value);
  if (product && product->getOpcode() == Instruction::FMul &&
      product->getOperand(0) == product->getOperand(1))
    return std::pair(0.0, HUGE_VAL);
  const auto *call = dyn_cast<CallBase>(value);
  if (!call)
    return std::nullopt;
  switch (call->getIntrinsicID()) {
  case Intrinsic::fabs:
  case Intrinsic::exp2:
  case Intrinsic::nvvm_ex2_approx:
  case Intrinsic::nvvm_ex2_approx_ftz:
    return std::pair(0.0, HUGE_VAL);
  case Intrinsic::tanh:
  case Intrinsic::sin:
  case Intrinsic::cos:
  case Intrinsic::nvvm_sin_approx_f:
  case Intrinsic::nvvm_cos_approx_f:
    return std::pair(-1.0, 1.0);
  default:
    return std::nullopt;
  }
}

/// Whether the constant lies inside of the function's range, which then decides
/// nothing.
static bool splitsRange(const llvm::Value *function, const Constant *constant) {
  auto range = knownRange(function);
  const Constant *splat =
      constant->getType()->isVectorTy() ? constant->getSplatValue() : constant;
  const auto *number = dyn_cast_or_null<ConstantFP>(splat);
  if (!range || !number)
    return false;
  double at = number->getValueAPF().convertToDouble();
  return range->first < at && at < range->second;
}

/// Whether the range that ptxas knows of an operand may tell it one of the
/// result.
static bool keepsRange(const Instruction &instruction) {
  switch (instruction.getOpcode()) {
  case Instruction::Select:
  case Instruction::PHI:
  case Instruction::Freeze:
  case Instruction::ExtractElement:
  case Instruction::InsertElement:
  case Instruction::ShuffleVector:
  case Instruction::FNeg:
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
    return true;
  default:
    break;
  }
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call && (call->getIntrinsicID() == Intrinsic::minnum ||
                  call->getIntrinsicID() == Intrinsic::maxnum ||
                  call->getIntrinsicID() == Intrinsic::minimum ||
                  call->getIntrinsicID() == Intrinsic::maximum);
}

static bool mayHaveKnownRange(const llvm::Value *value,
                              unsigned steps = mostSteps) {
  const auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || steps == 0)
    return false;
  if (knownRange(value))
    return true;
  return keepsRange(*instruction) &&
         any_of(instruction->operands(), [&](const Use &use) {
           return mayHaveKnownRange(use.get(), steps - 1);
         });
}

static bool isOrder(const FCmpInst &compare) {
  switch (compare.getPredicate()) {
  case CmpInst::FCMP_OGT:
  case CmpInst::FCMP_OGE:
  case CmpInst::FCMP_OLT:
  case CmpInst::FCMP_OLE:
    return true;
  default:
    return false;
  }
}

void mlir::fuse::keepNaNsOutOfComparisons(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction :
         make_early_inc_range(instructions(function))) {
      auto *compare = dyn_cast<FCmpInst>(&instruction);
      if (!compare || !isOrder(*compare))
        continue;
      bool isFlipped = isa<Constant>(compare->getOperand(0));
      llvm::Value *number = compare->getOperand(isFlipped);
      auto *bound = dyn_cast<Constant>(compare->getOperand(!isFlipped));
      if (!bound || splitsRange(number, bound) || !mayHaveKnownRange(number))
        continue;
      // ptxas folds neither: the one depends on NaN alone, and what it knows
      // makes the other true for NaN, as it is.
      IRBuilder<> builder(compare);
      llvm::Value *isNumber = builder.CreateFCmpORD(number, number);
      llvm::Value *holds =
          builder.CreateFCmp(compare->getUnorderedPredicate(),
                             compare->getOperand(0), compare->getOperand(1));
      compare->replaceAllUsesWith(builder.CreateAnd(isNumber, holds));
      compare->eraseFromParent();
    }
}
