//===- Remedies.cpp - Diagnostics in the user's words ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Remedies.h"
#include "OpForms.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Explain/OpNames.h"
#include "fuse/Explain/TypeRemedies.h"
#include "mlir/AsmParser/AsmParser.h"
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
    {"expected a return at the end", "return the results"},
    {"type of return operand",
     "change the function's type, or convert the value with fuse.cast"},
    {"return", "return what the function's type says, or change its type"},
    {"integer constant out of range", "use a number that fits"},
    {"expected operation name", "remove what is no op"},
    {"expected one of [", "use one of these"},
    {"requires attribute", "add it; docs/dialect.md has its values"},
    {"not found for custom op", "use ops of fuse, tensor, arith and func"},
    {"literal for a floating point value",
     "write it with a dot, as 2.0 or 1.0e-5"},
    {"floating point value not valid for specified type",
     "write a tensor's constant as dense<2.0>"},
    {"expected integer elements, but parsed floating-point",
     "write integers, or give the constant a type of floats"},
    {"inferred shape of elements literal",
     "give as many elements as the type has, or one for all"},
    {"of collapsed type to be static value of",
     "give sizes whose product is the dimension's, or fuse.pad it to whole "
     "blocks before"},
    {"unknown attribute `rope_",
     "use rope_linear, rope_ntk, rope_llama3, rope_yarn or rope_longrope"},
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

static std::string didYouMean(StringRef name) {
  return name.empty() ? "" : ("did you mean '" + name + "'?").str();
}

/// The parser only says that an op is unknown, or its dialect.
static std::string suggestOp(StringRef message, mlir::MLIRContext &context) {
  StringRef name;
  if (message.contains("is unknown") ||
      message.contains("not found for custom op"))
    name = message.split("custom op '").second;
  else if (message.starts_with("unregistered operation"))
    name = message.split("'").second;
  else
    return "";
  return replacementFor(name.take_until([](char c) { return c == '\''; }),
                        context);
}

template <typename Enum>
static std::string listKeywords(uint32_t last,
                                std::optional<Enum> (*symbolize)(uint32_t),
                                StringRef (*stringify)(Enum)) {
  SmallVector<StringRef> words;
  for (uint32_t value = 0; value <= last; ++value)
    if (std::optional<Enum> keyword = symbolize(value))
      words.push_back(stringify(*keyword));
  return "write one of " + join(words, ", ");
}

/// Where a keyword of the dialect should stand, and something else does.
static std::string suggestKeyword(StringRef message) {
  using namespace mlir::fuse;
  if (!message.contains("expected keyword for"))
    return "";
  if (message.contains("'fuse.gelu'") || message.contains("'fuse.geglu'"))
    return listKeywords<GeluForm>(getMaxEnumValForGeluForm(), symbolizeGeluForm,
                                  stringifyGeluForm);
  if (message.contains("'fuse.compare'"))
    return listKeywords<ComparePredicate>(getMaxEnumValForComparePredicate(),
                                          symbolizeComparePredicate,
                                          stringifyComparePredicate);
  if (message.contains("'fuse.reduce'"))
    return listKeywords<ReduceKind>(getMaxEnumValForReduceKind(),
                                    symbolizeReduceKind, stringifyReduceKind);
  if (message.contains("'fuse.rotary'"))
    return "write interleaved or half, then tokens_heads or heads_tokens";
  return "";
}

/// The op at `place`, or around it, as its line writes it; "" if there is none.
static StringRef opAround(const SourcePlace &place) {
  StringRef line = place.text.take_front(offsetOf(place));
  line = place.text.drop_front(line.rfind('\n') + 1); // npos + 1 is the start.
  line = line.take_until([](char c) { return c == '\n'; });
  size_t assigned = line.find('=');
  if (!line.ltrim().starts_with("%") || assigned == StringRef::npos)
    return "";
  return line.drop_front(assigned + 1).ltrim().take_while([](char c) {
    return isAlnum(c) || c == '.' || c == '_';
  });
}

/// Where the parser does not get on within an op, the whole op.
static std::string suggestForm(StringRef message, const SourcePlace &place,
                               mlir::MLIRContext &context) {
  message.consume_front("custom op '");
  bool isOfParser = message.contains("expected '") ||
                    message.contains("expected SSA operand") ||
                    message.contains("requires attribute");
  std::string example =
      isOfParser ? exampleOf(opAround(place), context) : std::string();
  return example.empty() ? "" : "write it as in " + example;
}

/// A type that an op does not take, as in "operand #0 must be ranked tensor of
/// i1 values, but got 'tensor<4xi32>'".
static std::string suggestType(StringRef message, mlir::MLIRContext &context) {
  auto [expected, got] = message.split(", but got '");
  if (!expected.contains(" must be ") || !expected.contains("tensor of"))
    return "";
  mlir::Type type = mlir::parseType(got.rsplit('\'').first, &context);
  return type ? typeRemedy(type, expected.split(" must be ").second) : "";
}

/// What the parser does not know at `place`, as a remedy.
static std::string suggestWord(StringRef message, const SourcePlace &place,
                               mlir::MLIRContext &context) {
  StringRef rest = place.text.drop_front(offsetOf(place));
  if (message.contains("expected element literal of primitive type") ||
      message.contains("expected integer or floating point literal"))
    return specialValueRemedy(rest, context);
  // The place is that behind the name in quotes.
  StringRef before = place.text.take_front(offsetOf(place));
  if (message.starts_with("expected an op of fuse") &&
      before.consume_back("\""))
    return replacementFor(before.substr(before.rfind('"') + 1), context);
  if (message.contains("expected operation name in quotes") &&
      rest.trim().empty())
    return "close the function with '}'";
  // The parser names the place before the space before the number.
  StringRef word = rest.ltrim();
  if (message.contains("expected SSA operand") && !word.empty() &&
      (isDigit(word.front()) || word.front() == '-'))
    return "a number is a value, too: %c = fuse.constant dense<2.0> : "
           "tensor<f32>";
  if (message.contains("expected non-function type"))
    return typeNameRemedy(rest.take_while(isAlnum));
  return "";
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
  if (name.size() <= 2)
    return "";
  return didYouMean(
      nearest(name, values, std::max<size_t>(2, name.size() / 3)));
}

static std::string remedyFor(StringRef message, const SourcePlace &place,
                             mlir::MLIRContext &context) {
  for (std::string remedy :
       {suggestOp(message, context), suggestKeyword(message),
        suggestType(message, context), suggestWord(message, place, context),
        suggestForm(message, place, context), suggestValue(message, place)})
    if (!remedy.empty())
      return remedy;
  for (const Remedy &remedy : remedies)
    if (message.contains(remedy.message))
      return remedy.remedy.str();
  return otherwise.str();
}

/// A message that speaks of MLIR's insides, in plain words.
static StringRef inPlainWords(StringRef message) {
  // "has" and the generic form of an op follow.
  if (message.starts_with("block with no terminator"))
    return "expected a return at the end of the function, but got another op";
  if (message.starts_with("operation being parsed with an unregistered"))
    return "expected an op of fuse, tensor, arith or func, but got another "
           "dialect's";
  // "found in dialect ('fuse') that does not allow unknown operations".
  if (message.starts_with("unregistered operation"))
    return message.split(" found in").first;
  // "(tried 'func.add' as well)".
  if (size_t tried = message.find(" (tried "); tried != StringRef::npos)
    return message.take_front(tried);
  return message;
}

std::string improveMessage(StringRef message, const SourcePlace &place,
                           mlir::MLIRContext &context) {
  message = inPlainWords(message.rtrim());
  std::string result = nameOperands(message, place);
  if (!message.contains(';'))
    result += "; " + remedyFor(message, place, context);
  return result;
}

} // namespace fuse::jit
