//===- Forms.cpp - One program in several forms ---------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Forms.h"
#include "fuse/Compiler/Frontend.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/Transforms/Passes.h"
#include "fuse/Explain/Diagnostics.h"
#include "fuse/Fusion/Passes.h"
#include "fuse/Pipelines/InitAll.h"
#include "fuse/Pipelines/Pipelines.h"
#include "fuse/Schedule/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using llvm::Expected;

namespace fuse::crosscheck {

static const DialectRegistry &dialects() {
  static const DialectRegistry registry = [] {
    DialectRegistry result;
    mlir::fuse::registerAllDialects(result);
    return result;
  }();
  return registry;
}

Forms::Forms() : context(dialects(), MLIRContext::Threading::DISABLED) {}

Expected<std::unique_ptr<Forms>> Forms::create(StringRef text, StringRef path) {
  std::unique_ptr<Forms> forms(new Forms());
  auto module = jit::parseProgram(forms->context, text, path);
  if (!module)
    return module.takeError();
  forms->module = std::move(*module);
  return std::move(forms);
}

SmallVector<func::FuncOp> Forms::functions() {
  SmallVector<func::FuncOp> result;
  for (auto function : module->getOps<func::FuncOp>())
    if (function.isPublic())
      result.push_back(function);
  return result;
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

Expected<OwningOpRef<ModuleOp>>
Forms::run(llvm::function_ref<void(OpPassManager &)> build) {
  OwningOpRef<ModuleOp> copy = module->clone();
  jit::DiagnosticCollector diagnostics(&context);
  PassManager passes(&context);
  build(passes);
  if (failed(passes.run(*copy)))
    return diagnostics.takeError("a pass failed without a reason");
  return std::move(copy);
}

Expected<bool> Forms::isPointwise(func::FuncOp function) {
  auto made = run([](OpPassManager &passes) {
    passes.addPass(mlir::fuse::createFuseDecompose());
  });
  if (!made)
    return made.takeError();
  auto copy = (*made)->lookupSymbol<func::FuncOp>(function.getName());
  return llvm::all_of(copy.getBody().front(), [](Operation &op) {
    return op.hasTrait<mlir::fuse::OpTrait::Pointwise>() ||
           isa<mlir::fuse::ConstantOp, func::ReturnOp>(op);
  });
}

Expected<std::string> Forms::unfused() {
  mlir::fuse::PipelineOptions options;
  options.fusion = false;
  auto made = run([&](OpPassManager &passes) {
    mlir::fuse::buildFormPipeline(passes, options);
  });
  if (!made)
    return made.takeError();
  return print(**made);
}

Expected<std::string> Forms::scheduled(StringRef chip) {
  mlir::fuse::PipelineOptions options;
  mlir::fuse::AssignSchedulesOptions assign;
  mlir::fuse::SplitContractionsOptions contractions;
  mlir::fuse::SplitTileStatisticsOptions statistics;
  mlir::fuse::DetachContractionsOptions detach;
  // Kernels that one chip runs another may not.
  options.chip = chip.str();
  assign.chip = contractions.chip = statistics.chip = detach.chip = chip.str();
  // Without the rest of fuse-schedule, which depends on the schedule.
  auto made = run([&](OpPassManager &passes) {
    mlir::fuse::buildFormPipeline(passes, options);
    passes.addNestedPass<func::FuncOp>(
        mlir::fuse::createSplitContractions(contractions));
    passes.addNestedPass<func::FuncOp>(
        mlir::fuse::createSplitTileStatistics(statistics));
    passes.addNestedPass<func::FuncOp>(
        mlir::fuse::createDetachContractions(detach));
    passes.addNestedPass<func::FuncOp>(
        mlir::fuse::createAssignSchedules(assign));
  });
  if (!made)
    return made.takeError();
  return print(**made);
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

namespace {
/// Changes one schedule, given as text: what a new kind of schedule or a new
/// number in one is called does not matter here.
class Perturbation {
public:
  Perturbation(std::mt19937_64 &random, bool oneThread)
      : random(random), oneThread(oneThread) {}

  std::string apply(StringRef schedule);

private:
  StringRef pick(ArrayRef<StringRef> words) {
    return words[random() % words.size()];
  }
  std::string change(StringRef key, StringRef value);
  std::string changeFields(StringRef fields);

  std::mt19937_64 &random;
  bool oneThread;
};
} // namespace

std::string Perturbation::change(StringRef key, StringRef value) {
  if (key == "threads" && oneThread)
    return value.str();
  if (key == "threads")
    return pick({"32", "64", "96", "128", "256", "512", "1024"}).str();
  if (key == "vector")
    return pick({"1", "2", "4", "8", "16"}).str();
  if (key == "hold" && random() % 2 == 0)
    return pick({"registers", "loop"}).str();
  if (auto [part, rest] = value.split('<'); !rest.empty())
    return (part + "<" + changeFields(rest.drop_back()) + ">").str();
  // Such as that of a cluster, which is none with one block.
  if (key == value)
    return pick({"2", "3", "4", "8"}).str();
  if (key == "along")
    return pick({"n", "k"}).str();
  if (key == "unroll")
    return pick({"1", "2", "3", "5", "64", "1000"}).str();
  uint64_t number;
  if (value.getAsInteger(10, number))
    return value.str();
  return pick({"1", "2", "3", "4", "8"}).str();
}

/// Where the '>' is that closes the '<' before the text, or the end.
static size_t endOfFields(StringRef text) {
  int depth = 1;
  for (auto [at, letter] : llvm::enumerate(text)) {
    depth += (letter == '<') - (letter == '>');
    if (depth == 0)
      return at;
  }
  return text.size();
}

/// "vector = 4, hold = shared<unroll = 2>", or the number of "cluster<2>".
static SmallVector<StringRef> splitFields(StringRef text) {
  SmallVector<StringRef> fields;
  while (!text.empty()) {
    size_t end = text.find_first_of(",<");
    if (end != StringRef::npos && text[end] == '<')
      end += 2 + endOfFields(text.drop_front(end + 1));
    fields.push_back(text.take_front(end));
    text = text.drop_front(fields.back().size()).ltrim(", ");
  }
  return fields;
}

std::string Perturbation::changeFields(StringRef fields) {
  SmallVector<StringRef> all = splitFields(fields);
  size_t chosen = random() % all.size();
  std::string result;
  for (auto [index, field] : llvm::enumerate(all)) {
    auto [key, value] = field.split(" = ");
    bool isNamed = key != field, isChosen = index == chosen;
    isChosen |= random() % 3 == 0;
    result += index ? ", " : "";
    result += isNamed ? (key + " = ").str() : "";
    value = isNamed ? value : field;
    result += isChosen ? change(key, value) : value.str();
  }
  return result;
}

/// "rows<threads = 1, vector = 4, hold = loop>".
std::string Perturbation::apply(StringRef schedule) {
  auto [kind, rest] = schedule.split('<');
  if ((kind == "rows" || kind == "columns") && random() % 4 == 0)
    return oneThread ? "columns<threads = 1, vector = 1, splits = 1>"
                     : "columns<threads = 128, vector = 1, splits = 4>";
  return (kind + "<" + changeFields(rest.drop_back()) + ">").str();
}

std::optional<std::string>
perturbSchedules(StringRef text, std::mt19937_64 &random, bool oneThread) {
  constexpr StringLiteral start = "schedule = #fuse.";
  std::string result;
  Perturbation perturbation(random, oneThread);
  for (size_t found; (found = text.find(start)) != StringRef::npos;) {
    size_t begin = found + start.size(), fields = text.find('<', begin) + 1;
    size_t end = fields + endOfFields(text.drop_front(fields)) + 1;
    result += text.take_front(begin);
    result += perturbation.apply(text.slice(begin, end));
    text = text.drop_front(end);
  }
  if (result.empty())
    return std::nullopt;
  return result + text.str();
}

} // namespace fuse::crosscheck
