//===- AttachOperands.cpp - Operands computed by their contractions -------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights of 8 or 4 bits are unpacked, cast and scaled before they are
// multiplied with 16-bit rows. A kernel of its own reads them once, and writes
// them two or four times as long for another kernel to read. The contraction's
// can compute them in the tiles of tensor cores instead, again for each tile of
// rows, and reads as many bytes as they have. Which is faster depends on the
// chip and on the rows; so it is decided here, for the sizes at hand, by the
// model of time. Both forms are built, and the slower one is erased.
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/MmaSpace.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Fusion/Passes.h"
#include "fuse/Schedule/Candidates.h"
#include "fuse/Schedule/ComputedSizes.h"
#include "fuse/Schedule/Passes.h"
#include "fuse/Schedule/SizeRanges.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_ATTACHOPERANDS
#include "fuse/Fusion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// What the model has to promise, of the time of kernels that were measured,
/// before tiles compute operands, which were not.
static constexpr double clearlyFaster = 0.9;

namespace {
/// A result that a contracting kernel reads as an operand.
struct OperandResult {
  unsigned result, input;
  /// The reshapes in between, the first first.
  SmallVector<Operation *, 2> views;
};

/// A kernel of which some results are such operands, and a copy with these
/// alone.
struct OperandKernel {
  KernelOp kernel, alone;
  SmallVector<OperandResult, 2> operands;
};

/// A kernel whose contractions might compute operands.
class Attacher {
public:
  Attacher(KernelOp consumer, const ScheduleTarget &target)
      : consumer(consumer), target(target) {}

  /// Leaves the faster form, and says in the function's attributes why.
  void run();

private:
  void findProducers();
  KernelOp producerOf(OperandResult &operand);
  KernelOp build();
  std::optional<double> secondsTogether(KernelOp together,
                                        const ScheduleTarget &sized,
                                        MmaScheduleAttr *schedule = nullptr);
  std::optional<double> secondsApart(const ScheduleTarget &sized);
  bool isFaster(std::optional<double> with, std::optional<double> without);
  void noteSizes(KernelOp together);
  void settle(KernelOp together, double with, std::optional<double> without);
  void noteMissed(std::optional<Reason> reason);

  KernelOp consumer;
  const ScheduleTarget &target;
  SmallVector<OperandKernel, 2> producers;
};
} // namespace

/// Whether the kernel only computes, from bytes and what goes with them.
static bool widensBytes(KernelOp kernel) {
  constexpr unsigned byte = 8;
  bool hasBytes = llvm::any_of(kernel.getInputs(), [](Value input) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    return type && type.getElementTypeBitWidth() == byte;
  });
  return hasBytes && !kernel.getScheduleAttr() &&
         llvm::none_of(kernel.getBody().front(), [](Operation &op) {
           return isReduction(&op) || isRowOrder(&op) ||
                  isa<ContractOp, ScatterOp>(op);
         });
}

/// A kernel before `kernel` with some of its results, and what they need.
static KernelOp withResults(KernelOp kernel, ArrayRef<unsigned> results) {
  SmallVector<Value> yielded;
  for (unsigned number : results)
    yielded.push_back(kernel.getYield().getValues()[number]);
  llvm::SetVector<Operation *> needed;
  llvm::SetVector<Value> arguments;
  SmallVector<Value> work(yielded);
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (isa<BlockArgument>(value))
      arguments.insert(value);
    else if (needed.insert(value.getDefiningOp()))
      llvm::append_range(work, value.getDefiningOp()->getOperands());
  }
  auto inputs = llvm::map_to_vector(arguments, [&](Value argument) -> Value {
    return kernel.getInputs()[cast<BlockArgument>(argument).getArgNumber()];
  });
  OpBuilder builder(kernel);
  auto made = KernelOp::create(
      builder, kernel.getLoc(), ValueRange(yielded).getTypes(),
      kernel.getKernelNameAttr(), inputs, ScheduleAttrInterface());
  Block &body = made.getBody().emplaceBlock();
  IRMapping mapping;
  for (Value argument : arguments)
    mapping.map(argument,
                body.addArgument(argument.getType(), argument.getLoc()));
  OpBuilder inner = OpBuilder::atBlockBegin(&body);
  for (Operation &op : kernel.getBody().front())
    if (needed.contains(&op))
      inner.clone(op, mapping);
  YieldOp::create(inner, kernel.getLoc(),
                  llvm::map_to_vector(yielded, [&](Value value) {
                    return mapping.lookup(value);
                  }));
  return made;
}

/// Nothing else may need what it computes. Sets all but the input of the
/// operand; null where there is none.
KernelOp Attacher::producerOf(OperandResult &operand) {
  BlockArgument argument = consumer.getBody().getArgument(operand.input);
  if (!llvm::all_of(argument.getUsers(), llvm::IsaPred<ContractOp>))
    return {};
  Value value = consumer.getInputs()[operand.input];
  while (value.hasOneUse() && value.getDefiningOp() &&
         isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
             value.getDefiningOp())) {
    Operation *view = value.getDefiningOp();
    if (view->getNumOperands() != 1 ||
        !cast<RankedTensorType>(value.getType()).hasStaticShape())
      return {};
    operand.views.insert(operand.views.begin(), view);
    value = view->getOperand(0);
  }
  auto kernel = value.getDefiningOp<KernelOp>();
  if (!kernel || !value.hasOneUse() || !widensBytes(kernel))
    return {};
  operand.result = cast<OpResult>(value).getResultNumber();
  return kernel;
}

void Attacher::findProducers() {
  for (unsigned input = 0; input < consumer.getInputs().size(); ++input) {
    OperandResult operand{0, input, {}};
    KernelOp kernel = producerOf(operand);
    if (!kernel)
      continue;
    auto *known = llvm::find_if(producers, [&](const OperandKernel &other) {
      return other.kernel == kernel;
    });
    if (known == producers.end())
      known = &producers.emplace_back(OperandKernel{kernel, {}, {}});
    known->operands.push_back(std::move(operand));
  }
  for (OperandKernel &producer : producers)
    producer.alone = withResults(
        producer.kernel, llvm::map_to_vector(producer.operands,
                                             [](const OperandResult &operand) {
                                               return operand.result;
                                             }));
}

/// Leaves the results that somebody uses.
static void dropUnused(KernelOp kernel) {
  SmallVector<unsigned> used;
  for (OpResult result : kernel->getResults())
    if (!result.use_empty())
      used.push_back(result.getResultNumber());
  if (!used.empty()) {
    KernelOp rest = withResults(kernel, used);
    for (auto [number, result] : llvm::zip_equal(used, rest.getResults()))
      kernel.getResult(number).replaceAllUsesWith(result);
  }
  kernel.erase();
}

/// The consumer, with what the producers compute in front of it.
KernelOp Attacher::build() {
  llvm::SetVector<Value> inputs;
  llvm::SmallDenseSet<unsigned> computed;
  for (OperandKernel &producer : producers) {
    for (const OperandResult &operand : producer.operands)
      computed.insert(operand.input);
    inputs.insert_range(producer.alone.getInputs());
  }
  for (auto [number, input] : llvm::enumerate(consumer.getInputs()))
    if (!computed.contains(number))
      inputs.insert(input);
  OpBuilder builder(consumer);
  auto made =
      KernelOp::create(builder, consumer.getLoc(), consumer.getResultTypes(),
                       consumer.getKernelNameAttr(), inputs.getArrayRef(),
                       ScheduleAttrInterface());
  Block &body = made.getBody().emplaceBlock();
  IRMapping outside;
  for (Value input : inputs)
    outside.map(input, body.addArgument(input.getType(), input.getLoc()));
  OpBuilder inner = OpBuilder::atBlockBegin(&body);
  auto mapArguments = [&](IRMapping &mapping, KernelOp kernel) {
    for (auto [argument, input] :
         llvm::zip_equal(kernel.getBody().getArguments(), kernel.getInputs()))
      if (Value known = outside.lookupOrNull(input))
        mapping.map(argument, known);
  };
  IRMapping inConsumer;
  mapArguments(inConsumer, consumer);
  for (OperandKernel &producer : producers) {
    IRMapping mapping;
    mapArguments(mapping, producer.alone);
    for (Operation &op : producer.alone.getBody().front().without_terminator())
      inner.clone(op, mapping);
    for (auto [operand, yielded] : llvm::zip_equal(
             producer.operands, producer.alone.getYield().getValues())) {
      Value value = mapping.lookup(yielded);
      for (Operation *view : operand.views) {
        IRMapping source;
        source.map(view->getOperand(0), value);
        value = inner.clone(*view, source)->getResult(0);
      }
      inConsumer.map(consumer.getBody().getArgument(operand.input), value);
    }
  }
  for (Operation &op : consumer.getBody().front())
    inner.clone(op, inConsumer);
  return made;
}

std::optional<double> Attacher::secondsTogether(KernelOp together,
                                                const ScheduleTarget &sized,
                                                MmaScheduleAttr *schedule) {
  DimClasses dims(together->getParentOfType<func::FuncOp>());
  SmallVector<MmaScheduleAttr> schedules =
      mmaSchedulesOf(together, dims, sized);
  if (schedules.empty())
    return std::nullopt;
  if (schedule)
    *schedule = schedules.front();
  return estimateMma(schedules.front(),
                     mmaProductOf(together, dims, sized.assumed), *sized.gpu)
      .seconds;
}

std::optional<double> Attacher::secondsApart(const ScheduleTarget &sized) {
  DimClasses dims(consumer->getParentOfType<func::FuncOp>());
  SmallVector<KernelOp> kernels = {consumer};
  for (const OperandKernel &producer : producers)
    kernels.push_back(producer.alone);
  double seconds = 0;
  for (KernelOp kernel : kernels) {
    SmallVector<Candidate> candidates = findCandidates(kernel, dims, sized);
    if (candidates.empty() || !candidates.front().estimate)
      return std::nullopt;
    seconds += candidates.front().estimate->seconds;
  }
  return seconds;
}

bool Attacher::isFaster(std::optional<double> with,
                        std::optional<double> without) {
  return with && (!without || *with <= clearlyFaster * *without);
}

/// Where only the call knows the rows, some sizes may have both in one kernel.
void Attacher::noteSizes(KernelOp together) {
  DimClasses dims(together->getParentOfType<func::FuncOp>());
  Reason reason;
  FailureOr<MmaSpace> space =
      mmaSpaceOf(together, dims, {target.aligned, target.divisible}, reason);
  if (failed(space) || !target.assumed.empty())
    return;
  DynamicSize rows = dynamicSizeOf(space->extents(space->m, dims), dims);
  if (rows.classes.empty())
    return;
  Builder builder(together.getContext());
  SmallVector<Attribute> sizes;
  for (int64_t size = kSmallestRange; size <= kLargestRange; size *= 2) {
    auto dynamic = static_cast<int64_t>(size / rows.factor);
    ScheduleTarget sized = target;
    sized.assumed = {AssumedSize{rows.classes, dynamic}};
    MmaScheduleAttr schedule;
    if (dynamic < 1 || !isFaster(secondsTogether(together, sized, &schedule),
                                 secondsApart(sized)))
      continue;
    sizes.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr(kComputedSize,
                              builder.getI64IntegerAttr(dynamic)),
         builder.getNamedAttr(kComputedSchedule, schedule)}));
  }
  if (!sizes.empty())
    consumer->setAttr(kComputedSizesAttr, builder.getArrayAttr(sizes));
}

/// Of the edges from the producers; nothing for those that are no more.
void Attacher::noteMissed(std::optional<Reason> reason) {
  auto function = consumer->getParentOfType<func::FuncOp>();
  auto records = function->getAttrOfType<ArrayAttr>(kMissedAttr);
  if (!records)
    return;
  Builder builder(function.getContext());
  auto isOurs = [&](DictionaryAttr record) {
    auto from = record.getAs<StringAttr>("producer");
    auto to = record.getAs<StringAttr>("consumer");
    return from && to && to.getValue() == consumer.getKernelName() &&
           llvm::any_of(producers, [&](const OperandKernel &producer) {
             return KernelOp(producer.kernel).getKernelName() ==
                    from.getValue();
           });
  };
  SmallVector<Attribute> left;
  for (auto record : records.getAsRange<DictionaryAttr>()) {
    if (isOurs(record)) {
      if (!reason)
        continue;
      NamedAttrList fields(record);
      fields.set("reason", reason->toAttribute(function.getContext()));
      record = fields.getDictionary(function.getContext());
    }
    left.push_back(record);
  }
  if (left.empty())
    function->removeAttr(kMissedAttr);
  else
    function->setAttr(kMissedAttr, builder.getArrayAttr(left));
}

static Reason withTimes(ReasonKind kind, double with, double without) {
  return Reason(kind, microseconds(with), microseconds(without));
}

void Attacher::settle(KernelOp together, double with,
                      std::optional<double> without) {
  noteMissed(std::nullopt);
  auto function = consumer->getParentOfType<func::FuncOp>();
  Builder builder(function.getContext());
  if (without) {
    SmallVector<Attribute> records;
    if (auto known = function->getAttrOfType<ArrayAttr>(kTogetherAttr))
      llvm::append_range(records, known);
    Reason reason = withTimes(ReasonKind::operandFaster, with, *without);
    records.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("kernel", together.getKernelNameAttr()),
         builder.getNamedAttr("reason",
                              reason.toAttribute(function.getContext()))}));
    function->setAttr(kTogetherAttr, builder.getArrayAttr(records));
  }
  consumer.replaceAllUsesWith(together.getResults());
  consumer.erase();
  for (OperandKernel &producer : producers) {
    for (OperandResult &operand : producer.operands)
      for (Operation *view : llvm::reverse(operand.views))
        view->erase();
    dropUnused(producer.kernel);
  }
}

void Attacher::run() {
  findProducers();
  if (producers.empty())
    return;
  KernelOp together = build();
  std::optional<double> with = secondsTogether(together, target);
  std::optional<double> without = secondsApart(target);
  bool isTogether = isFaster(with, without);
  if (with && !isTogether)
    noteSizes(together);
  for (OperandKernel &producer : producers)
    producer.alone.erase();
  if (isTogether)
    return settle(together, *with, without);
  if (with)
    noteMissed(withTimes(ReasonKind::operandSlower, *with, *without));
  together.erase();
}

namespace {
struct AttachOperandsPass
    : public mlir::fuse::impl::AttachOperandsBase<AttachOperandsPass> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    llvm::Expected<ScheduleTarget> target =
        ScheduleTarget::of(chip, divisible, strict);
    if (!target) {
      // Said where schedules are assigned.
      llvm::consumeError(target.takeError());
      return;
    }
    if (!target->gpu)
      return;
    target->aligned = aligned;
    auto assumed = readAssumedSizes(function, DimClasses(function));
    if (failed(assumed))
      return signalPassFailure();
    target->assumed = std::move(*assumed);
    SmallVector<KernelOp> found;
    for (KernelOp kernel : function.getOps<KernelOp>())
      if (!kernel.getScheduleAttr() &&
          !kernel.getBody().getOps<ContractOp>().empty())
        found.push_back(kernel);
    for (KernelOp kernel : found)
      Attacher(kernel, *target).run();
  }
};
} // namespace
