//===- MmaRankings.cpp - Schedules that were ranked before ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/MmaRankings.h"

using namespace mlir;
using namespace mlir::fuse;

/// Names all members, or does not compile.
static void append(std::vector<double> &numbers, const MmaProduct &product) {
  const auto &[batches, m, n, k, resultBytes, operandBits, rowInstructions,
               columnInstructions, segments, runs, rowLines, columnLines,
               readBytes, instructions, states] = product;
  for (double number : {batches, m, n, k, resultBytes, double(operandBits),
                        rowInstructions, columnInstructions, double(runs),
                        rowLines, columnLines, readBytes, instructions, states})
    numbers.push_back(number);
  for (const auto &[columns, contractions] : segments) {
    numbers.push_back(columns);
    numbers.push_back(double(contractions));
  }
}

/// Names all members, or does not compile.
static void append(std::vector<double> &numbers, const MmaForm &form) {
  const auto &[mayCopyResults, rowsAreAlongK, columnsAreAlongK, mayBeSwapped,
               mayGather, mayLeaveParts, reducesRows, contractions,
               wholeColumns, pairSides, hasBlocks, rowBits, columnBits] = form;
  for (bool flag :
       {mayCopyResults, rowsAreAlongK, columnsAreAlongK, mayBeSwapped,
        mayGather, mayLeaveParts, reducesRows, hasBlocks})
    numbers.push_back(flag);
  for (int64_t number :
       {contractions, wholeColumns, pairSides, rowBits, columnBits})
    numbers.push_back(double(number));
}

void MmaRankings::addTo(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, FuseDialect *dialect) {
    dialect->addInterfaces<MmaRankings>();
  });
}

SmallVector<MmaScheduleAttr> MmaRankings::of(MLIRContext *context,
                                             const MmaProduct &product,
                                             const MmaForm &form,
                                             const GPUTarget &gpu) {
  const auto *rankings = context->getLoadedDialect<FuseDialect>()
                             ->getRegisteredInterface<MmaRankings>();
  if (!rankings)
    return rankMmaSchedules(context, product, form, gpu);
  std::vector<double> numbers = boardNumbers(gpu);
  // A pass may do without these.
  numbers.push_back(gpu.mmaSyncFloat64PerClock);
  append(numbers, form);
  append(numbers, product);
  Key key{gpu.chip.str(), std::move(numbers)};
  {
    std::lock_guard<std::mutex> lock(rankings->mutex);
    if (auto it = rankings->known.find(key); it != rankings->known.end())
      return it->second;
  }
  SmallVector<MmaScheduleAttr> ranked =
      rankMmaSchedules(context, product, form, gpu);
  std::lock_guard<std::mutex> lock(rankings->mutex);
  rankings->known.insert({std::move(key), ranked});
  return ranked;
}
