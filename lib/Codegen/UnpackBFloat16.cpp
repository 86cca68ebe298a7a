//===- UnpackBFloat16.cpp - bf16 to f32, two to a word --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnpackBFloat16.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

/// Whether the vector's lanes lie in whole words already; others would have to
/// be put into them first.
static bool isPacked(const Value *value) {
  auto *type = dyn_cast<FixedVectorType>(value->getType());
  return type && type->getElementType()->isBFloatTy() &&
         type->getNumElements() % 2 == 0 &&
         !isa<Constant, InsertElementInst, ShuffleVectorInst>(value);
}

static Value *wordsOf(IRBuilder<> &builder, Value *packed) {
  unsigned lanes = cast<FixedVectorType>(packed->getType())->getNumElements();
  Value *words = builder.CreateBitCast(
      packed, FixedVectorType::get(builder.getInt32Ty(), lanes / 2));
  // A load becomes one of words, in the line of the cast.
  if (auto *source = dyn_cast<Instruction>(packed))
    cast<Instruction>(words)->setDebugLoc(source->getDebugLoc());
  return words;
}

/// Lane `lane` of words with two lanes each.
static Value *unpackLane(IRBuilder<> &builder, Value *words, unsigned lane) {
  Value *word = builder.CreateExtractElement(words, lane / 2);
  Value *bits = lane % 2 ? builder.CreateAnd(word, 0xffff0000)
                         : builder.CreateShl(word, 16);
  return builder.CreateBitCast(bits, builder.getFloatTy());
}

/// Whether a loop of several blocks carries what the conversion takes, such as
/// a row that is loaded while the one before is reduced. ptxas unpacks its
/// lanes as soon as they are there, and they take twice the registers for long.
static bool isCarried(const FPExtInst &conversion, const LoopInfo &loops) {
  const llvm::Value *source = conversion.getOperand(0);
  if (const auto *extract = dyn_cast<ExtractElementInst>(source))
    source = extract->getVectorOperand();
  const auto *carried = dyn_cast<PHINode>(source);
  const Loop *loop = loops.getLoopFor(conversion.getParent());
  return carried && loop && loop->getNumBlocks() > 1;
}

/// What the conversion gives, or null if it is none of packed lanes.
static Value *unpack(FPExtInst &conversion) {
  IRBuilder<> builder(&conversion);
  Value *source = conversion.getOperand(0);
  if (!conversion.getType()->getScalarType()->isFloatTy())
    return nullptr;
  if (isPacked(source)) {
    Value *words = wordsOf(builder, source);
    Value *result = PoisonValue::get(conversion.getType());
    unsigned lanes =
        cast<FixedVectorType>(conversion.getType())->getNumElements();
    for (unsigned lane = 0; lane < lanes; ++lane)
      result = builder.CreateInsertElement(
          result, unpackLane(builder, words, lane), lane);
    return result;
  }
  auto *extract = dyn_cast<ExtractElementInst>(source);
  if (!extract || !isPacked(extract->getVectorOperand()))
    return nullptr;
  auto *lane = dyn_cast<ConstantInt>(extract->getIndexOperand());
  return lane ? unpackLane(builder,
                           wordsOf(builder, extract->getVectorOperand()),
                           lane->getZExtValue())
              : nullptr;
}

void mlir::fuse::unpackBFloat16(Module &module) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    for (Instruction &instruction :
         make_early_inc_range(instructions(function))) {
      auto *conversion = dyn_cast<FPExtInst>(&instruction);
      if (!conversion || isCarried(*conversion, loops))
        continue;
      llvm::Value *unpacked = unpack(*conversion);
      if (!unpacked)
        continue;
      conversion->replaceAllUsesWith(unpacked);
      conversion->eraseFromParent();
    }
  }
}
