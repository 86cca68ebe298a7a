//===- Mutator.h - Program texts with something wrong -----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_DEV_TEXT_FUZZ_MUTATOR_H
#define FUSE_TOOLS_DEV_TEXT_FUZZ_MUTATOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <random>
#include <string>
#include <vector>

namespace fuse::fuzz {

/// The programs in `paths`, files or folders of .mlir and .test files, each cut
/// where it says "// -----" or "#--- NAME".
llvm::Expected<std::vector<std::string>>
readCorpus(llvm::ArrayRef<std::string> paths);

/// Changes programs a few tokens at a time. The same seed and number give the
/// same text.
class Mutator {
public:
  Mutator(std::vector<std::string> corpus, uint64_t seed)
      : corpus(std::move(corpus)), seed(seed) {}

  std::string mutant(uint64_t number) const;

private:
  std::vector<std::string> corpus;
  uint64_t seed;
};

} // namespace fuse::fuzz

#endif // FUSE_TOOLS_DEV_TEXT_FUZZ_MUTATOR_H
