//===- Mutator.cpp - Program texts with something wrong -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutator.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace fuse::fuzz {

/// Longer programs take long to compile and find no more.
static constexpr size_t maxProgramBytes = 8192;

static void cutInto(StringRef text, std::vector<std::string> &corpus) {
  std::string program;
  auto finish = [&] {
    if (StringRef(program).contains('%') && program.size() <= maxProgramBytes)
      corpus.push_back(program);
    program.clear();
  };
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    if (line.starts_with("// -----") || line.starts_with("#---"))
      finish();
    else if (!line.ltrim().starts_with("//"))
      program += (line + "\n").str();
  }
  finish();
}

static Error readFile(StringRef path, std::vector<std::string> &corpus) {
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return createFileError(path, buffer.getError());
  cutInto((*buffer)->getBuffer(), corpus);
  return Error::success();
}

Expected<std::vector<std::string>> readCorpus(ArrayRef<std::string> paths) {
  std::vector<std::string> files, corpus;
  for (const std::string &path : paths) {
    if (!sys::fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    std::error_code code;
    for (sys::fs::recursive_directory_iterator it(path, code), end;
         it != end && !code; it.increment(code)) {
      StringRef extension = sys::path::extension(it->path());
      if (extension == ".mlir" || extension == ".test")
        files.push_back(it->path());
    }
    if (code)
      return createFileError(path, code);
  }
  // Folders are listed in any order.
  llvm::sort(files);
  for (const std::string &file : files)
    if (Error error = readFile(file, corpus))
      return std::move(error);
  if (corpus.empty())
    return createStringError("expected programs in the corpus, but got none; "
                             "name files or folders with .mlir files");
  return std::move(corpus);
}

//===----------------------------------------------------------------------===//
// Mutations
//===----------------------------------------------------------------------===//

/// Numbers at the edges of types and limits.
static const char *const edges[] = {"0",
                                    "1",
                                    "-1",
                                    "2",
                                    "3",
                                    "7",
                                    "31",
                                    "33",
                                    "64",
                                    "255",
                                    "256",
                                    "1025",
                                    "65536",
                                    "2147483647",
                                    "2147483648",
                                    "4294967295",
                                    "4294967296",
                                    "4611686018427387904",
                                    "9223372036854775807",
                                    "-9223372036854775808",
                                    "18446744073709551616",
                                    "1.0e400",
                                    "0x7FC00000",
                                    "?"};

static const char *const types[] = {"f16",
                                    "bf16",
                                    "f32",
                                    "f64",
                                    "f8E4M3FN",
                                    "f8E5M2",
                                    "f128",
                                    "tf32",
                                    "i1",
                                    "i4",
                                    "i8",
                                    "i16",
                                    "ui8",
                                    "i32",
                                    "i64",
                                    "i16777215",
                                    "si32",
                                    "index",
                                    "none",
                                    "complex<f32>",
                                    "tuple<>",
                                    "vector<4xf32>",
                                    "tensor<f32>",
                                    "tensor<*xf32>",
                                    "tensor<0xf32>",
                                    "tensor<?x?x?x?x?x?x?x?xf32>",
                                    "memref<4xf32>",
                                    "!llvm.ptr",
                                    "tensor<4xf32, 1>"};

static const char *const pieces[] = {
    "dims = [0]", "dims = [0, 0]", "keep",         "{}",
    "\"\"",       "inverse",       "->",           "%x",
    "@f",         "dense<>",       "loc(unknown)", "%x#2147483647",
    "\\",         "\xc3",          "\xf0\x9f\x98", "\xff"};

namespace {
/// The tokens of one program on their way to a mutant.
class Mutation {
public:
  Mutation(StringRef text, ArrayRef<std::string> corpus, uint64_t seed)
      : corpus(corpus), random(seed) {
    split(text, tokens);
  }

  void apply();
  std::string str() const { return join(tokens, ""); }

private:
  /// Words, numbers, strings and spaces, and single other characters.
  static void split(StringRef text, std::vector<std::string> &tokens);
  size_t below(size_t end) { return random() % end; }
  size_t place() { return below(tokens.size()); }
  /// The place of a token that satisfies `condition`, if a few tries find one.
  template <typename F> std::optional<size_t> placeOf(F condition);
  template <typename T, size_t n> const T &pick(const T (&list)[n]) {
    return list[below(n)];
  }

  void replaceNumber();
  void replaceType();
  void nest();
  void moveLine();
  void splice();
  void cutBytes();

  ArrayRef<std::string> corpus;
  std::vector<std::string> tokens;
  std::mt19937_64 random;
};
} // namespace

static bool isWordPart(char c) { return isAlnum(c) || c == '_' || c == '.'; }

static bool isNumber(StringRef token) { return isDigit(token.front()); }

static bool isTypeName(StringRef token) {
  return StringSwitch<bool>(token)
      .Cases({"f16", "bf16", "f32", "f64", "i1", "i32", "i64", "index"}, true)
      .Default(false);
}

void Mutation::split(StringRef text, std::vector<std::string> &tokens) {
  while (!text.empty()) {
    size_t size = 1;
    char first = text.front();
    if (isDigit(first)) {
      size = std::min(text.find_if_not(isDigit), text.size());
    } else if (isWordPart(first)) {
      size = std::min(text.find_if_not(isWordPart), text.size());
      // The x of a shape stands between a number and the next.
      if (first == 'x' && !tokens.empty() &&
          (isNumber(tokens.back()) || tokens.back() == "?"))
        size = 1;
    } else if (first == '"') {
      size = std::min(text.find('"', 1), text.size() - 1) + 1;
    }
    tokens.push_back(text.take_front(size).str());
    text = text.drop_front(size);
  }
}

template <typename F> std::optional<size_t> Mutation::placeOf(F condition) {
  for (unsigned i = 0; i < 64; ++i)
    if (size_t at = place(); condition(StringRef(tokens[at])))
      return at;
  return std::nullopt;
}

void Mutation::replaceNumber() {
  if (auto at = placeOf(isNumber))
    tokens[*at] = pick(edges);
}

void Mutation::replaceType() {
  if (auto at = placeOf(isTypeName))
    tokens[*at] = pick(types);
}

/// Brackets in brackets, as many as no limit should let through.
void Mutation::nest() {
  const char *opening[] = {"(", "[", "{", "tensor<", "module {", "-", "tuple<"};
  const char *text = pick(opening);
  std::string nested;
  for (size_t depth = 1 + below(below(2) ? 64 : 20000); depth > 0; --depth)
    nested += text;
  tokens.insert(tokens.begin() + place(), nested);
}

/// A line goes away, stands twice, or stands elsewhere.
void Mutation::moveLine() {
  auto isBreak = [](StringRef token) { return token == "\n"; };
  auto from = placeOf(isBreak), to = placeOf(isBreak);
  if (!from || !to)
    return;
  auto begin = tokens.begin() + *from;
  auto end = std::find(begin + 1, tokens.end(), "\n");
  std::vector<std::string> line(begin, end);
  if (below(2))
    tokens.insert(tokens.begin() + *to, line.begin(), line.end());
  else
    tokens.erase(begin, end);
}

/// Part of another program takes the place of the rest.
void Mutation::splice() {
  std::vector<std::string> other;
  split(corpus[below(corpus.size())], other);
  size_t at = place(), from = below(other.size());
  size_t count =
      below(2) ? other.size() - from : below(other.size() - from) + 1;
  if (below(2))
    tokens.resize(at + 1);
  tokens.insert(tokens.begin() + at, other.begin() + from,
                other.begin() + from + count);
}

/// Cuts the text anywhere, or changes one byte.
void Mutation::cutBytes() {
  std::string text = str();
  size_t at = below(text.size());
  if (below(2))
    text.resize(at + 1);
  else
    text[at] = static_cast<char>(random());
  tokens.clear();
  split(text, tokens);
}

void Mutation::apply() {
  switch (below(14)) {
  case 0:
    tokens.erase(tokens.begin() + place());
    break;
  case 1: {
    size_t at = place();
    std::string token = tokens[at];
    tokens.insert(tokens.begin() + at, token);
    break;
  }
  case 2:
    std::swap(tokens[place()], tokens[place()]);
    break;
  case 3: {
    std::string token = tokens[place()];
    tokens[place()] = token;
    break;
  }
  case 4:
  case 5:
  case 6:
    replaceNumber();
    break;
  case 7:
  case 8:
    replaceType();
    break;
  case 9:
    tokens[place()] = pick(pieces);
    break;
  case 10:
    moveLine();
    break;
  case 11:
    splice();
    break;
  case 12:
    cutBytes();
    break;
  case 13:
    if (below(4) == 0)
      nest();
    break;
  }
  if (tokens.empty())
    tokens.push_back("\n");
}

std::string Mutator::mutant(uint64_t number) const {
  // Neighbouring numbers must not give related streams.
  std::seed_seq sequence{seed, seed >> 32, number, number >> 32};
  uint32_t words[2];
  sequence.generate(words, words + 2);
  std::mt19937_64 random(uint64_t(words[0]) << 32 | words[1]);
  Mutation mutation(corpus[random() % corpus.size()], corpus, random());
  // Mostly one change, so that many mutants come far.
  do
    mutation.apply();
  while (random() % 3 == 0);
  return mutation.str();
}

} // namespace fuse::fuzz
