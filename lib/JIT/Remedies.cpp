//===- Remedies.cpp - Diagnostics in the user's words ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Remedies.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace fuse::jit {

namespace {
struct Remedy {
  /// A part of the message.
  StringLiteral message;
  StringLiteral remedy;
};
} // namespace

/// Of MLIR's own messages. The first that fits counts.
static constexpr Remedy remedies[] = {
    {"expects different type than prior uses",
     "write the type that the value was defined with, or convert the value "
     "with fuse.cast"},
    {"use of undeclared SSA value", "define it above, or correct the name"},
    {"redefinition of SSA value", "give one of the two another name"},
    {"redefinition of symbol", "give one of the two another name"},
    {"does not dominate", "move its definition above this use"},
    {"must be ranked tensor of",
     "convert it with fuse.cast, or use an op for this type"},
    {"must be tensor of",
     "convert it with fuse.cast, or use an op for this type"},
    {"block with no terminator", "end the function with a return"},
    {"type of return operand",
     "change the function's type, or convert the value with fuse.cast"},
    {"return", "return what the function's type says, or change its type"},
    {"integer constant out of range", "use a number that fits"},
    {"expected operation name", "remove what is no op"},
    {"expected one of [", "use one of these"},
    {"requires attribute", "add it; docs/dialect.md has its values"},
    {"not found for custom op", "use ops of fuse, tensor, arith and func"},
};

static constexpr StringLiteral otherwise =
    "docs/dialect.md has every op with its syntax and constraints";

/// The offset of a place; the size of the text if it lies behind it.
static size_t offsetOf(const SourcePlace &place) {
  size_t offset = 0;
  for (unsigned line = 1; line < place.line && offset < place.text.size();
       ++line)
    offset = std::min(place.text.find('\n', offset), place.text.size() - 1) + 1;
  return std::min<size_t>(offset + std::max(place.column, 1u) - 1,
                          place.text.size());
}

/// The name of a value at the start of `text`, with its sigil.
static StringRef valueName(StringRef text) {
  return text.take_front(1 + text.drop_front()
                                 .take_while([](char c) {
                                   return isAlnum(c) ||
                                          StringRef("_$.-#").contains(c);
                                 })
                                 .size());
}

/// The values that an op at `place` takes, in the order of the text, up to the
/// colon before its types.
static SmallVector<StringRef> operandNames(const SourcePlace &place) {
  SmallVector<StringRef> names;
  constexpr StringLiteral prefix = "fuse.";
  // The place is the start of the op, or behind it for an error of the parser.
  size_t begin =
      place.text.take_front(offsetOf(place) + prefix.size()).rfind(prefix);
  if (begin == StringRef::npos)
    return names;
  StringRef rest = place.text.drop_front(begin);
  while (!rest.empty() && rest.front() != ':') {
    StringRef name = rest.front() == '%' ? valueName(rest) : "";
    if (!name.empty())
      names.push_back(name);
    rest = rest.drop_front(std::max<size_t>(1, name.size()));
  }
  return names;
}

static std::string nameOperands(StringRef message, const SourcePlace &place) {
  constexpr StringLiteral marker = "operand #";
  if (message.starts_with("'") && !message.starts_with("'fuse."))
    return message.str();
  SmallVector<StringRef> names;
  std::string result;
  for (size_t at; (at = message.find(marker)) != StringRef::npos;) {
    if (names.empty())
      names = operandNames(place);
    StringRef rest = message.drop_front(at + marker.size());
    unsigned number = 0;
    bool isNamed = !rest.consumeInteger(10, number) && number < names.size();
    result += message.take_front(at);
    if (isNamed)
      result += "operand '" + names[number].str() + "'";
    else
      result += message.substr(at, message.size() - rest.size() - at);
    message = rest;
  }
  return result + message.str();
}

/// The nearest of `candidates` to `name`; "" if none is near.
template <typename Range>
static StringRef nearest(StringRef name, Range &&candidates) {
  StringRef best;
  unsigned bestDistance = std::max<size_t>(2, name.size() / 3) + 1;
  for (StringRef candidate : candidates) {
    unsigned distance =
        candidate.edit_distance(name, /*AllowReplacements=*/true, bestDistance);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  }
  return best;
}

static std::string didYouMean(StringRef name) {
  return name.empty() ? "" : ("did you mean '" + name + "'?").str();
}

/// The parser only says that an op is unknown; the nearest name is the remedy.
static std::string suggestOp(StringRef message, mlir::MLIRContext &context) {
  if (!message.consume_front("custom op '") || !message.contains("is unknown"))
    return "";
  StringRef name = message.take_until([](char c) { return c == '\''; });
  auto ops = map_range(
      context.getRegisteredOperations(),
      [](mlir::RegisteredOperationName op) { return op.getStringRef(); });
  return didYouMean(nearest(name, ops));
}

/// The name of a value above `place` that is near to the one there.
static std::string suggestValue(StringRef message, const SourcePlace &place) {
  size_t offset = offsetOf(place);
  StringRef rest = place.text.drop_front(offset);
  if (!message.contains("use of undeclared SSA value") ||
      !rest.starts_with("%"))
    return "";
  SmallVector<StringRef> values;
  StringRef before = place.text.take_front(offset);
  for (size_t at = before.find('%'); at != StringRef::npos;
       at = before.find('%', at + 1))
    values.push_back(valueName(before.drop_front(at)));
  // Of a name of one letter every other is near.
  StringRef name = valueName(rest);
  return name.size() <= 2 ? "" : didYouMean(nearest(name, values));
}

static std::string remedyFor(StringRef message, const SourcePlace &place,
                             mlir::MLIRContext &context) {
  if (std::string op = suggestOp(message, context); !op.empty())
    return op;
  if (std::string value = suggestValue(message, place); !value.empty())
    return value;
  for (const Remedy &remedy : remedies)
    if (message.contains(remedy.message))
      return remedy.remedy.str();
  return otherwise.str();
}

std::string improveMessage(StringRef message, const SourcePlace &place,
                           mlir::MLIRContext &context) {
  message = message.rtrim();
  std::string result = nameOperands(message, place);
  if (!message.contains(';'))
    result += "; " + remedyFor(message, place, context);
  return result;
}

} // namespace fuse::jit
