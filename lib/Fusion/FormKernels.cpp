//===- FormKernels.cpp - Group primitives into kernels --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every primitive starts as a group of its own. In program order, each op's
// group is merged with those of its producers, the largest value first: that
// value then stays inside. Afterwards independent pointwise groups, and
// reductions of the same rows, are merged: one launch for two, and an input
// that both read is read once. Groups are only rewritten when all is decided.
//
// Between the two, an op that only one later group uses moves there when fewer
// bytes cross then: the square in h = x + x W; mean(h * h) joins the norm that
// reads h anyway, not the contraction, which would have to write it too.
//
//===----------------------------------------------------------------------===//

#include "Groups.h"

#include "fuse/Analysis/DimClasses.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Fusion/Legality.h"
#include "fuse/Fusion/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FORMKERNELS
#include "fuse/Fusion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Bytes of a tensor; a dynamic dimension counts as a large one.
static double estimatedBytes(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  double bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (int64_t size : type.getShape())
    bytes *= ShapedType::isDynamic(size) ? 4096.0 : size;
  return bytes;
}

namespace {
class KernelFormer {
public:
  explicit KernelFormer(func::FuncOp function)
      : function(function), dims(function), groups(function) {}

  /// Without `fusion` every op is a kernel of its own.
  void run(bool fusion);

private:
  void merge();
  void mergeProducers(Operation *op);
  void sinkIntoConsumers();
  bool sinkingSavesBytes(Operation *op, int consumer);
  bool isLegal(ArrayRef<Operation *> ops);
  void mergeNeighbours();
  bool tryMerge(int a, int b, std::string &reason);
  bool shareInput(int a, int b);
  void recordMissed();
  void rewrite();
  void createKernel(OpBuilder &builder, int group, StringRef name);
  std::string kernelName(int group);

  func::FuncOp function;
  DimClasses dims;
  Groups groups;
  /// Why an edge was not fused, by consumer and producer.
  llvm::MapVector<std::pair<Operation *, Operation *>, std::string> missed;
  DenseMap<int, std::string> names;
};
} // namespace

bool KernelFormer::tryMerge(int a, int b, std::string &reason) {
  SmallVector<Operation *> ops = groups.merged(a, b);
  SmallVector<Value> results = groups.resultsOf(ops);
  if (failed(classifyGroup({ops, results}, dims, reason)))
    return false;
  if (groups.hasPathAround(a, b)) {
    reason = "another kernel lies between them";
    return false;
  }
  groups.merge(a, b);
  return true;
}

void KernelFormer::mergeProducers(Operation *op) {
  SmallVector<Value> operands(op->getOperands());
  llvm::stable_sort(operands, [](Value a, Value b) {
    return estimatedBytes(a) > estimatedBytes(b);
  });
  for (Value operand : operands) {
    Operation *producer = operand.getDefiningOp();
    if (!groups.contains(producer) || groups.of(producer) == groups.of(op))
      continue;
    std::string reason;
    if (!tryMerge(groups.of(producer), groups.of(op), reason))
      missed[{op, producer}] = reason;
  }
}

bool KernelFormer::isLegal(ArrayRef<Operation *> ops) {
  std::string reason;
  SmallVector<Value> results = groups.resultsOf(ops);
  return succeeded(classifyGroup({ops, results}, dims, reason));
}

bool KernelFormer::sinkingSavesBytes(Operation *op, int consumer) {
  auto holds = [](ArrayRef<Value> values, Value v) {
    return llvm::is_contained(values, v);
  };
  SmallVector<Value> read = groups.inputsOf(groups.ops(consumer));
  SmallVector<Operation *> rest = groups.without(groups.of(op), op);
  // What would leave the group even if `op` were not outside it.
  SmallVector<Value> leaving = groups.resultsOf(groups.ops(groups.of(op)));
  double saved = 2 * estimatedBytes(op->getResult(0)), added = 0;
  llvm::SmallSetVector<Value, 4> operands(op->operand_begin(),
                                          op->operand_end());
  for (Value operand : operands) {
    Operation *producer = operand.getDefiningOp();
    if (Groups::isDuplicated(producer))
      continue;
    if (!holds(read, operand))
      added += estimatedBytes(operand);
    if (llvm::is_contained(rest, producer) && !holds(leaving, operand))
      added += estimatedBytes(operand);
  }
  return saved > added;
}

void KernelFormer::sinkIntoConsumers() {
  for (Operation &op : llvm::reverse(function.getBody().front())) {
    if (!groups.contains(&op) || groups.ops(groups.of(&op)).size() < 2 ||
        !op.hasTrait<mlir::fuse::OpTrait::Pointwise>() || op.use_empty())
      continue;
    Operation *first = *op.user_begin();
    bool oneConsumer =
        groups.contains(first) && groups.of(first) != groups.of(&op) &&
        llvm::all_of(op.getUsers(), [&](Operation *user) {
          return groups.contains(user) && groups.of(user) == groups.of(first);
        });
    if (!oneConsumer || !sinkingSavesBytes(&op, groups.of(first)))
      continue;
    int from = groups.of(&op), to = groups.of(first);
    if (isLegal(groups.with(to, &op)) && isLegal(groups.without(from, &op)))
      groups.move(&op, to);
  }
}

bool KernelFormer::shareInput(int a, int b) {
  llvm::SmallDenseSet<Value> inputs;
  for (Value input : groups.inputsOf(groups.ops(a)))
    inputs.insert(input);
  return llvm::any_of(groups.inputsOf(groups.ops(b)),
                      [&](Value v) { return inputs.contains(v); });
}

void KernelFormer::mergeNeighbours() {
  SmallVector<int> all = groups.all();
  std::string reason;
  auto kindOf = [&](int group) {
    SmallVector<Operation *> ops(groups.ops(group));
    return *classifyGroup({ops, groups.resultsOf(ops)}, dims, reason);
  };
  for (size_t i = 0; i < all.size(); ++i) {
    if (!groups.isAlive(all[i]))
      continue;
    for (size_t j = i + 1; j < all.size(); ++j) {
      int a = all[i], b = all[j];
      if (!groups.isAlive(b))
        continue;
      GroupKind kind = kindOf(a);
      bool wanted = kind == kindOf(b) &&
                    (kind == GroupKind::Pointwise ||
                     (kind != GroupKind::Contraction && shareInput(a, b)));
      if (wanted && !groups.hasPath(a, b) && !groups.hasPath(b, a))
        tryMerge(a, b, reason);
    }
  }
}

std::string KernelFormer::kernelName(int group) {
  auto it = names.find(group);
  return it == names.end() ? std::string() : it->second;
}

void KernelFormer::recordMissed() {
  Builder builder(function.getContext());
  SmallVector<Attribute> records;
  llvm::DenseSet<std::pair<int, int>> seen;
  for (auto &[edge, reason] : missed) {
    int consumer = groups.of(edge.first), producer = groups.of(edge.second);
    if (consumer == producer || !seen.insert({consumer, producer}).second)
      continue;
    records.push_back(builder.getDictionaryAttr({
        builder.getNamedAttr("consumer",
                             builder.getStringAttr(kernelName(consumer))),
        builder.getNamedAttr("producer",
                             builder.getStringAttr(kernelName(producer))),
        builder.getNamedAttr("reason", builder.getStringAttr(reason)),
    }));
  }
  if (!records.empty())
    function->setAttr(kMissedAttr, builder.getArrayAttr(records));
}

void KernelFormer::createKernel(OpBuilder &builder, int group, StringRef name) {
  SmallVector<Operation *> ops(groups.ops(group));
  SmallVector<Value> inputs = groups.inputsOf(ops);
  SmallVector<Value> results = groups.resultsOf(ops);
  auto kernel = KernelOp::create(
      builder, ops.back()->getLoc(), ValueRange(results).getTypes(),
      builder.getStringAttr(name), inputs, ScheduleAttrInterface());
  Block &body = kernel.getBody().emplaceBlock();
  IRMapping mapping;
  for (Value input : inputs)
    mapping.map(input, body.addArgument(input.getType(), input.getLoc()));
  OpBuilder inner = OpBuilder::atBlockBegin(&body);
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      if (Groups::isDuplicated(operand.getDefiningOp()) &&
          !mapping.contains(operand))
        mapping.map(operand,
                    inner.clone(*operand.getDefiningOp())->getResult(0));
    inner.clone(*op, mapping);
  }
  SmallVector<Value> yielded;
  for (Value result : results)
    yielded.push_back(mapping.lookup(result));
  YieldOp::create(inner, kernel.getLoc(), yielded);
  for (auto [result, replacement] : llvm::zip(results, kernel.getResults()))
    result.replaceUsesWithIf(replacement, [&](OpOperand &use) {
      return !llvm::is_contained(ops, use.getOwner());
    });
  for (Operation *op : llvm::reverse(ops))
    op->erase();
}

void KernelFormer::rewrite() {
  SmallVector<Groups::Node> order = groups.topologicalOrder();
  unsigned count = llvm::count_if(order, [](auto &n) { return n.group >= 0; });
  unsigned number = 0;
  for (const Groups::Node &node : order)
    if (node.group >= 0)
      names[node.group] =
          count == 1 ? function.getName().str()
                     : (function.getName() + "_" + Twine(number++)).str();
  recordMissed();
  Operation *terminator = function.getBody().front().getTerminator();
  OpBuilder builder(terminator);
  for (const Groups::Node &node : order) {
    if (node.group < 0)
      node.host->moveBefore(terminator);
    else
      createKernel(builder, node.group, names[node.group]);
  }
}

void KernelFormer::merge() {
  for (Operation &op : function.getBody().front())
    if (groups.contains(&op))
      mergeProducers(&op);
  sinkIntoConsumers();
  mergeNeighbours();
}

void KernelFormer::run(bool fusion) {
  if (fusion)
    merge();
  rewrite();
}

namespace {
struct FormKernelsPass
    : public mlir::fuse::impl::FormKernelsBase<FormKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    if (!function.getBody().hasOneBlock()) {
      function.emitError() << "expected a program without control flow, but "
                              "got several blocks; inline the branches";
      return signalPassFailure();
    }
    KernelFormer(function).run(fusion);
    // Constants that every user copied into its kernel.
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
      if (isOpTriviallyDead(&op))
        op.erase();
  }
};
} // namespace
