//===- WgmmaCopies.cpp - Copies of sums that wgmma computes ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WgmmaCopies.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

/// The text of inline assembly that is called, or nothing.
static StringRef assemblyOf(const Value *value) {
  const auto *call = dyn_cast<CallBase>(value);
  if (!call || !call->isInlineAsm())
    return {};
  return cast<InlineAsm>(call->getCalledOperand())->getAsmString();
}

/// Whether products add to the value, or to what loops make of it.
static bool isAddedTo(Value *value) {
  SetVector<Value *> carried;
  carried.insert(value);
  for (size_t next = 0; next < carried.size(); ++next)
    for (User *user : carried[next]->users()) {
      if (assemblyOf(user).contains("wgmma."))
        return true;
      if (isa<PHINode>(user))
        carried.insert(user);
    }
  return false;
}

/// The copy, for the loops; ptxas finds a register for both.
static void copyForLoops(Instruction &sum) {
  auto isCarried = [](const Use &use) { return isa<PHINode>(use.getUser()); };
  if (none_of(sum.uses(), isCarried) || isAddedTo(&sum))
    return;
  IRBuilder<> builder(sum.getNextNode());
  auto *code = InlineAsm::get(
      FunctionType::get(sum.getType(), {sum.getType()}, /*isVarArg=*/false),
      "mov.b32 $0, $1;", "=f,f", /*hasSideEffects=*/false);
  Value *copy = builder.CreateCall(code, {&sum});
  sum.replaceUsesWithIf(copy, isCarried);
}

void mlir::fuse::copySumsBehindWaits(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction :
         make_early_inc_range(instructions(function)))
      if (isa<ExtractValueInst>(instruction) &&
          assemblyOf(instruction.getOperand(0)).contains("wgmma.wait_group"))
        copyForLoops(instruction);
}
