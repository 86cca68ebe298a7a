//===- Frontend.cpp - From program text to a checked entry ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Compiler/Frontend.h"
#include "fuse/Compiler/Source.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Explain/Diagnostics.h"
#include "fuse/Explain/OpNames.h"
#include "fuse/Explain/TypeRemedies.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"

using llvm::Expected;
using llvm::formatv;
using namespace mlir;

using mlir::fuse::kNameAttr;

namespace fuse::jit {

/// The identifier at `range` without its sigil; "" for a number, which is not
/// a name.
static StringRef nameAt(SMRange range) {
  if (!range.isValid())
    return "";
  StringRef text(range.Start.getPointer(),
                 range.End.getPointer() - range.Start.getPointer());
  text.consume_front("%");
  bool isNumber = !text.empty() && llvm::isDigit(text.front());
  return isNumber ? "" : text;
}

/// The name of `value` in the text: an argument's, or that of an op with one
/// result.
static StringRef nameOf(Value value, const AsmParserState &state) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    const auto *block = state.getBlockDef(argument.getOwner());
    if (!block || argument.getArgNumber() >= block->arguments.size())
      return "";
    return nameAt(block->arguments[argument.getArgNumber()].loc);
  }
  const auto *op = state.getOpDef(value.getDefiningOp());
  if (!op)
    return "";
  unsigned number = cast<OpResult>(value).getResultNumber();
  for (const auto &group : op->resultGroups)
    if (group.startIndex == number)
      return nameAt(group.definition.loc);
  return "";
}

static void nameArguments(func::FuncOp function, const AsmParserState &state) {
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    if (function.getArgAttr(index, kNameAttr))
      continue;
    std::string name = nameOf(argument, state).str();
    if (name.empty())
      name = formatv("arg{0}", index);
    function.setArgAttr(index, kNameAttr,
                        StringAttr::get(function.getContext(), name));
  }
}

static void nameResults(func::FuncOp function, const AsmParserState &state) {
  llvm::StringSet<> taken;
  auto take = [&](Attribute attr) {
    if (auto name = dyn_cast_or_null<StringAttr>(attr))
      taken.insert(name.getValue());
  };
  for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
    take(function.getArgAttr(i, kNameAttr));
  for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
    take(function.getResultAttr(i, kNameAttr));
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    if (function.getResultAttr(index, kNameAttr))
      continue;
    std::string name = nameOf(value, state).str();
    if (name.empty() || !taken.insert(name).second)
      name = formatv("out{0}", index);
    taken.insert(name);
    function.setResultAttr(index, kNameAttr,
                           StringAttr::get(function.getContext(), name));
  }
}

/// MLIR's verifier takes the low 32 bits of each number alone.
template <typename ReshapeOp>
static LogicalResult checkReassociation(ReshapeOp op) {
  int64_t next = 0;
  for (const ReassociationIndices &group : op.getReassociationIndices())
    for (int64_t dim : group)
      if (dim != next++)
        return op.emitOpError(
                   "expected its dimensions to count up from 0, but got ")
               << dim << "; write them as in [[0, 1], [2]]";
  return success();
}

static LogicalResult checkDim(tensor::DimOp op) {
  std::optional<int64_t> dim = op.getConstantIndex();
  auto type = dyn_cast<RankedTensorType>(op.getSource().getType());
  if (!dim || (type && *dim >= 0 && *dim < type.getRank()))
    return success();
  return op.emitOpError("expected a dimension of its tensor, but got ")
         << *dim << "; count from 0";
}

/// MLIR's verifier crashes on an empty group, so this comes before it.
static LogicalResult checkGroups(ModuleOp module) {
  auto result = module.walk([](Operation *op) {
    auto groups = op->getAttrOfType<ArrayAttr>("reassociation");
    bool hasEmpty = groups && llvm::any_of(groups, [](Attribute group) {
                      auto dims = dyn_cast<ArrayAttr>(group);
                      return dims && dims.empty();
                    });
    if (!hasEmpty)
      return WalkResult::advance();
    op->emitOpError("expected a dimension in each group of its reassociation, "
                    "but got an empty group; write them as in [[0, 1], [2]]");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// What MLIR's verifiers let through.
static LogicalResult checkTensorOps(ModuleOp module) {
  auto result = module.walk([](Operation *op) {
    LogicalResult checked =
        llvm::TypeSwitch<Operation *, LogicalResult>(op)
            .Case<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
                [](auto reshape) { return checkReassociation(reshape); })
            .Case<tensor::DimOp>(checkDim)
            .Default([](Operation *) { return success(); });
    return failed(checked) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

Expected<OwningOpRef<ModuleOp>>
parseProgram(MLIRContext &context, StringRef text, StringRef fileName) {
  if (llvm::Error error = checkSource(text, fileName))
    return std::move(error);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(text, fileName), SMLoc());
  // A whole function after an error tells the user nothing.
  context.printOpOnDiagnostic(false);
  DiagnosticCollector diagnostics(&context, text);
  auto start = FileLineColLoc::get(&context, fileName, 1, 1);
  OwningOpRef<ModuleOp> module = ModuleOp::create(start);
  AsmParserState state;
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  if (failed(parseAsmSourceFile(sources, module->getBody(), config, &state)))
    return diagnostics.takeError(
        (fileName + ": cannot parse the program").str());

  // A text may spell out its module; the parser's stands around it then.
  Block *top = module->getBody();
  if (llvm::hasSingleElement(*top))
    if (auto inner = dyn_cast<ModuleOp>(top->front())) {
      inner->remove();
      module = inner;
    }
  if (failed(checkGroups(*module)) || failed(verify(*module)) ||
      failed(checkTensorOps(*module)))
    return diagnostics.takeError((fileName + ": invalid program").str());
  for (auto function : module->getOps<func::FuncOp>())
    if (!function.isExternal()) {
      nameArguments(function, state);
      nameResults(function, state);
    }
  return std::move(module);
}

static Expected<func::FuncOp> findEntry(ModuleOp module, StringRef name) {
  SmallVector<func::FuncOp> functions;
  SmallVector<StringRef> names;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isPrivate())
      continue;
    if (function.getName() == name)
      return function;
    functions.push_back(function);
    names.push_back(function.getName());
  }
  if (functions.size() == 1 && name.empty())
    return functions.front();
  std::string list = llvm::join(names, ", ");
  if (names.empty())
    return makeError(module.getLoc(),
                     "expected a public function, but got none; write the "
                     "program as a func.func");
  if (name.empty())
    return makeError(module.getLoc(),
                     formatv("expected one public function, but got {0} ({1}); "
                             "name one in the option entry",
                             names.size(), list));
  return makeError(module.getLoc(),
                   formatv("expected a public function called '{0}', but got "
                           "{1}; name one of these as the entry",
                           name, list));
}

static llvm::Error checkBoundaryTypes(func::FuncOp entry) {
  auto check = [&](Location location, Type type, StringRef what,
                   unsigned index) -> llvm::Error {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor && isElementType(tensor.getElementType()))
      return llvm::Error::success();
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return makeError(location,
                     formatv("expected {0} {1} of @{2} to be a ranked tensor "
                             "of {3}, but got {4}; {5}",
                             what, index, entry.getName(), elementTypeNames,
                             text, typeRemedy(type, elementTypeNames)));
  };
  for (BlockArgument argument : entry.getArguments())
    if (llvm::Error error = check(argument.getLoc(), argument.getType(),
                                  "argument", argument.getArgNumber()))
      return error;
  for (auto [index, type] : llvm::enumerate(entry.getResultTypes()))
    if (llvm::Error error = check(entry.getLoc(), type, "result", index))
      return error;
  return llvm::Error::success();
}

/// Whether the bytes of the static dims alone exceed int64_t.
static bool bytesOverflow(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getElementType().isIntOrFloat())
    return false;
  int64_t bytes = llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
  for (int64_t size : tensor.getShape())
    if (!ShapedType::isDynamic(size) && size != 0 &&
        llvm::MulOverflow(bytes, size, bytes))
      return true;
  return false;
}

static llvm::Error checkByteSizes(func::FuncOp entry) {
  auto overflow = [](Location location, Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return makeError(location,
                     formatv("expected a tensor of fewer than 2^63 bytes, but "
                             "got {0}; use a smaller shape",
                             text));
  };
  for (BlockArgument argument : entry.getArguments())
    if (bytesOverflow(argument.getType()))
      return overflow(argument.getLoc(), argument.getType());
  llvm::Error error = llvm::Error::success();
  entry.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (bytesOverflow(type)) {
        error =
            llvm::joinErrors(std::move(error), overflow(op->getLoc(), type));
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return error;
}

/// Whether the op belongs into a program: into its text, or into what the
/// stages make of it.
static bool isOfPrograms(Operation *op) {
  if (isa<mlir::fuse::FuseDialect>(op->getDialect()))
    return true;
  if (isa<arith::ArithDialect>(op->getDialect()))
    // Sizes.
    return isa<arith::ConstantOp>(op) ||
           llvm::all_of(op->getResultTypes(),
                        [](Type type) { return type.isIntOrIndex(); });
  return isa<func::ReturnOp, tensor::CastOp, tensor::CollapseShapeOp,
             tensor::ConcatOp, tensor::DimOp, tensor::ExpandShapeOp,
             tensor::ExtractSliceOp, tensor::PadOp>(op);
}

static llvm::Error checkOps(func::FuncOp entry) {
  for (Operation &op : entry.getBody().front()) {
    if (isOfPrograms(&op))
      continue;
    StringRef name = op.getName().getStringRef();
    std::string remedy = replacementFor(name, *entry.getContext());
    return makeError(
        op.getLoc(),
        formatv("expected ops of fuse, reshapes of tensor and "
                "arithmetic of sizes, but got '{0}'; {1}",
                name, remedy.empty() ? "docs/dialect.md has the ops" : remedy));
  }
  return llvm::Error::success();
}

static llvm::Error checkNames(func::FuncOp entry) {
  llvm::StringSet<> seen;
  auto check = [&](Location location, Attribute attr) -> llvm::Error {
    auto name = dyn_cast_or_null<StringAttr>(attr);
    if (name && !name.empty() && seen.insert(name.getValue()).second)
      return llvm::Error::success();
    return makeError(
        location,
        formatv("expected distinct names of arguments and results, but got "
                "'{0}' again; change its {1}",
                name ? name.getValue() : "", kNameAttr));
  };
  for (unsigned i = 0, e = entry.getNumArguments(); i < e; ++i)
    if (llvm::Error error = check(entry.getArgument(i).getLoc(),
                                  entry.getArgAttr(i, kNameAttr)))
      return error;
  for (unsigned i = 0, e = entry.getNumResults(); i < e; ++i)
    if (llvm::Error error =
            check(entry.getLoc(), entry.getResultAttr(i, kNameAttr)))
      return error;
  return llvm::Error::success();
}

Expected<func::FuncOp> selectEntry(ModuleOp module, StringRef name) {
  Expected<func::FuncOp> entry = findEntry(module, name);
  if (!entry)
    return entry;
  if (entry->isExternal() || !entry->getBody().hasOneBlock())
    return makeError(entry->getLoc(),
                     formatv("expected @{0} to have a body of one block; give "
                             "it straight-line code",
                             entry->getName()));
  if (llvm::Error error = checkBoundaryTypes(*entry))
    return std::move(error);
  if (llvm::Error error = checkByteSizes(*entry))
    return std::move(error);
  if (llvm::Error error = checkOps(*entry))
    return std::move(error);
  if (llvm::Error error = checkNames(*entry))
    return std::move(error);
  return entry;
}

} // namespace fuse::jit
