//===- ConvergentAsm.cpp - Assembly that threads run together -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvergentAsm.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

void mlir::fuse::markAssemblyConvergent(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<CallBase>(&instruction);
      if (!call || !call->isInlineAsm())
        continue;
      if (!cast<InlineAsm>(call->getCalledOperand())->hasSideEffects())
        continue;
      call->setConvergent();
      call->setDoesNotThrow();
    }
}
