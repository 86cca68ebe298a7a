//===- Source.cpp - Program text from untrusted places --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/JIT/Source.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
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
  /// What MLIR 22 would crash on, as "expected X, but got Y; remedy".
  StringRef crash;
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

bool SourceScanner::isFollowedBy(StringRef first,
                                 ArrayRef<StringRef> second) const {
  StringRef rest = text.substr(pos + 1);
  auto skipSpace = [&] {
    for (rest = rest.ltrim(); rest.starts_with("//"); rest = rest.ltrim())
      rest = rest.drop_until([](char c) { return c == '\n'; });
  };
  skipSpace();
  if (!rest.consume_front(first))
    return false;
  skipSpace();
  return any_of(second, [&](StringRef word) { return rest.starts_with(word); });
}

void SourceScanner::visit(char c) {
  switch (c) {
  case '"':
    return skipString();
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
    return crash.str();
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
