//===- Explain.cpp - Remarks about what was fused and what was not --------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedules.h"
#include "Traffic.h"
#include "fuse/Analysis/Strides.h"
#include "fuse/Explain/Passes.h"
#include "fuse/Fusion/Passes.h"
#include "fuse/Schedule/Candidates.h"
#include "fuse/Schedule/Passes.h"
#include "fuse/Schedule/TuningFile.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEEXPLAIN
#include "fuse/Explain/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;
using remark::RemarkOpts;

namespace {
/// Texts, empty where there is no model or no other schedule.
struct Prediction {
  std::string chosen, runnerUp;
};

/// Explains one program.
class Explainer {
public:
  Explainer(func::FuncOp function, const ScheduleTarget &target)
      : function(function), target(target), dims(function),
        names(function, dims) {}

  void run();

private:
  void explainKernel(KernelOp kernel);
  const Prediction &predicted(KernelOp kernel);
  std::string whyTogether(KernelOp kernel);
  void explainCopy(KernelOp kernel);
  void explainMissed(DictionaryAttr record);
  void explainApart(DictionaryAttr record);
  ByteCount costOfEdge(KernelOp producer, KernelOp consumer);
  void addReadAgain(KernelOp first, KernelOp second, ByteCount &cost);
  KernelOp kernelCalled(StringRef name);

  func::FuncOp function;
  const ScheduleTarget &target;
  DimClasses dims;
  SizeNames names;
  /// By kernel and schedule: many kernels of a model are equal.
  llvm::StringMap<Prediction> predictions;
};
} // namespace

/// The distinct ops of a kernel, by name. One without any copies.
static std::string opsOf(KernelOp kernel) {
  llvm::SmallSetVector<StringRef, 8> ops;
  for (Operation &op : kernel.getBody().front().without_terminator())
    if (!isa<ConstantOp>(op))
      ops.insert(op.getName().stripDialect());
  return ops.empty() ? "copy" : llvm::join(ops, ", ");
}

/// The lines of the program that a kernel runs, as in "4, 7".
static std::string linesOf(KernelOp kernel) {
  llvm::SmallSetVector<unsigned, 8> lines;
  for (Operation &op : kernel.getBody().front().without_terminator())
    if (auto place = op.getLoc()->findInstanceOf<FileLineColLoc>())
      lines.insert(place.getLine());
  SmallVector<unsigned> sorted = llvm::to_vector(lines);
  llvm::sort(sorted);
  return llvm::join(
      llvm::map_range(sorted,
                      [](unsigned line) { return std::to_string(line); }),
      ", ");
}

/// "12.3 us, mostly memory".
static std::string describe(const TimeEstimate &estimate) {
  return llvm::formatv("{0:F1} us, mostly {1}", estimate.seconds * 1e6,
                       name(estimate.limit));
}

static Prediction predict(KernelOp kernel, const DimClasses &dims,
                          const ScheduleTarget &target) {
  Prediction result;
  if (!target.gpu)
    return result;
  ScheduleAttrInterface chosen = kernel.getScheduleAttr();
  TimeEstimate estimate = estimateTime(kernel, dims, chosen, target);
  result.chosen = describe(estimate);
  if (!target.gpu->isMeasured)
    result.chosen +=
        (" on " + target.gpu->board + ", where no schedule has been measured")
            .str();
  for (const Candidate &other : findCandidates(kernel, dims, target))
    if (other.schedule != chosen) {
      bool isFaster = other.estimate->seconds < estimate.seconds;
      result.runnerUp = llvm::formatv(
          "{0}: {1}{2}", debugString(other.schedule), describe(*other.estimate),
          isFaster ? "; the choice does not follow this prediction" : "");
      break;
    }
  return result;
}

/// What several contractions in one kernel gain.
static std::string explainSharing(KernelOp kernel, const DimClasses &dims,
                                  const ScheduleTarget &target) {
  auto schedule = dyn_cast<MmaScheduleAttr>(kernel.getScheduleAttr());
  auto contractions = kernel.getBody().getOps<ContractOp>();
  Reason reason;
  FailureOr<MmaSpace> space =
      mmaSpaceOf(kernel, dims, {target.aligned, target.divisible}, reason);
  int64_t count = std::distance(contractions.begin(), contractions.end());
  // Kernels were formed for any size, which is compared.
  if (!schedule || !target.gpu || failed(space) || count < 2 ||
      !target.assumed.empty())
    return "";
  return llvm::formatv(
      "; its {0} contractions share the copies of their rows and take {1:F1} "
      "us, or at least {2:F1} us in kernels of their own",
      count, estimateTime(kernel, dims, schedule, target).seconds * 1e6,
      fastestMmaApart(*space, dims, *target.gpu) * 1e6);
}

static StringRef textOf(DictionaryAttr record, StringRef name) {
  auto text = record.getAs<StringAttr>(name);
  return text ? text.getValue() : StringRef();
}

static Reason reasonOf(DictionaryAttr record) {
  return Reason::fromAttribute(record.get("reason"));
}

/// Says why, what to change, and which of the reasons it is.
static void because(const Reason &reason,
                    remark::detail::InFlightRemark &remark) {
  remark << remark::metric("Because", reason.name())
         << remark::reason("{0}", reason.sentence())
         << remark::suggest("{0}", reason.remedy());
}

/// The same of what a record has, with the cause behind it.
static void because(DictionaryAttr record,
                    remark::detail::InFlightRemark &remark) {
  because(reasonOf(record), remark);
  if (auto fields = record.getAs<DictionaryAttr>("reason"))
    if (Reason cause = Reason::fromAttribute(fields.get("cause")))
      remark << remark::metric("Cause", cause.name());
}

const Prediction &Explainer::predicted(KernelOp kernel) {
  std::string key =
      kernelKey(kernel, dims, target.divisible, target.size, target.assumed) +
      debugString(kernel.getScheduleAttr());
  auto [it, isNew] = predictions.try_emplace(key);
  if (isNew)
    it->second = predict(kernel, dims, target);
  return it->second;
}

/// What two kernels instead of this one would take, where they were thought of.
std::string Explainer::whyTogether(KernelOp kernel) {
  if (auto records = function->getAttrOfType<ArrayAttr>(kTogetherAttr))
    for (auto record : records.getAsRange<DictionaryAttr>())
      if (textOf(record, "kernel") == kernel.getKernelName())
        return "; " + reasonOf(record).sentence();
  return "";
}

void Explainer::explainKernel(KernelOp kernel) {
  ByteCount moved = kernelBytes(kernel, dims);
  std::string saved;
  if (auto count = separateBytes(kernel, dims).without(moved, dims))
    saved = count->str(names);
  std::string schedule;
  llvm::raw_string_ostream(schedule) << kernel.getScheduleAttr();
  const Prediction &prediction = predicted(kernel);
  std::optional<TensorFacts> facts;
  if (target.gpu)
    facts = TensorFacts{target.aligned, target.divisible};
  auto note =
      remark::passed(kernel.getLoc(), RemarkOpts::name("Kernel")
                                          .category(kKernelCategory)
                                          .function(function.getName()));
  note << remark::add("kernel '{0}' runs {1}", kernel.getKernelName().str(),
                      opsOf(kernel))
       << remark::metric("Kernel", kernel.getKernelName())
       << remark::metric("Lines", linesOf(kernel))
       << remark::metric("BytesMoved", moved.str(names))
       << remark::metric("BytesSaved", saved == "0" ? "" : saved)
       << remark::metric("Schedule", schedule)
       << remark::metric("Predicted", prediction.chosen)
       << remark::metric("RunnerUp", prediction.runnerUp)
       << remark::metric("Decided", explainChoice(kernel, dims, target))
       << remark::reason("{0}{1}{2}", explainSchedule(kernel, dims, facts),
                         explainSharing(kernel, dims, target),
                         whyTogether(kernel));
  if (Reason reason = whyOrdinaryCores(kernel, dims, facts))
    note << remark::metric("Because", reason.name());
}

/// Why a copy of a view is made, which is read by `use`.
static ReasonKind reasonOfCopy(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isa<tensor::CollapseShapeOp>(user))
    return ReasonKind::copyJoined;
  if (isa<func::ReturnOp>(user))
    return ReasonKind::copyReturned;
  auto reader = dyn_cast<KernelOp>(user);
  bool isMultiplied =
      reader &&
      llvm::any_of(
          reader.getBody().getArgument(use.getOperandNumber()).getUsers(),
          llvm::IsaPred<ContractOp>);
  return isMultiplied ? ReasonKind::copyMultiplied : ReasonKind::copyScattered;
}

/// Why a result is copied to where it lies, from what comes by `path`.
static ReasonKind reasonOfResultCopy(const ReshapePath &path) {
  auto kernel = path.root.getDefiningOp<KernelOp>();
  if (!kernel)
    return ReasonKind::copyResultGiven;
  if (!path.isAlone)
    return ReasonKind::copyResultRead;
  unsigned number = cast<OpResult>(path.root).getResultNumber();
  if (kernel.getYield().getValues()[number].getDefiningOp<ScatterOp>())
    return ReasonKind::copyResultScattered;
  auto isSplit = [](Operation *op) {
    auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
    return expand && splitsDims(expand);
  };
  auto isLate = [&](Value size) {
    return size.getDefiningOp() &&
           kernel->isBeforeInBlock(size.getDefiningOp());
  };
  for (Operation *op : path.reshapes)
    if (isSplit(op) &&
        llvm::any_of(cast<tensor::ExpandShapeOp>(op).getOutputShape(), isLate))
      return ReasonKind::copyResultSizes;
  return ReasonKind::copyResultJoined;
}

/// A kernel that only copies a view, or to one.
void Explainer::explainCopy(KernelOp kernel) {
  if (!kernel.getBody().front().without_terminator().empty() ||
      kernel.getInputs().size() != 1 || kernel->use_empty())
    return;
  OpOperand *returned = stridedReturnOf(kernel.getResult(0));
  ReshapePath path = ReshapePath::to(kernel->getOpOperand(0));
  auto argument = dyn_cast<BlockArgument>(path.root);
  StringAttr attribute;
  std::string name;
  if (returned) {
    unsigned number = returned->getOperandNumber();
    attribute = function.getResultAttrOfType<StringAttr>(number, kNameAttr);
    name = llvm::formatv("result {0}", number);
  } else if (argument &&
             strideKind(kernel.getInputs()[0]) != StrideKind::dense) {
    unsigned number = argument.getArgNumber();
    attribute = function.getArgAttrOfType<StringAttr>(number, kNameAttr);
    name = llvm::formatv("argument {0}", number);
  } else {
    return;
  }
  if (attribute)
    name = attribute.str();
  auto note =
      remark::missed(kernel.getLoc(), RemarkOpts::name("Copy")
                                          .category(kCopyCategory)
                                          .function(function.getName()));
  note << remark::add("kernel '{0}' copies '{1}'", kernel.getKernelName().str(),
                      name)
       << remark::metric("Kernel", kernel.getKernelName())
       << remark::metric(returned ? "Result" : "Argument", name)
       << remark::metric("BytesCost", kernelBytes(kernel, dims).str(names));
  because(Reason(returned ? reasonOfResultCopy(path)
                          : reasonOfCopy(*kernel->use_begin()),
                 name),
          note);
}

KernelOp Explainer::kernelCalled(StringRef name) {
  for (KernelOp kernel : function.getOps<KernelOp>())
    if (kernel.getKernelName() == name)
      return kernel;
  return {};
}

/// The kernel that makes `value`, seen through reshapes between kernels.
static KernelOp producerOf(Value value) {
  Operation *op = value.getDefiningOp();
  while (isa_and_present<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return dyn_cast_if_present<KernelOp>(op);
}

/// The inputs of `consumer` that `producer` makes.
static SmallVector<unsigned> edgeInputs(KernelOp producer, KernelOp consumer) {
  SmallVector<unsigned> inputs;
  for (auto [number, input] : llvm::enumerate(consumer.getInputs()))
    if (producerOf(input) == producer)
      inputs.push_back(number);
  return inputs;
}

/// The op that reads the edge first; the consumer if there is none.
static Location placeOfEdge(KernelOp producer, KernelOp consumer) {
  for (unsigned input : edgeInputs(producer, consumer))
    for (Operation &op : consumer.getBody().front())
      if (llvm::is_contained(op.getOperands(),
                             consumer.getBody().getArgument(input)))
        return op.getLoc();
  return consumer.getLoc();
}

/// The value that `value` is a view of.
static Value viewed(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// What `second` reads of that which `first` reads, too.
void Explainer::addReadAgain(KernelOp first, KernelOp second, ByteCount &cost) {
  Footprint footprint(second, dims);
  for (unsigned number = 0; number < second.getInputs().size(); ++number) {
    Value input = second.getInputs()[number];
    bool isReadBefore = llvm::any_of(first.getInputs(), [&](Value other) {
      return viewed(other) == viewed(input);
    });
    if (isReadBefore)
      cost.add(footprint.read(second.getBody().getArgument(number)), input);
  }
}

/// What the edge moves: the value is read, and also written unless others need
/// it in memory anyway. What the producer reads, too, is read a second time.
ByteCount Explainer::costOfEdge(KernelOp producer, KernelOp consumer) {
  Footprint footprint(consumer, dims);
  ByteCount cost;
  for (unsigned input : edgeInputs(producer, consumer)) {
    Value value = consumer.getInputs()[input];
    cost.add(footprint.read(consumer.getBody().getArgument(input)), value);
    if (llvm::all_of(value.getUsers(),
                     [&](Operation *user) { return user == consumer; }))
      cost.add(footprint.whole(value), value);
  }
  addReadAgain(producer, consumer, cost);
  return cost;
}

/// How the consumer is tied to the producer, in words; empty where merges that
/// came later have left nothing of that.
static StringRef relationOf(KernelOp producer, KernelOp consumer) {
  if (!edgeInputs(producer, consumer).empty())
    return "whose result it reads";
  llvm::SetVector<Value> from(consumer.getInputs().begin(),
                              consumer.getInputs().end());
  for (size_t next = 0; next < from.size(); ++next) {
    Operation *op = from[next].getDefiningOp();
    if (op == producer)
      return "from whose result it follows";
    if (op)
      from.insert(op->operand_begin(), op->operand_end());
  }
  bool shares = llvm::any_of(consumer.getInputs(), [&](Value input) {
    return llvm::any_of(producer.getInputs(), [&](Value other) {
      return viewed(other) == viewed(input);
    });
  });
  return shares ? "which reads the same tensors" : "";
}

/// Independent kernels that could have been one launch.
void Explainer::explainApart(DictionaryAttr record) {
  KernelOp kernel = kernelCalled(textOf(record, "kernel"));
  KernelOp neighbour = kernelCalled(textOf(record, "neighbour"));
  if (!kernel || !neighbour)
    return;
  auto note =
      remark::missed(kernel.getLoc(), RemarkOpts::name("NotShared")
                                          .category(kLaunchCategory)
                                          .function(function.getName()));
  ByteCount cost;
  addReadAgain(neighbour, kernel, cost);
  note << remark::add("kernel '{0}' does not share a launch with '{1}'",
                      kernel.getKernelName().str(),
                      neighbour.getKernelName().str())
       << remark::metric("Kernel", kernel.getKernelName())
       << remark::metric("Neighbour", neighbour.getKernelName());
  if (std::string bytes = cost.str(names); bytes != "0")
    note << remark::metric("BytesCost", bytes);
  because(record, note);
}

void Explainer::explainMissed(DictionaryAttr record) {
  auto field = [&](StringRef name) { return textOf(record, name); };
  KernelOp producer = kernelCalled(field("producer"));
  KernelOp consumer = kernelCalled(field("consumer"));
  if (!producer || !consumer)
    return;
  StringRef relation = relationOf(producer, consumer);
  if (relation.empty())
    return;
  std::string cost = costOfEdge(producer, consumer).str(names);
  auto note = remark::missed(placeOfEdge(producer, consumer),
                             RemarkOpts::name("NotFused")
                                 .category(kEdgeCategory)
                                 .function(function.getName()));
  note << remark::add("kernel '{0}' is not fused with '{1}', {2}",
                      field("consumer").str(), field("producer").str(),
                      relation)
       << remark::metric("Producer", field("producer"))
       << remark::metric("Consumer", field("consumer"))
       << remark::metric("BytesCost", cost == "0" ? "" : cost);
  because(record, note);
}

void Explainer::run() {
  for (KernelOp kernel : function.getOps<KernelOp>())
    if (kernel.getScheduleAttr()) {
      explainKernel(kernel);
      explainCopy(kernel);
    }
  if (auto records = function->getAttrOfType<ArrayAttr>(kMissedAttr))
    for (auto record : records.getAsRange<DictionaryAttr>())
      record.contains("neighbour") ? explainApart(record)
                                   : explainMissed(record);
  if (auto records = function->getAttrOfType<ArrayAttr>(kDetachedAttr))
    for (auto record : records.getAsRange<DictionaryAttr>())
      explainMissed(record);
}

namespace {
struct FuseExplain : fuse::impl::FuseExplainBase<FuseExplain> {
  using Base::Base;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (!getContext().getRemarkEngine())
      return;
    llvm::Expected<ScheduleTarget> target =
        ScheduleTarget::of(chip, divisible, strict);
    if (!target) {
      getOperation().emitError() << llvm::toString(target.takeError());
      return signalPassFailure();
    }
    target->aligned = aligned;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal()) {
        DimClasses dims(function);
        auto assumed = readAssumedSizes(function, dims);
        if (failed(assumed))
          return signalPassFailure();
        target->assumed = std::move(*assumed);
        Explainer(function, *target).run();
      }
  }
};
} // namespace
