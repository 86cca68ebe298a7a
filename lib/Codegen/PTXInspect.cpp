//===- PTXInspect.cpp - What a PTX text does to memory --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Codegen/PTXInspect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir::fuse;
using llvm::SmallVector;
using llvm::StringRef;

unsigned PTXKernel::count(StringRef prefix) const {
  unsigned total = 0;
  for (const auto &entry : opcodes) {
    StringRef rest = entry.getKey();
    if (rest.consume_front(prefix) && (rest.empty() || rest.front() == '.'))
      total += entry.getValue();
  }
  return total;
}

/// Whether the token is a shape such as "m64n256k16".
static bool isMatrixShape(StringRef token) {
  for (char axis : {'m', 'n', 'k'}) {
    unsigned size = 0;
    if (!token.consume_front(StringRef(&axis, 1)) ||
        token.consumeInteger(10, size))
      return false;
  }
  return token.empty();
}

/// What a matrix instruction is called in a count; empty for other opcodes.
static std::string matrixName(StringRef opcode) {
  SmallVector<StringRef> tokens;
  opcode.split(tokens, '.');
  bool multiplies =
      opcode.starts_with("wgmma.mma_async") || opcode.starts_with("mma.sync") ||
      opcode.starts_with("wmma.mma") || opcode.starts_with("tcgen05.mma");
  if (!multiplies)
    return {};
  std::string name = tokens.front().str();
  auto *shape = llvm::find_if(tokens, isMatrixShape);
  if (shape == tokens.end())
    return name;
  auto isLayout = [](StringRef token) {
    return token == "row" || token == "col";
  };
  SmallVector<StringRef> types;
  llvm::copy_if(llvm::make_range(shape + 1, tokens.end()),
                std::back_inserter(types),
                [&](StringRef token) { return !isLayout(token); });
  return name + " " + shape->str() + " " + llvm::join(types, ".");
}

std::map<std::string, unsigned> PTXKernel::matrixInstructions() const {
  std::map<std::string, unsigned> counts;
  for (const auto &entry : opcodes)
    if (std::string name = matrixName(entry.getKey()); !name.empty())
      counts[name] += entry.getValue();
  return counts;
}

/// Copies by a tensor map whose opcode has `from` before `to`.
static unsigned countTensorCopies(const llvm::StringMap<unsigned> &opcodes,
                                  StringRef from, StringRef to) {
  unsigned total = 0;
  for (const auto &entry : opcodes) {
    StringRef opcode = entry.getKey();
    bool isCopy = opcode.starts_with("cp.async.bulk.tensor.") ||
                  opcode.starts_with("cp.reduce.async.bulk.tensor.");
    // The destination stands before the source.
    if (isCopy && opcode.find(to) < opcode.find(from))
      total += entry.getValue();
  }
  return total;
}

unsigned PTXKernel::tensorLoads() const {
  return countTensorCopies(opcodes, ".global", ".shared::");
}

unsigned PTXKernel::tensorStores() const {
  return countTensorCopies(opcodes, ".shared::", ".global");
}

std::optional<unsigned>
PTXKernel::minBits(PTXAccess::Kind kind, std::optional<unsigned> param) const {
  std::optional<unsigned> least;
  for (const PTXAccess &access : accesses)
    if (access.kind == kind && (!param || access.param == param))
      least = std::min(least.value_or(access.bits), access.bits);
  return least;
}

namespace {

/// A name in PTX may hold these beside letters and digits.
bool isNameChar(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '$' || c == '%';
}

/// Bits of an element type such as "b32" or "f16x2"; 0 if `token` is none.
unsigned getElementBits(StringRef token) {
  if (token.empty() || !StringRef("bsuf").contains(token.front()))
    return 0;
  unsigned bits = 0;
  StringRef rest = token.drop_front();
  if (rest.consumeInteger(10, bits))
    return 0;
  if (rest == "x2")
    return 2 * bits;
  return rest.empty() ? bits : 0;
}

/// The names of all registers and symbols in `text`.
SmallVector<StringRef> getNames(StringRef text) {
  SmallVector<StringRef> names;
  while (!text.empty()) {
    text = text.drop_until(isNameChar);
    StringRef name = text.take_while(isNameChar);
    if (!name.empty() && !llvm::isDigit(name.front()))
      names.push_back(name);
    text = text.drop_front(name.size());
  }
  return names;
}

/// A "(...)", "{...}" or "[...]" group, or the text up to a comma.
StringRef takeOperand(StringRef &text) {
  text = text.ltrim(", \t");
  size_t depth = 0, end = 0;
  for (; end < text.size(); ++end) {
    char c = text[end];
    if (c == '{' || c == '[' || c == '(')
      ++depth;
    else if (c == '}' || c == ']' || c == ')')
      --depth;
    else if (c == ',' && depth == 0)
      break;
  }
  StringRef operand = text.take_front(end).trim();
  text = text.drop_front(end);
  return operand;
}

/// Finds the argument that an address derives from, by walking back from a
/// register to all that define it. A register that holds a loaded value ends
/// the walk: the value is an index, not a pointer.
class ParamTracer {
public:
  void addPointer(StringRef name, unsigned index) { pointers[name] = index; }

  void addDefinition(StringRef opcode, StringRef operands) {
    StringRef results = takeOperand(operands);
    bool isLoad = opcode.starts_with("ld.") && !opcode.starts_with("ld.param");
    SmallVector<StringRef> sources;
    if (!isLoad)
      sources = getNames(operands);
    for (StringRef result : getNames(results))
      llvm::append_range(definitions[result], sources);
  }

  std::optional<unsigned> trace(StringRef address) const {
    SmallVector<StringRef> work = getNames(address);
    llvm::StringSet<> seen;
    std::optional<unsigned> found;
    while (!work.empty()) {
      StringRef name = work.pop_back_val();
      if (!seen.insert(name).second)
        continue;
      if (auto it = pointers.find(name); it != pointers.end()) {
        if (found && *found != it->second)
          return std::nullopt;
        found = it->second;
      }
      if (auto it = definitions.find(name); it != definitions.end())
        llvm::append_range(work, it->second);
    }
    return found;
  }

private:
  llvm::DenseMap<StringRef, unsigned> pointers;
  llvm::DenseMap<StringRef, SmallVector<StringRef, 2>> definitions;
};

/// Takes an opcode apart; none if it is no access to global memory.
std::optional<PTXAccess> classifyAccess(StringRef opcode, StringRef operands) {
  SmallVector<StringRef> tokens;
  opcode.split(tokens, '.');
  auto has = [&](StringRef token) { return llvm::is_contained(tokens, token); };
  PTXAccess access;
  if (tokens[0] == "cp" && has("async") && has("global") && !has("bulk")) {
    takeOperand(operands);
    takeOperand(operands);
    unsigned bytes = 0;
    if (takeOperand(operands).getAsInteger(10, bytes))
      return std::nullopt;
    access.bits = 8 * bytes;
    access.type = "cp.async";
    return access;
  }
  if (tokens[0] != "ld" && tokens[0] != "st")
    return std::nullopt;
  for (StringRef space : {"shared", "local", "param", "const"})
    if (llvm::any_of(tokens, [&](StringRef token) {
          return token == space || token.starts_with((space + "::").str());
        }))
      return std::nullopt;

  access.kind =
      tokens[0] == "st" ? PTXAccess::Kind::Store : PTXAccess::Kind::Load;
  access.generic = !has("global");
  access.nonCoherent = has("nc");
  unsigned lanes = 1;
  for (StringRef token : tokens) {
    if (token == "v2" || token == "v4" || token == "v8") {
      lanes = token.back() - '0';
      access.type = (token + ".").str();
    } else if (unsigned bits = getElementBits(token)) {
      access.bits = lanes * bits;
      access.type += token;
    }
  }
  if (access.bits == 0)
    return std::nullopt;
  return access;
}

/// A line-oriented reader: LLVM puts one statement on a line, and inline PTX
/// may put several between semicolons.
class Parser {
public:
  llvm::Expected<PTXModule> run(StringRef text);

private:
  void parseLine(StringRef line);
  void parseModuleLine(StringRef line);
  void parseExternalFunction(StringRef line);
  void parseShared(StringRef line);
  void parseHeaderLine(StringRef line);
  void parseBodyLine(StringRef line);
  void parseDirective(StringRef directive);
  void parseStatement(StringRef statement);
  void finishBody();

  enum class State { Module, ExternalName, Header, Body };
  State state = State::Module;
  PTXModule module;
  /// The kernel or device function being read; the latter is not kept.
  PTXKernel kernel;
  bool isKernel = false;
  ParamTracer tracer;
  /// Address operands of kernel.accesses, in the same order.
  SmallVector<StringRef> addresses;
  SmallVector<unsigned> fileNumbers;
  llvm::StringSet<> usedNames;
  /// Labels so far, and targets of branches that are none of these.
  llvm::StringSet<> labels, ahead;
  unsigned depth = 0;
  unsigned ptxLine = 0;
  unsigned locFile = 0, locLine = 0, locColumn = 0;

  llvm::DenseMap<unsigned, StringRef> files;
  llvm::DenseMap<StringRef, uint64_t> sharedBytes;
  /// For each kernel, the file number of each access: .file may come last.
  SmallVector<SmallVector<unsigned>> kernelFiles;
};

} // namespace

/// Reads 'N "path"', and maps the number to the path.
static void parseFile(StringRef rest,
                      llvm::DenseMap<unsigned, StringRef> &files) {
  unsigned number = 0;
  rest = rest.ltrim();
  if (rest.consumeInteger(10, number))
    return;
  files[number] = rest.drop_until([](char c) { return c == '"'; })
                      .drop_front(1)
                      .take_until([](char c) { return c == '"'; });
}

/// Reads the name after an optional list of results, as in
/// "(.param .b32 func_retval0) name(".
void Parser::parseExternalFunction(StringRef rest) {
  rest = rest.ltrim();
  if (rest.starts_with("("))
    rest = rest.drop_front(rest.find(')') + 1).ltrim();
  StringRef name = rest.take_while(isNameChar);
  if (name.empty()) {
    state = State::ExternalName;
    return;
  }
  module.externalFunctions.push_back(name.str());
  state = State::Module;
}

/// Reads ".shared .align 16 .b8 name[128]", a variable of any rank.
void Parser::parseShared(StringRef line) {
  auto [declaration, dims] = line.split('[');
  SmallVector<StringRef> tokens;
  declaration.split(tokens, ' ', -1, /*KeepEmpty=*/false);
  if (tokens.size() < 2)
    return;
  uint64_t bytes = getElementBits(tokens[tokens.size() - 2].ltrim('.')) / 8;
  while (!dims.empty()) {
    uint64_t extent = 0;
    if (dims.consumeInteger(10, extent))
      break;
    bytes *= extent;
    dims = dims.split('[').second;
  }
  sharedBytes[tokens.back().rtrim(';')] = bytes;
}

void Parser::parseModuleLine(StringRef line) {
  if (line.consume_front(".version")) {
    module.version = line.trim().str();
  } else if (line.consume_front(".target")) {
    module.target = line.trim().split(',').first.trim().str();
  } else if (line.consume_front(".file")) {
    parseFile(line, files);
  } else if (line.consume_front(".extern .func")) {
    parseExternalFunction(line);
  } else if (line.starts_with(".shared")) {
    parseShared(line);
  } else if (size_t at = line.find(".entry"); at != StringRef::npos) {
    kernel.name = line.drop_front(at + 6).trim(" \t(").str();
    isKernel = true;
    state = State::Header;
    parseHeaderLine(line.drop_front(at + 6));
  } else if (line.contains(".func")) {
    isKernel = false;
    state = State::Header;
    parseHeaderLine(line);
  }
}

void Parser::parseHeaderLine(StringRef line) {
  if (size_t at = line.find(".param"); at != StringRef::npos) {
    SmallVector<StringRef> tokens;
    line.drop_front(at).split(tokens, ' ', -1, /*KeepEmpty=*/false);
    if (llvm::is_contained(tokens, ".ptr"))
      tracer.addPointer(tokens.back().rtrim(",)"), kernel.numParams);
    ++kernel.numParams;
  }
  if (line.starts_with("{")) {
    depth = 0;
    state = State::Body;
    parseBodyLine(line);
  } else if (line.ends_with(";")) {
    // A declaration without a body; its definition follows.
    kernel = PTXKernel();
    tracer = ParamTracer();
    state = State::Module;
  }
}

void Parser::parseBodyLine(StringRef line) {
  depth += line.count('{') - line.count('}');
  while (!line.empty()) {
    auto [statement, rest] = line.split(';');
    statement = statement.trim(" \t{}");
    // A label may precede a statement, or stand alone.
    StringRef label = statement.take_until(llvm::isSpace);
    if (label.ends_with(":")) {
      statement = statement.drop_front(label.size()).ltrim();
      labels.insert(label.drop_back());
      ahead.erase(label.drop_back());
    }
    if (!statement.empty() && statement.front() == '.')
      parseDirective(statement);
    else if (!statement.empty())
      parseStatement(statement);
    line = rest;
  }
  if (depth == 0)
    finishBody();
}

void Parser::parseDirective(StringRef directive) {
  if (directive.consume_front(".loc")) {
    StringRef rest = directive.ltrim();
    unsigned file = 0, line = 0, column = 0;
    if (rest.consumeInteger(10, file))
      return;
    rest = rest.ltrim();
    if (rest.consumeInteger(10, line))
      return;
    rest = rest.ltrim();
    if (rest.consumeInteger(10, column))
      column = 0;
    // Line 0 is code that belongs to no line.
    locFile = line ? file : 0;
    locLine = line;
    locColumn = line ? column : 0;
  } else if (directive.starts_with(".shared")) {
    parseShared(directive);
  }
}

void Parser::parseStatement(StringRef statement) {
  bool isPredicated = statement.front() == '@';
  if (isPredicated)
    statement = statement.drop_until(llvm::isSpace).ltrim();
  StringRef opcode = statement.take_until(llvm::isSpace);
  StringRef operands = statement.drop_front(opcode.size()).trim();
  if (opcode.empty() || !llvm::isAlpha(opcode.front()))
    return;
  // No thread goes past a wait that no branch so far goes behind. Before it
  // only copies to shared memory may read: of what is there, as weights are.
  if (opcode == "griddepcontrol.wait" && !isPredicated && ahead.empty() &&
      kernel.accesses.empty() && kernel.tensorStores() == 0 &&
      kernel.count("ret") == 0)
    kernel.waitsAtStart = true;
  bool isBranch = opcode == "bra" || opcode.starts_with("bra.");
  if (isBranch && !labels.contains(operands))
    ahead.insert(operands);
  ++kernel.opcodes[opcode];
  for (StringRef name : getNames(operands))
    if (!name.starts_with("%"))
      usedNames.insert(name);

  std::optional<PTXAccess> access = classifyAccess(opcode, operands);
  bool isStore = access && access->kind == PTXAccess::Kind::Store;
  if (!isStore)
    tracer.addDefinition(opcode, operands);
  if (!access)
    return;
  access->ptxLine = ptxLine;
  access->line = locLine;
  access->column = locColumn;
  // The address is the first operand of a store, the second of a load.
  if (!isStore)
    takeOperand(operands);
  addresses.push_back(takeOperand(operands));
  fileNumbers.push_back(locFile);
  kernel.accesses.push_back(std::move(*access));
}

void Parser::finishBody() {
  if (isKernel) {
    for (auto [access, address] : llvm::zip_equal(kernel.accesses, addresses))
      access.param = tracer.trace(address);
    for (const auto &entry : usedNames)
      kernel.sharedBytes += sharedBytes.lookup(entry.getKey());
    module.kernels.push_back(std::move(kernel));
    kernelFiles.push_back(std::move(fileNumbers));
  }
  kernel = PTXKernel();
  tracer = ParamTracer();
  addresses.clear();
  fileNumbers.clear();
  usedNames.clear();
  labels.clear();
  ahead.clear();
  locFile = locLine = locColumn = 0;
  state = State::Module;
}

void Parser::parseLine(StringRef line) {
  switch (state) {
  case State::Module:
    return parseModuleLine(line);
  case State::ExternalName:
    return parseExternalFunction(line);
  case State::Header:
    return parseHeaderLine(line);
  case State::Body:
    return parseBodyLine(line);
  }
}

llvm::Expected<PTXModule> Parser::run(StringRef text) {
  while (!text.empty()) {
    StringRef line;
    std::tie(line, text) = text.split('\n');
    ++ptxLine;
    // Paths in .file may hold slashes.
    if (!line.ltrim().starts_with(".file"))
      line = line.take_front(line.find("//"));
    line = line.trim();
    if (!line.empty())
      parseLine(line);
  }
  if (module.version.empty())
    return llvm::createStringError(
        "expected PTX, but got text without a .version directive; pass the "
        "output of the cuda target");
  if (state != State::Module)
    return llvm::createStringError("expected '}' at the end of " + kernel.name +
                                   ", but got the end of the PTX; pass the "
                                   "whole text");
  for (auto [kernel, numbers] : llvm::zip_equal(module.kernels, kernelFiles))
    for (auto [access, number] : llvm::zip_equal(kernel.accesses, numbers))
      access.file = files.lookup(number).str();
  return std::move(module);
}

llvm::Expected<PTXModule> mlir::fuse::parsePTX(StringRef text) {
  return Parser().run(text);
}
