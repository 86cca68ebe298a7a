//===- Reason.cpp - Why the compiler did not do something -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/Reason.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct Words {
  StringLiteral name, sentence, remedy;
};
} // namespace

static constexpr Words words[] = {
#define REASON(kind, sentence, remedy) {#kind, sentence, remedy},
#include "fuse/Analysis/Reasons.def"
};

static const Words &wordsOf(ReasonKind kind) {
  return words[static_cast<size_t>(kind)];
}

/// `text` with {N} replaced by the N-th detail.
static std::string filled(StringRef text, ArrayRef<std::string> details) {
  std::string result;
  while (!text.empty()) {
    auto [before, rest] = text.split('{');
    result += before;
    auto [number, after] = rest.split('}');
    unsigned index = 0;
    if (!number.getAsInteger(10, index) && index < details.size())
      result += details[index];
    text = after;
  }
  return result;
}

Reason Reason::because(ReasonKind kind, Reason cause) {
  Reason reason(kind);
  reason.cause = std::make_shared<const Reason>(std::move(cause));
  return reason;
}

bool Reason::operator==(const Reason &other) const {
  bool sameCause =
      cause && other.cause ? *cause == *other.cause : cause == other.cause;
  return known == other.known && values == other.values && sameCause;
}

StringRef Reason::name() const { return known ? wordsOf(*known).name : ""; }

std::string Reason::sentence() const {
  if (!known)
    return "";
  SmallVector<std::string, 2> details(values);
  if (cause)
    details.push_back(cause->sentence());
  return filled(wordsOf(*known).sentence, details);
}

std::string Reason::remedy() const {
  if (!known)
    return "";
  StringRef own = wordsOf(*known).remedy;
  return own.empty() && cause ? cause->remedy() : filled(own, values);
}

DictionaryAttr Reason::toAttribute(MLIRContext *context) const {
  Builder builder(context);
  NamedAttrList fields;
  if (known)
    fields.set("kind", builder.getStringAttr(name()));
  if (!values.empty())
    fields.set("details", builder.getStrArrayAttr(SmallVector<StringRef>(
                              values.begin(), values.end())));
  if (cause)
    fields.set("cause", cause->toAttribute(context));
  return fields.getDictionary(context);
}

Reason Reason::fromAttribute(Attribute attribute) {
  Reason reason;
  auto fields = dyn_cast_if_present<DictionaryAttr>(attribute);
  auto name = fields ? fields.getAs<StringAttr>("kind") : StringAttr();
  const auto *found = llvm::find_if(
      words, [&](const Words &each) { return name && each.name == name; });
  if (found == std::end(words))
    return reason;
  reason.known = static_cast<ReasonKind>(found - std::begin(words));
  if (auto details = fields.getAs<ArrayAttr>("details"))
    for (auto detail : details.getAsRange<StringAttr>())
      reason.values.push_back(detail.str());
  if (Attribute cause = fields.get("cause"))
    reason.cause = std::make_shared<const Reason>(fromAttribute(cause));
  return reason;
}

std::string mlir::fuse::microseconds(double seconds) {
  return llvm::formatv("{0:F1}", seconds * 1e6);
}
