//===- Case.h - A program file with what to run it on -----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A case is a program whose comments say what it is to be run on:
//
//   // --dim rows=33
//   // --dim columns=4
//   // --seed 17
//   // --fill special
//   // --check fused,schedules
//   func.func @program(%x: tensor<?x?xf32> {fuse.dims = ["rows", "columns"]})
//   func.func @twin(...)
//
// The first public function is the program. Every other one has to compute the
// same in another way; its inputs are those of the first.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_CROSSCHECK_CASE_H
#define FUSE_TOOLS_CROSSCHECK_CASE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace fuse::crosscheck {

/// What the inputs hold.
enum class Fill {
  /// Floats from the normal distribution, integers from [0, 64), booleans.
  Normal,
  /// The same, with one special value in each tensor: NaN, an infinity, a zero
  /// of either sign, the smallest denormal, the largest finite number.
  Rare,
  /// The same, an eighth of all elements being special.
  Special,
  /// The same, with a quarter of the rows all minus infinity.
  Masked,
  /// Magnitudes from the smallest to the largest numbers of the type.
  Wide,
  /// Small whole numbers, some negative: equal elements, and indices outside.
  Small,
};

enum class Check {
  /// The fused program.
  Fused,
  /// The fused program on tensors of the least alignment.
  Unaligned,
  /// The fused program, here and emulated, on views with strides.
  Strided,
  /// Each op a kernel of its own.
  Unfused,
  /// Rounding after every op; bit for bit the same fused and unfused, if all
  /// ops are pointwise.
  Strict,
  /// Other schedules of the same kernels.
  Schedules,
  /// The other functions of the file.
  Twins,
  /// The GPU's kernels, emulated.
  Emulated,
  /// Other schedules of these.
  EmulatedSchedules,
  /// Compiled for a GPU, which need not be there, for the case's call, for
  /// views and for any tensors: to PTX, and by ptxas where that is there.
  Compiled,
  /// On a GPU: the fused program, also on tensors of the least alignment and on
  /// views with strides.
  GPU,
  /// Other schedules there.
  GPUSchedules,
};

inline constexpr Check allChecks[] = {
    Check::Fused,    Check::Unaligned, Check::Strided,
    Check::Unfused,  Check::Strict,    Check::Schedules,
    Check::Twins,    Check::Emulated,  Check::EmulatedSchedules,
    Check::Compiled, Check::GPU,       Check::GPUSchedules};

/// Whether a case that does not say what to check wants it.
inline bool isUsual(Check check) { return check < Check::Compiled; }

llvm::StringRef name(Check check);

struct Case {
  std::string path;
  std::string text;
  /// NAME=SIZE.
  std::vector<std::string> dims;
  uint64_t seed = 0;
  Fill fill = Fill::Normal;
  std::vector<Check> checks;

  /// Whether to make a check that was asked for. Every case wants those that
  /// are not usual, since a GPU runs what is too large for the emulator, but
  /// other schedules there only if it wants them anywhere.
  bool wants(Check check) const;
};

/// Reads a file. A comment that starts with "// --" and is none of the above is
/// an error.
llvm::Expected<Case> readCase(llvm::StringRef path);

/// Gives a dim, NAME=SIZE, another size than the file does.
void setDim(Case &it, llvm::StringRef dim);

} // namespace fuse::crosscheck

#endif // FUSE_TOOLS_CROSSCHECK_CASE_H
