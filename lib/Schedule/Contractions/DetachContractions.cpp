//===- DetachContractions.cpp - What follows a contraction apart ----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel may move a contraction's elements, and rotate pairs of them, in the
// tiles of tensor cores. Kernels are formed before it is known whether tensors
// start where copies by tensor map ask for it, and how long tiles take; so the
// decision falls here. Both forms are built, and the slower one is erased.
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/MmaSpace.h"
#include "fuse/Schedule/Candidates.h"
#include "fuse/Schedule/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_DETACHCONTRACTIONS
#include "fuse/Schedule/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

using OpSet = llvm::SmallSetVector<Operation *, 8>;

namespace {
/// A kernel that could be two.
class Detacher {
public:
  Detacher(KernelOp kernel, ContractOp contract, const ScheduleTarget &target)
      : kernel(kernel), contract(contract), target(target) {}

  /// Leaves the faster form, and says in the function's attributes why.
  void run();

private:
  std::optional<double> secondsTogether(Reason &reason);
  std::optional<double> secondsApart();
  void build();
  KernelOp buildPart(OpBuilder &builder, StringRef name, TypeRange types,
                     const OpSet &ops,
                     SmallVector<std::pair<Value, Value>> inputs);
  KernelOp buildProduct(OpBuilder &builder, const OpSet &ops);
  KernelOp buildRest(OpBuilder &builder, const OpSet &ofProduct);
  void note(StringRef attribute, ArrayRef<NamedAttribute> fields);

  KernelOp kernel;
  ContractOp contract;
  const ScheduleTarget &target;
  KernelOp product, rest;
};
} // namespace

/// The contraction, and what computes its operands.
static OpSet productOps(ContractOp contract) {
  OpSet ops;
  ops.insert(contract);
  for (size_t next = 0; next < ops.size(); ++next)
    for (Value operand : ops[next]->getOperands())
      if (Operation *op = operand.getDefiningOp())
        ops.insert(op);
  return ops;
}

/// A kernel of some of this kernel's ops, in its order. They read those of its
/// arguments in `inputs` first, each with what it is given from outside.
KernelOp Detacher::buildPart(OpBuilder &builder, StringRef name,
                             TypeRange types, const OpSet &ops,
                             SmallVector<std::pair<Value, Value>> inputs) {
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    Value given = kernel.getInputs()[argument.getArgNumber()];
    bool isRead = llvm::any_of(argument.getUsers(), [&](Operation *user) {
      return ops.contains(user);
    });
    if (isRead &&
        !llvm::is_contained(inputs, std::pair(Value(argument), given)))
      inputs.emplace_back(argument, given);
  }
  auto given = llvm::to_vector(llvm::make_second_range(inputs));
  auto made = KernelOp::create(builder, kernel.getLoc(), types,
                               builder.getStringAttr(name), given,
                               ScheduleAttrInterface());
  Block &body = made.getBody().emplaceBlock();
  IRMapping mapping;
  for (auto [inside, outside] : inputs)
    mapping.map(inside, body.addArgument(outside.getType(), outside.getLoc()));
  OpBuilder inner = OpBuilder::atBlockBegin(&body);
  for (Operation &op : kernel.getBody().front())
    if (ops.contains(&op))
      inner.clone(op, mapping);
  return made;
}

KernelOp Detacher::buildProduct(OpBuilder &builder, const OpSet &ops) {
  SmallVector<std::pair<Value, Value>> inputs;
  for (Value operand : contract.getOperands())
    if (auto argument = dyn_cast<BlockArgument>(operand))
      inputs.emplace_back(operand, kernel.getInputs()[argument.getArgNumber()]);
  std::string name = (kernel.getKernelName() + "_contract").str();
  KernelOp made =
      buildPart(builder, name, contract.getType(), ops, std::move(inputs));
  Block &body = made.getBody().front();
  OpBuilder inner = OpBuilder::atBlockEnd(&body);
  YieldOp::create(inner, kernel.getLoc(), body.back().getResult(0));
  return made;
}

/// With the product as an input, and all others that it still reads. What also
/// computes an operand of the product is computed again.
KernelOp Detacher::buildRest(OpBuilder &builder, const OpSet &ofProduct) {
  OpSet ops;
  Block &body = kernel.getBody().front();
  for (Operation &op : llvm::reverse(body)) {
    bool isNeeded = llvm::any_of(
        op.getUsers(), [&](Operation *user) { return ops.contains(user); });
    if (!ofProduct.contains(&op) || (isNeeded && &op != contract))
      ops.insert(&op);
  }
  return buildPart(builder, kernel.getKernelName(), kernel.getResultTypes(),
                   ops, {{contract.getResult(), product.getResult(0)}});
}

void Detacher::build() {
  OpBuilder builder(kernel);
  OpSet ops = productOps(contract);
  product = buildProduct(builder, ops);
  rest = buildRest(builder, ops);
}

/// What tensor cores take for the tiles and, behind their products, for the ops
/// that follow. Nothing where they cannot run it.
std::optional<double> Detacher::secondsTogether(Reason &reason) {
  DimClasses dims(kernel->getParentOfType<func::FuncOp>());
  if (!target.gpu) {
    reason = ReasonKind::noTensorCores;
    return std::nullopt;
  }
  TensorFacts facts{target.aligned, target.divisible};
  FailureOr<MmaSpace> space = mmaSpaceOf(kernel, dims, facts, reason);
  if (failed(space))
    return std::nullopt;
  if (!target.gpu->multiplies(space->operandBits())) {
    reason = whyNotMultiplied(space->operandBits());
    return std::nullopt;
  }
  SmallVector<MmaScheduleAttr> schedules = mmaSchedulesOf(kernel, dims, target);
  if (schedules.empty()) {
    reason = Reason(ReasonKind::noTileForGroups,
                    space->segments.front().flow.wholeColumns);
    return std::nullopt;
  }
  return estimateMma(schedules.front(), mmaProductOf(kernel, dims), *target.gpu)
      .seconds;
}

std::optional<double> Detacher::secondsApart() {
  DimClasses dims(kernel->getParentOfType<func::FuncOp>());
  double seconds = 0;
  for (KernelOp part : {product, rest}) {
    SmallVector<Candidate> candidates = findCandidates(part, dims, target);
    if (candidates.empty() || !candidates.front().estimate)
      return std::nullopt;
    seconds += candidates.front().estimate->seconds;
  }
  return seconds;
}

void Detacher::note(StringRef attribute, ArrayRef<NamedAttribute> fields) {
  auto function = kernel->getParentOfType<func::FuncOp>();
  Builder builder(function.getContext());
  SmallVector<Attribute> records;
  if (auto known = function->getAttrOfType<ArrayAttr>(attribute))
    llvm::append_range(records, known);
  records.push_back(builder.getDictionaryAttr(fields));
  function->setAttr(attribute, builder.getArrayAttr(records));
}

void Detacher::run() {
  Reason reason;
  build();
  std::optional<double> together = secondsTogether(reason);
  std::optional<double> apart = secondsApart();
  Builder builder(kernel.getContext());
  auto field = [&](StringRef name, StringRef text) {
    return builder.getNamedAttr(name, builder.getStringAttr(text));
  };
  auto because = [&](const Reason &why) {
    return builder.getNamedAttr("reason",
                                why.toAttribute(builder.getContext()));
  };
  auto times = [&](ReasonKind kind) {
    return Reason(kind, microseconds(*together), microseconds(*apart));
  };
  if (together && (!apart || *together <= *apart)) {
    rest.erase();
    product.erase();
    if (apart)
      note(kTogetherAttr, {field("kernel", kernel.getKernelName()),
                           because(times(ReasonKind::togetherFaster))});
    return;
  }
  if (together)
    reason = times(ReasonKind::detachedSlower);
  note(kDetachedAttr,
       {field("consumer", rest.getKernelName()),
        field("producer", product.getKernelName()), because(reason)});
  kernel.replaceAllUsesWith(rest.getResults());
  kernel.erase();
}

namespace {
struct DetachContractionsPass
    : public mlir::fuse::impl::DetachContractionsBase<DetachContractionsPass> {
  using Base::Base;

  void runOnOperation() override {
    llvm::Expected<ScheduleTarget> target =
        ScheduleTarget::of(chip, divisible, strict);
    if (!target) {
      getOperation().emitError() << llvm::toString(target.takeError());
      return signalPassFailure();
    }
    target->aligned = aligned;
    DimClasses dims(getOperation());
    SmallVector<std::pair<KernelOp, ContractOp>> found;
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      if (ContractOp contract = contractionToDetach(kernel, dims, *target))
        found.push_back({kernel, contract});
    for (auto [kernel, contract] : found)
      Detacher(kernel, contract, *target).run();
  }

private:
  /// The contraction of a kernel that only tensor cores could run as it is.
  static ContractOp contractionToDetach(KernelOp kernel, const DimClasses &dims,
                                        const ScheduleTarget &target) {
    auto contractions = kernel.getBody().getOps<ContractOp>();
    if (kernel.getScheduleAttr() || !llvm::hasSingleElement(contractions))
      return {};
    ContractOp contract = *contractions.begin();
    Reason reason;
    FailureOr<ContractionFlow> flow =
        contractionFlowOf(kernel, contract, dims, reason);
    bool readsInputs =
        llvm::all_of(contract.getOperands(), llvm::IsaPred<BlockArgument>);
    if (failed(flow) || !flow->needsTiles)
      return {};
    // Some schedules compute an operand, such as pages that are gathered.
    return readsInputs || findCandidates(kernel, dims, target).empty()
               ? contract
               : ContractOp();
  }
};
} // namespace
