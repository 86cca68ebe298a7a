//===- Reason.h - Why the compiler did not do something ---------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reason is made where the decision is taken, as a kind and what the decision
// speaks of: ops, sizes, times. It travels as an attribute of the program,
//
//   {kind = "longBesideShort", details = ["4096", "128"]}
//
// and becomes words at the end: the sentence and the remedy of each kind stand
// in Reasons.def, and nobody reads a sentence to find out what it says.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_REASON_H
#define FUSE_ANALYSIS_REASON_H

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/FormatVariadic.h"
#include <memory>
#include <optional>

namespace mlir::fuse {

enum class ReasonKind {
#define REASON(kind, sentence, remedy) kind,
#include "fuse/Analysis/Reasons.def"
};

class Reason {
public:
  /// Says nothing, and is false.
  Reason() = default;

  /// `details` are what the sentence of the kind speaks of, in its order.
  template <typename... Details>
  Reason(ReasonKind kind, const Details &...details) : known(kind) {
    (values.push_back(llvm::formatv("{0}", details).str()), ...);
  }

  /// `kind` because of another reason, which becomes the last detail.
  static Reason because(ReasonKind kind, Reason cause);

  explicit operator bool() const { return known.has_value(); }
  bool operator==(const Reason &other) const;

  ReasonKind kind() const { return *known; }
  bool is(ReasonKind kind) const { return known == kind; }

  /// As in Reasons.def, such as "otherRows".
  llvm::StringRef name() const;
  /// What happened, and what to change.
  std::string sentence() const;
  std::string remedy() const;

  /// {kind, details, cause}, of which the last two may be missing.
  DictionaryAttr toAttribute(MLIRContext *context) const;
  /// From such a dictionary; one that nobody can have made says nothing.
  static Reason fromAttribute(Attribute attribute);

private:
  std::optional<ReasonKind> known;
  SmallVector<std::string, 2> values;
  std::shared_ptr<const Reason> cause;
};

/// A time, as details have it: "12.3".
std::string microseconds(double seconds);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_REASON_H
