//===- Source.cpp - Program text from untrusted places --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Compiler/Source.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace fuse::jit {

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

static Error tooLarge(StringRef name, uint64_t bytes) {
  return makeError(
      formatv("{0}: expected at most {1} bytes of program text, but got {2}; "
              "pass large constants as inputs",
              name, maxSourceBytes, bytes));
}

Expected<std::unique_ptr<MemoryBuffer>> readSource(StringRef path) {
  if (path != "-") {
    sys::fs::file_status status;
    if (std::error_code ec = sys::fs::status(path, status))
      return makeError(formatv("{0}: cannot read the program: {1}; check the "
                               "path",
                               path, ec.message()));
    if (status.type() != sys::fs::file_type::regular_file)
      return makeError(formatv("{0}: expected a regular file; pass the path of "
                               "a program, or - for standard input",
                               path));
    if (status.getSize() > maxSourceBytes)
      return tooLarge(path, status.getSize());
  }
  auto buffer = MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (!buffer)
    return makeError(formatv("{0}: cannot read the program: {1}; check the "
                             "permissions",
                             path, buffer.getError().message()));
  return std::move(*buffer);
}

namespace {
/// Walks a text once, knowing only strings, comments, words and brackets.
/// Mismatched brackets are the parser's to report: it stops at the first.
class SourceScanner {
public:
  explicit SourceScanner(StringRef text) : text(text) {}

  /// Stops at the first offset that the parser must not see. False if there is
  /// none.
  bool find();
  size_t offset() const { return pos; }
  /// "expected X, but got Y; remedy", of what was found.
  std::string message() const;

private:
  void skipString();
  void skipWord();
  void skipValue();
  /// Counts the results that `value` must have for one of that number.
  void countResults(StringRef value, StringRef number);
  /// Whether `first` and one of `second` follow the word at `pos`.
  bool isFollowedBy(StringRef first, ArrayRef<StringRef> second) const;
  void visit(char c);
  char peek() const { return pos + 1 < text.size() ? text[pos + 1] : '\0'; }

  StringRef text;
  size_t pos = 0;
  /// For each open bracket, the operators since its last separator.
  SmallVector<unsigned, 32> operators{0};
  /// Whether there was a tensor.concat.
  bool hasConcat = false;
  /// The largest number of a result of each value, and the sum of these: the
  /// parser keeps a place for all results up to such a number.
  StringMap<uint64_t> lastResults;
  uint64_t results = 0;
  /// What MLIR 22 would crash on, as "expected X, but got Y; remedy".
  std::string crash;
};
} // namespace

void SourceScanner::skipString() {
  // The generic form.
  hasConcat |= text.substr(pos).starts_with("\"tensor.concat\"");
  for (++pos; pos < text.size(); ++pos) {
    if (text[pos] == '"' || text[pos] == '\n')
      return;
    if (text[pos] == '\\')
      ++pos;
  }
}

void SourceScanner::skipWord() {
  size_t begin = pos;
  while (isAlnum(peek()) || peek() == '_' || peek() == '.' || peek() == '$')
    ++pos;
  StringRef word = text.slice(begin, pos + 1);
  if (word == "mod" || word == "floordiv" || word == "ceildiv")
    ++operators.back();
  // Under an alias, too: the parser asks index for its width, and the verifier
  // of tensor.concat counts on the dimension.
  if (word == "array" && isFollowedBy("<", {"index", "!"}))
    crash = "expected a dense array of integers or floats, but got another "
            "type; write array<i64: ...>";
  hasConcat |= word == "tensor.concat";
  if (word == "dim" && hasConcat &&
      (isFollowedBy("(", {"-", "#"}) || isFollowedBy("=", {"-", "#"})))
    crash = "expected the number of a dimension to be 0 or more, but got "
            "another; count from the first";
}

static StringRef skipSpace(StringRef text) {
  for (text = text.ltrim(); text.starts_with("//"); text = text.ltrim())
    text = text.drop_until([](char c) { return c == '\n'; });
  return text;
}

bool SourceScanner::isFollowedBy(StringRef first,
                                 ArrayRef<StringRef> second) const {
  StringRef rest = skipSpace(text.substr(pos + 1));
  if (!rest.consume_front(first))
    return false;
  rest = skipSpace(rest);
  return any_of(second, [&](StringRef word) { return rest.starts_with(word); });
}

void SourceScanner::skipValue() {
  auto isNamePart = [](char c) {
    return isAlnum(c) || StringRef("$._-").contains(c);
  };
  StringRef name = text.substr(pos + 1);
  name =
      isDigit(peek()) ? name.take_while(isDigit) : name.take_while(isNamePart);
  StringRef rest = skipSpace(text.substr(pos + 1 + name.size()));
  if (rest.consume_front("#") || rest.consume_front(":"))
    countResults(name, skipSpace(rest).take_while(isDigit));
  if (crash.empty())
    pos += name.size();
}

void SourceScanner::countResults(StringRef value, StringRef number) {
  if (number.empty())
    return;
  uint64_t last;
  if (number.getAsInteger(10, last))
    last = UINT64_MAX;
  uint64_t &known = lastResults[value];
  if (last <= known)
    return;
  // A program that is right has the type of each, and so more bytes.
  if (last - known > text.size() - results) {
    crash = formatv("expected at most {0} results in {0} bytes of program "
                    "text, but got {1} of %{2}; count results from 0",
                    text.size(), number, value);
    return;
  }
  results += last - known;
  known = last;
}

void SourceScanner::visit(char c) {
  switch (c) {
  case '"':
    return skipString();
  case '%':
    return skipValue();
  case '/':
    if (peek() == '/')
      pos = std::min(text.find('\n', pos), text.size());
    return;
  case '(':
  case '[':
  case '{':
    operators.push_back(0);
    return;
  case '<':
    if (peek() != '=')
      operators.push_back(0);
    return;
  case '>':
    if (pos > 0 && text[pos - 1] == '-') {
      operators.back() = 0;
      return;
    }
    if (peek() == '=')
      return;
    [[fallthrough]];
  case ')':
  case ']':
  case '}':
    if (operators.size() > 1)
      operators.pop_back();
    return;
  case ',':
  case ':':
  case '=':
    operators.back() = 0;
    return;
  case '+':
  case '-':
  case '*':
    ++operators.back();
    return;
  default:
    if (isAlpha(c))
      skipWord();
  }
}

bool SourceScanner::find() {
  for (; pos < text.size(); ++pos) {
    visit(text[pos]);
    if (operators.size() - 1 > maxNesting || operators.back() > maxNesting ||
        !crash.empty())
      return true;
  }
  return false;
}

std::string SourceScanner::message() const {
  if (!crash.empty())
    return crash;
  return formatv("expected at most {0} nested brackets or chained operators, "
                 "but got more; flatten the program",
                 maxNesting);
}

Error checkSource(StringRef text, StringRef name) {
  if (text.starts_with("ML\xefR"))
    return makeError(formatv("{0}: expected MLIR text, but got MLIR bytecode; "
                             "print it as text with mlir-opt first",
                             name));
  if (text.size() > maxSourceBytes)
    return tooLarge(name, text.size());
  SourceScanner scanner(text);
  if (!scanner.find())
    return Error::success();
  StringRef before = text.take_front(scanner.offset());
  size_t lineStart = before.rfind('\n') + 1; // npos + 1 is the first line.
  return makeError(formatv("{0}:{1}:{2}: {3}", name, before.count('\n') + 1,
                           scanner.offset() - lineStart + 1,
                           scanner.message()));
}

} // namespace fuse::jit
