//===- VectorizerWorkarounds.cpp - Around wrong code of LLVM --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorizerWorkarounds.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;

namespace {
/// The divisions of one innermost loop. Only unsigned ones: positions are.
class LoopDivisions {
public:
  LoopDivisions(Loop &loop, const DominatorTree &tree, ScalarEvolution &scev)
      : loop(loop), tree(tree), scev(scev) {}

  /// Whether anything changed.
  bool hoist();

private:
  bool mayBeVectorized() const;
  bool isConditional(const Instruction &instruction) const {
    return !tree.dominates(instruction.getParent(), loop.getLoopLatch());
  }
  bool isCandidate(const Instruction &instruction) const;
  bool mayBeConsecutive(Value *pointer) const;
  void collect();
  void collectUsedBy(Value *value);
  void makeDivisorSafe(Instruction *division);
  bool canHoist(Value *value);
  void hoist(Value *value);
  bool isInPlace(Value *value) const {
    auto *instruction = dyn_cast<Instruction>(value);
    return !instruction ||
           tree.dominates(instruction, loop.getHeader()->getTerminator());
  }

  Loop &loop;
  const DominatorTree &tree;
  ScalarEvolution &scev;
  SmallSetVector<Instruction *, 8> divisions;
  SmallPtrSet<Value *, 16> visited;
  DenseMap<Value *, Value *> safeDivisors;
  DenseMap<Value *, bool> hoistable;
};

struct KeepDivisionsUnconditional : PassInfoMixin<KeepDivisionsUnconditional> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &manager) {
    auto &tree = manager.getResult<DominatorTreeAnalysis>(function);
    auto &scev = manager.getResult<ScalarEvolutionAnalysis>(function);
    bool changed = false;
    for (Loop *loop :
         manager.getResult<LoopAnalysis>(function).getLoopsInPreorder())
      if (loop->isInnermost() && loop->isLoopSimplifyForm())
        changed |= LoopDivisions(*loop, tree, scev).hoist();
    if (!changed)
      return PreservedAnalyses::all();
    PreservedAnalyses preserved;
    preserved.preserveSet<CFGAnalyses>();
    return preserved;
  }
};
} // namespace

/// A loop with vectors in it is left as it is.
bool LoopDivisions::mayBeVectorized() const {
  return all_of(loop.blocks(), [](BasicBlock *block) {
    return none_of(*block, [](const Instruction &instruction) {
      return isa<VectorType>(instruction.getType());
    });
  });
}

bool LoopDivisions::isCandidate(const Instruction &instruction) const {
  unsigned opcode = instruction.getOpcode();
  if (opcode != Instruction::UDiv && opcode != Instruction::URem)
    return false;
  Value *divisor = instruction.getOperand(1);
  return loop.isLoopInvariant(divisor) && !isa<Constant>(divisor) &&
         isConditional(instruction);
}

/// The vectorizer may also have a version of the loop where a stride, which may
/// be a divisor, too, is 1.
bool LoopDivisions::mayBeConsecutive(Value *pointer) const {
  auto isRecurrence = [&](const SCEV *address) {
    SmallVector<const SCEVPredicate *> assumed;
    return scev.convertSCEVToAddRecWithPredicates(address, &loop, assumed);
  };
  ValueToSCEVMapTy ones;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block)
      if (isCandidate(instruction))
        ones[instruction.getOperand(1)] = scev.getOne(instruction.getType());
  const SCEV *address = scev.getSCEV(pointer);
  return isRecurrence(address) ||
         isRecurrence(SCEVParameterRewriter::rewrite(address, scev, ones));
}

void LoopDivisions::collectUsedBy(Value *value) {
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || !loop.contains(instruction) ||
      isa<PHINode>(instruction) || !visited.insert(instruction).second)
    return;
  if (isCandidate(*instruction))
    divisions.insert(instruction);
  for (Value *operand : instruction->operands())
    collectUsedBy(operand);
}

void LoopDivisions::collect() {
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block)
      if (Value *pointer = getLoadStorePointerOperand(&instruction))
        if (isConditional(instruction) && mayBeConsecutive(pointer))
          collectUsedBy(pointer);
}

/// Other uses of the divisor after the division get the same, since scalar
/// evolution has to see that they are equal.
void LoopDivisions::makeDivisorSafe(Instruction *division) {
  Value *divisor = division->getOperand(1);
  Value *&safe = safeDivisors[divisor];
  if (!safe) {
    IRBuilder<> builder(loop.getLoopPreheader()->getTerminator());
    // Frozen again, for scalar evolution takes a maximum apart.
    safe = builder.CreateFreeze(builder.CreateBinaryIntrinsic(
        Intrinsic::umax, builder.CreateFreeze(divisor),
        ConstantInt::get(divisor->getType(), 1)));
  }
  divisor->replaceUsesWithIf(safe, [&](Use &use) {
    auto *user = dyn_cast<Instruction>(use.getUser());
    return user && loop.contains(user) &&
           (user == division || tree.dominates(division, use));
  });
}

bool LoopDivisions::canHoist(Value *value) {
  if (isInPlace(value))
    return true;
  auto known = hoistable.find(value);
  if (known != hoistable.end())
    return known->second;
  auto *instruction = cast<Instruction>(value);
  bool isSafe =
      divisions.contains(instruction) ||
      (!isa<PHINode>(instruction) && !instruction->mayReadFromMemory() &&
       isSafeToSpeculativelyExecute(instruction));
  bool result = isSafe && all_of(instruction->operands(), [&](Value *operand) {
                  return canHoist(operand);
                });
  hoistable[value] = result;
  return result;
}

void LoopDivisions::hoist(Value *value) {
  if (isInPlace(value))
    return;
  auto *instruction = cast<Instruction>(value);
  for (Value *operand : instruction->operands())
    hoist(operand);
  // What the condition has ruled out may overflow now.
  instruction->dropPoisonGeneratingAnnotations();
  instruction->moveBefore(loop.getHeader()->getTerminator()->getIterator());
}

bool LoopDivisions::hoist() {
  if (!mayBeVectorized())
    return false;
  collect();
  for (Instruction *division : divisions)
    canHoist(division);
  divisions.remove_if(
      [&](Instruction *division) { return !hoistable.lookup(division); });
  for (Instruction *division : divisions)
    if (!is_contained(make_second_range(safeDivisors), division->getOperand(1)))
      makeDivisorSafe(division);
  for (Instruction *division : divisions)
    hoist(division);
  return !divisions.empty();
}

void mlir::fuse::keepDivisionsUnconditional(PassBuilder &builder) {
  builder.registerVectorizerStartEPCallback(
      [](FunctionPassManager &passes, OptimizationLevel) {
        passes.addPass(LoopSimplifyPass());
        passes.addPass(KeepDivisionsUnconditional());
      });
}
