//===- OpNames.h - Ops by the names that people know them by ----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs are written by people who know torch, NumPy or other dialects of
// MLIR. Whoever writes fuse.topk means no fuse.tanh, although the letters are
// near: names are looked up by what they mean first.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_EXPLAIN_OPNAMES_H
#define FUSE_EXPLAIN_OPNAMES_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace fuse::jit {

/// What to write in place of an op called `name`, such as "fuse.topk",
/// "stablehlo.add" or "bmm"; "" if nobody knows.
std::string replacementFor(llvm::StringRef name, mlir::MLIRContext &context);

/// Calls `visit` with each known name, as it is looked up, and what to write.
void forEachKnownName(
    llvm::function_ref<void(llvm::StringRef name, llvm::StringRef remedy)>
        visit);

/// The nearest of `candidates` to `name`, at most `distance` letters away; ""
/// if none is near.
template <typename Range>
llvm::StringRef nearest(llvm::StringRef name, Range &&candidates,
                        unsigned distance) {
  llvm::StringRef best;
  for (llvm::StringRef candidate : candidates) {
    unsigned found =
        candidate.edit_distance(name, /*AllowReplacements=*/true, distance + 1);
    if (found <= distance) {
      best = candidate;
      if (found == 0)
        break;
      distance = found - 1;
    }
  }
  return best;
}

} // namespace fuse::jit

#endif // FUSE_EXPLAIN_OPNAMES_H
