//===- JoinBitwise.cpp - Two bitwise operations of a word -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JoinBitwise.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {
/// (value & mask) | or ^ other.
struct Joined {
  Value *value;
  Constant *mask, *other;
  bool isXor;
};
} // namespace

static std::optional<Joined> match(Instruction &instruction) {
  if (!instruction.getType()->getScalarType()->isIntegerTy(32))
    return std::nullopt;
  Joined joined;
  auto masked =
      m_OneUse(m_And(m_Value(joined.value), m_ImmConstant(joined.mask)));
  joined.isXor = instruction.getOpcode() == Instruction::Xor;
  if (!PatternMatch::match(&instruction,
                           m_Or(masked, m_ImmConstant(joined.other))) &&
      !PatternMatch::match(&instruction,
                           m_Xor(masked, m_ImmConstant(joined.other))))
    return std::nullopt;
  return joined;
}

/// One word; the table says which bits of the result are set, by those of the
/// three operands.
static Value *join(IRBuilder<> &builder, Value *value, const Constant *mask,
                   const Constant *other, bool isXor) {
  constexpr unsigned first = 0xF0, second = 0xCC, third = 0xAA;
  unsigned table = isXor ? (first & second) ^ third : (first & second) | third;
  auto number = [](const Constant *constant) {
    return std::to_string(cast<ConstantInt>(constant)->getSExtValue());
  };
  std::string ptx = "lop3.b32 $0, $1, " + number(mask) + ", " + number(other) +
                    ", " + std::to_string(table) + ";";
  Type *word = builder.getInt32Ty();
  auto *code = InlineAsm::get(FunctionType::get(word, {word}, false), ptx,
                              "=r,r", /*hasSideEffects=*/false);
  return builder.CreateCall(code, {value});
}

static Value *join(IRBuilder<> &builder, const Joined &joined) {
  auto *vector = dyn_cast<FixedVectorType>(joined.value->getType());
  if (!vector)
    return join(builder, joined.value, joined.mask, joined.other, joined.isXor);
  Value *result = PoisonValue::get(vector);
  for (unsigned lane = 0; lane < vector->getNumElements(); ++lane) {
    Value *word =
        join(builder, builder.CreateExtractElement(joined.value, lane),
             joined.mask->getAggregateElement(lane),
             joined.other->getAggregateElement(lane), joined.isXor);
    result = builder.CreateInsertElement(result, word, lane);
  }
  return result;
}

void mlir::fuse::joinBitwise(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction :
         make_early_inc_range(instructions(function))) {
      std::optional<Joined> joined = match(instruction);
      if (!joined)
        continue;
      IRBuilder<> builder(&instruction);
      instruction.replaceAllUsesWith(join(builder, *joined));
      instruction.eraseFromParent();
    }
}
