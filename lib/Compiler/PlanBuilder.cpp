//===- PlanBuilder.cpp - A lowered program's plan for the runtime ---------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Compiler/PlanBuilder.h"
#include "ConstantBytes.h"
#include "HostValues.h"
#include "LaunchReads.h"
#include "LaunchTraffic.h"
#include "PlanRanges.h"
#include "fuse/Compiler/Frontend.h"
#include "fuse/Conversion/Passes.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Explain/Diagnostics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>
#include <set>

using llvm::Expected;
using llvm::formatv;
using namespace mlir;
using namespace ::fuse::runtime;
using mlir::fuse::LaunchOp;
using mlir::fuse::RequireOp;

using mlir::fuse::kBriefBytesAttr;
using mlir::fuse::kFewBytesAttr;
using mlir::fuse::kInPlaceAttr;
using mlir::fuse::kLengthsAttr;
using mlir::fuse::kNameAttr;
using mlir::fuse::kSmallBytesAttr;
using mlir::fuse::kStddevAttr;
using mlir::fuse::kStridedAttr;

namespace fuse::jit {

DType toDType(Type elementType) {
  std::string text;
  llvm::raw_string_ostream(text) << elementType;
  std::optional<DType> dtype = parseDType(text);
  assert(dtype && "the entry's types have been checked");
  return *dtype;
}

namespace {

/// Memory that holds the value of one or more tensors.
struct Storage {
  /// Where it lies; a launch result has none until all uses are known.
  std::optional<BufferRef> ref;
  DType dtype = DType::F32;
  ShapeExpr shape;
  /// Steps that write and last read it; for launch results.
  unsigned firstStep = 0;
  unsigned lastStep = 0;

  SizeExpr bytes() const {
    ShapeExpr factors = shape;
    factors.push_back(sizeInBytes(dtype));
    return numElements(factors);
  }
};

/// A launch and what comes right before it.
struct LaunchSteps {
  LaunchOp op;
  /// Pairs [result, input] whose buffers differ: each is a copy.
  SmallVector<std::pair<unsigned, unsigned>, 1> copies;
  /// Number of the first copy, or of the kernel if there is none.
  unsigned firstStep;

  unsigned kernelStep() const { return firstStep + copies.size(); }
};

class PlanBuilder {
public:
  explicit PlanBuilder(func::FuncOp entry) : entry(entry), values(entry) {}

  Expected<Plan> build();

private:
  void addInputs();
  llvm::Error visit(Operation *op);
  llvm::Error visitConstant(Operation *op, ElementsAttr value);
  llvm::Error visitRequire(RequireOp op);
  llvm::Error visitLaunch(LaunchOp op);
  llvm::Error addResults(LaunchSteps &launch);
  void addOutputs(func::ReturnOp op);
  void addTemps();
  llvm::Error checkKernelName(LaunchOp op);
  llvm::Error addSteps(const LaunchSteps &launch);
  llvm::Error countBytes(LaunchOp op, KernelSpec &kernel);
  llvm::Error addKernel(LaunchOp op);
  llvm::Error addMaps(LaunchOp op, KernelSpec &kernel);
  void addInnermost(mlir::ValueRange tensors);
  llvm::Error addCopy(Value from, BufferRef to);
  llvm::Error addCopies(func::ReturnOp op);
  void allowAliases(const LaunchSteps &launch);
  void readStddev();
  llvm::Error resolveInPlace();

  unsigned addStorage(Value tensor, std::optional<BufferRef> ref);
  Storage &storage(Value tensor) { return storages[storageOf.lookup(tensor)]; }
  /// The index of the program's input that `tensor` is a view of.
  std::optional<unsigned> inputOf(Value tensor) const;

  func::FuncOp entry;
  HostValues values;
  std::vector<Storage> storages;
  llvm::DenseMap<Value, unsigned> storageOf;
  std::vector<LaunchSteps> launches;
  /// Number of the next step of the plan.
  unsigned nextStep = 0;
  Plan plan;
};

} // namespace

unsigned PlanBuilder::addStorage(Value tensor, std::optional<BufferRef> ref) {
  Storage result;
  result.ref = ref;
  result.dtype =
      toDType(cast<RankedTensorType>(tensor.getType()).getElementType());
  result.shape = values.shape(tensor);
  result.firstStep = result.lastStep = nextStep;
  storages.push_back(std::move(result));
  storageOf[tensor] = storages.size() - 1;
  return storages.size() - 1;
}

void PlanBuilder::addInputs() {
  for (BlockArgument argument : entry.getArguments()) {
    unsigned index = argument.getArgNumber();
    addStorage(argument, BufferRef::input(index));
    TensorSpec input;
    input.name = entry.getArgAttrOfType<StringAttr>(index, kNameAttr).str();
    input.dtype = storage(argument).dtype;
    input.shape = values.shape(argument);
    input.requiredAlignment = sizeInBytes(input.dtype);
    input.isScalar =
        static_cast<bool>(entry.getArgAttr(index, mlir::fuse::kScalarAttr));
    if (auto kind = entry.getArgAttrOfType<StringAttr>(index, kStridedAttr))
      input.layout = parseLayout(kind.getValue()).value_or(Layout::Any);
    plan.spec.inputs.push_back(std::move(input));
  }
}

llvm::Error PlanBuilder::visitConstant(Operation *op, ElementsAttr value) {
  Expected<std::vector<uint8_t>> bytes = constantBytes(value, op->getLoc());
  if (!bytes)
    return bytes.takeError();
  Value result = op->getResult(0);
  if (llvm::Error error = values.setShape(result, {}))
    return error;
  unsigned index = plan.spec.constants.size();
  addStorage(result, BufferRef::constant(index));
  plan.spec.constants.push_back({formatv("constant{0}", index),
                                 storage(result).dtype, std::move(*bytes)});
  return llvm::Error::success();
}

llvm::Error PlanBuilder::visitRequire(RequireOp op) {
  Expected<SizeExpr> lhs = values.size(op.getLhs());
  if (!lhs)
    return lhs.takeError();
  Expected<SizeExpr> rhs = values.size(op.getRhs());
  if (!rhs)
    return rhs.takeError();
  bool isEqual = op.getPredicate() == mlir::fuse::RequirePredicate::eq;
  plan.spec.checks.push_back(
      {*lhs, isEqual ? CheckSpec::Kind::Equal : CheckSpec::Kind::AtLeast, *rhs,
       op.getMessage().str()});
  return llvm::Error::success();
}

llvm::Error PlanBuilder::visitLaunch(LaunchOp op) {
  LaunchSteps launch{op, {}, nextStep};
  for (auto [result, input] : LaunchOp::getPairs(op.getCopiesAttr())) {
    // A value that ends here becomes the result.
    const Storage &from = storage(op.getInputs()[input]);
    if (!from.ref && !isReadBesides(op, input))
      storageOf[op.getResult(result)] = storageOf.lookup(op.getInputs()[input]);
    else
      launch.copies.emplace_back(result, input);
  }
  for (Value input : op.getInputs())
    storage(input).lastStep = launch.kernelStep();
  if (llvm::Error error = addResults(launch))
    return error;
  nextStep = launch.kernelStep() + 1;
  launches.push_back(std::move(launch));
  return llvm::Error::success();
}

llvm::Error PlanBuilder::addResults(LaunchSteps &launch) {
  LaunchOp op = launch.op;
  ValueRange dynamicSizes = op.getResultDims();
  for (Value result : op.getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    size_t count = type.getNumDynamicDims();
    if (count > dynamicSizes.size())
      return makeError(op.getLoc(),
                       "expected result_dims to give every '?' of the results "
                       "a size, but got fewer; report this program");
    if (llvm::Error error =
            values.setShape(result, dynamicSizes.take_front(count)))
      return error;
    dynamicSizes = dynamicSizes.drop_front(count);
    if (!storageOf.contains(result))
      addStorage(result, std::nullopt);
    storage(result).lastStep = launch.kernelStep();
  }
  return llvm::Error::success();
}

llvm::Error PlanBuilder::visit(Operation *op) {
  if (auto launch = dyn_cast<LaunchOp>(op))
    return visitLaunch(launch);
  if (auto require = dyn_cast<RequireOp>(op))
    return visitRequire(require);
  if (isReshape(op)) {
    storageOf[op->getResult(0)] = storageOf.lookup(op->getOperand(0));
    return values.visitReshape(op);
  }
  if (auto constant = dyn_cast<mlir::fuse::ConstantOp>(op))
    return visitConstant(op, constant.getValue());
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto elements = dyn_cast<ElementsAttr>(constant.getValue());
    return elements ? visitConstant(op, elements) : llvm::Error::success();
  }
  if (isa<func::ReturnOp, mlir::fuse::ScalarOp, tensor::EmptyOp>(op))
    return llvm::Error::success();
  Expected<bool> isIndexOp = values.visitIndexOp(op);
  if (!isIndexOp)
    return isIndexOp.takeError();
  if (*isIndexOp)
    return llvm::Error::success();
  return makeError(op->getLoc(),
                   formatv("expected launches, reshapes and size arithmetic "
                           "after lowering, but got '{0}'; report this program",
                           op->getName().getStringRef()));
}

/// A launch result that is returned is written where the caller wants it; the
/// first output gets it if it is returned twice.
void PlanBuilder::addOutputs(func::ReturnOp op) {
  for (auto [index, value] : llvm::enumerate(op.getOperands())) {
    OutputSpec output;
    output.name = entry.getResultAttrOfType<StringAttr>(index, kNameAttr).str();
    output.dtype = storage(value).dtype;
    output.shape = values.shape(value);
    output.requiredAlignment = sizeInBytes(output.dtype);
    if (auto kind = entry.getResultAttrOfType<StringAttr>(index, kStridedAttr))
      output.layout = parseLayout(kind.getValue()).value_or(Layout::Any);
    plan.spec.outputs.push_back(std::move(output));
    if (!storage(value).ref)
      storage(value).ref = BufferRef::output(index);
  }
}

void PlanBuilder::addTemps() {
  for (Storage &storage : storages) {
    if (storage.ref)
      continue;
    unsigned index = plan.spec.temps.size();
    storage.ref = BufferRef::temp(index);
    plan.spec.temps.push_back({formatv("temp{0}", index), storage.dtype,
                               numElements(storage.shape), storage.firstStep,
                               storage.lastStep});
  }
}

/// All kernels go into one module, by their own names.
llvm::Error PlanBuilder::checkKernelName(LaunchOp op) {
  for (const LaunchSteps &other : launches)
    if (LaunchOp(other.op).getKernel() != op.getKernel() &&
        LaunchOp(other.op).getKernel().getLeafReference() ==
            op.getKernel().getLeafReference())
      return makeError(op.getLoc(),
                       formatv("expected kernels of distinct names, but got "
                               "'{0}' twice; rename one fuse.kernel",
                               op.getKernel().getLeafReference().getValue()));
  return llvm::Error::success();
}

llvm::Error PlanBuilder::addCopy(Value from, BufferRef to) {
  const Storage &source = storage(from);
  if (source.ref->kind == BufferRef::Kind::Input) {
    const TensorSpec &input = plan.spec.inputs[source.ref->index];
    if (input.isScalar)
      return makeError(from.getLoc(),
                       formatv("expected tensors as results, but got '{0}', "
                               "which is passed by value; return what is "
                               "computed of it",
                               input.name));
    if (input.layout != Layout::Dense)
      return makeError(
          from.getLoc(),
          formatv("expected '{0}' to be contiguous, because the program "
                  "returns it or a changed copy of it, but got a strided view; "
                  "make a contiguous copy",
                  input.name));
  }
  plan.spec.steps.push_back(CopySpec{*source.ref, to, source.bytes()});
  return llvm::Error::success();
}

llvm::Error PlanBuilder::addSteps(const LaunchSteps &launch) {
  LaunchOp op = launch.op;
  if (llvm::Error error = checkKernelName(op))
    return error;
  for (auto [result, input] : launch.copies)
    if (llvm::Error error =
            addCopy(op.getInputs()[input], *storage(op.getResult(result)).ref))
      return error;
  return addKernel(op);
}

/// Adds to a sum that starts with 0, which is not kept as a term.
static void add(SizeExpr &sum, const SizeExpr &term) {
  bool isFirst = sum.isConstant() && sum.constantValue() == 0;
  sum = isFirst ? term : sum + term;
}

llvm::Error PlanBuilder::addMaps(LaunchOp op, KernelSpec &kernel) {
  ArrayAttr maps = op.getTensorMapsAttr();
  if (!maps)
    return llvm::Error::success();
  ValueRange values = op.getMapDims();
  auto take = [&](size_t count, SmallVectorImpl<SizeExpr> &to) -> llvm::Error {
    for (Value value : values.take_front(count)) {
      Expected<SizeExpr> expr = this->values.size(value);
      if (!expr)
        return expr.takeError();
      to.push_back(*expr);
    }
    values = values.drop_front(count);
    return llvm::Error::success();
  };
  for (auto map : maps.getAsRange<mlir::fuse::TensorMapAttr>()) {
    unsigned number = map.getOperand(), inputs = op.getInputs().size();
    Value tensor = number < inputs ? op.getInputs()[number]
                                   : Value(op.getResult(number - inputs));
    TensorMapSpec spec;
    spec.buffer = *storage(tensor).ref;
    spec.dtype = storage(tensor).dtype;
    spec.box.assign(map.getBox().begin(), map.getBox().end());
    if (llvm::Error error = take(spec.box.size(), spec.sizes))
      return error;
    if (llvm::Error error = take(spec.box.size() - 1, spec.strides))
      return error;
    kernel.args.push_back(std::move(spec));
  }
  return llvm::Error::success();
}

llvm::Error PlanBuilder::countBytes(LaunchOp op, KernelSpec &kernel) {
  Expected<LaunchTraffic> traffic = LaunchTraffic::of(op, values);
  if (!traffic)
    return traffic.takeError();
  auto bytesOf = [&](Value tensor, unsigned pointer) {
    const Storage &all = storage(tensor);
    std::optional<SizeExpr> elements = traffic->elements(pointer);
    kernel.bytesAtMost |= traffic->isBound(pointer);
    return elements ? numElements({*elements, sizeInBytes(all.dtype)})
                    : all.bytes();
  };
  // Inputs that are views of one buffer may read the same of it.
  llvm::MapVector<Storage *, SizeExpr> read;
  for (auto [number, input] : llvm::enumerate(op.getInputs())) {
    if (!readsOperand(op, number))
      continue;
    SizeExpr bytes = bytesOf(input, number);
    auto [other, isNew] = read.insert({&storage(input), bytes});
    if (isNew)
      continue;
    SizeExpr whole = storage(input).bytes();
    bool isAll = isSameSize(other->second, whole) || isSameSize(bytes, whole);
    kernel.bytesAtMost |= !isAll;
    other->second = isAll ? whole : min(whole, other->second + bytes);
  }
  for (const auto &[buffer, bytes] : read)
    add(kernel.bytesRead, bytes);
  for (auto [number, result] : llvm::enumerate(op.getResults()))
    // What the blocks of one launch leave for each other stays near them.
    if (!op.getCooperative() || !result.use_empty())
      add(kernel.bytesWritten, bytesOf(result, op.getInputs().size() + number));
  return llvm::Error::success();
}

llvm::Error PlanBuilder::addKernel(LaunchOp op) {
  KernelSpec kernel;
  kernel.symbol = op.getKernel().getLeafReference().str();
  auto name = op->getAttrOfType<StringAttr>(mlir::fuse::kLaunchNameAttr);
  kernel.name = name ? name.str() : kernel.symbol;
  kernel.source = str(op.getLoc());
  Expected<SizeExpr> grid = values.size(op.getBlocks());
  if (!grid)
    return grid.takeError();
  kernel.grid = *grid;
  kernel.threads = op.getThreads();
  kernel.sharedBytes = op.getSharedBytes().value_or(0);
  kernel.cluster = op.getCluster().value_or(1);
  kernel.waits = waitsItself(op);
  if (llvm::Error error = countBytes(op, kernel))
    return error;
  for (Value input : op.getInputs())
    kernel.args.push_back(*storage(input).ref);
  kernel.numInputs = op.getInputs().size();
  for (auto [result, input] : LaunchOp::getPairs(op.getCopiesAttr()))
    kernel.partialResults.push_back(result);
  for (Value result : op.getResults())
    kernel.args.push_back(*storage(result).ref);
  if (op.getCooperative()) {
    kernel.cooperative = true;
    // Nobody else needs what blocks leave for each other.
    for (OpResult result : op->getOpResults())
      if (result.use_empty())
        kernel.scratchResults.push_back(result.getResultNumber());
    kernel.args.push_back(BufferRef::counter(plan.spec.numCounters++));
  }
  for (Value size : op.getSizes()) {
    if (auto scalar = size.getDefiningOp<mlir::fuse::ScalarOp>()) {
      kernel.args.push_back(BufferRef::scalar(*inputOf(scalar.getInput())));
      continue;
    }
    Expected<SizeExpr> expr = values.size(size);
    if (!expr)
      return expr.takeError();
    kernel.args.push_back(*expr);
  }
  if (llvm::Error error = addMaps(op, kernel))
    return error;
  addInnermost(op.getInputs());
  addInnermost(op.getResults());
  if (ArrayAttr ops = op.getOpsAttr())
    kernel.ops =
        llvm::join(llvm::map_range(ops.getAsValueRange<StringAttr>(),
                                   [](StringRef name) { return name.str(); }),
                   ", ");
  plan.spec.steps.push_back(std::move(kernel));
  return llvm::Error::success();
}

/// Values between kernels have shapes that no argument has, such as the scores
/// of an attention. A reshaped one counts in all its shapes: the kernels of
/// another variant, where a view keeps dimensions apart, may walk any of them.
void PlanBuilder::addInnermost(mlir::ValueRange tensors) {
  for (Value tensor : tensors)
    while (true) {
      const ShapeExpr &shape = values.shape(tensor);
      if (!shape.empty() && !shape.back().isConstant())
        plan.spec.innermost.push_back({shape.back(), storage(tensor).dtype});
      Operation *op = tensor.getDefiningOp();
      if (!op || !isReshape(op))
        break;
      tensor = op->getOperand(0);
    }
}

/// Outputs that are another buffer's value are copied at the end.
llvm::Error PlanBuilder::addCopies(func::ReturnOp op) {
  for (auto [index, value] : llvm::enumerate(op.getOperands())) {
    BufferRef ref = *storage(value).ref;
    bool isInPlace = ref.kind == BufferRef::Kind::Output && ref.index == index;
    if (isInPlace)
      continue;
    if (llvm::Error error = addCopy(value, BufferRef::output(index)))
      return error;
  }
  return llvm::Error::success();
}

std::optional<unsigned> PlanBuilder::inputOf(Value tensor) const {
  const Storage &source = storages[storageOf.lookup(tensor)];
  if (!source.ref || source.ref->kind != BufferRef::Kind::Input)
    return std::nullopt;
  return source.ref->index;
}

/// A result may be written over an input of the program if every operand of the
/// launch that reads the input allows it, and nothing reads the input later.
void PlanBuilder::allowAliases(const LaunchSteps &launch) {
  LaunchOp op = launch.op;
  DenseMap<unsigned, unsigned> readers;
  for (Value operand : op.getInputs())
    if (std::optional<unsigned> input = inputOf(operand))
      ++readers[*input];
  std::set<std::pair<unsigned, unsigned>> proven;
  for (ArrayAttr pairs : {op.getInPlaceAttr(), op.getCopiesAttr()})
    for (auto pair : LaunchOp::getPairs(pairs))
      proven.insert(pair);
  // Of each result and input: the operands that allow it.
  std::map<std::pair<unsigned, unsigned>, unsigned> allowed;
  for (auto [result, operand] : proven)
    if (std::optional<unsigned> input = inputOf(op.getInputs()[operand]))
      ++allowed[{result, *input}];
  for (auto [place, operands] : allowed) {
    auto [result, input] = place;
    const BufferRef &target = *storage(op.getResult(result)).ref;
    if (target.kind == BufferRef::Kind::Output && operands == readers[input] &&
        storages[input].lastStep == launch.kernelStep())
      plan.spec.outputs[target.index].mayAlias.push_back(input);
  }
}

void PlanBuilder::readStddev() {
  for (unsigned index = 0; index < entry.getNumArguments(); ++index) {
    auto stddev = entry.getArgAttrOfType<FloatAttr>(index, kStddevAttr);
    plan.stddev.push_back(stddev ? stddev.getValueAsDouble() : 1.0);
  }
}

llvm::Error PlanBuilder::resolveInPlace() {
  for (unsigned index = 0; index < plan.spec.outputs.size(); ++index) {
    plan.inPlace.push_back(std::nullopt);
    auto wanted = entry.getResultAttrOfType<StringAttr>(index, kInPlaceAttr);
    if (!wanted)
      continue;
    const OutputSpec &output = plan.spec.outputs[index];
    for (unsigned input : output.mayAlias)
      if (plan.spec.inputs[input].name == wanted.getValue())
        plan.inPlace.back() = input;
    if (!plan.inPlace.back())
      return makeError(
          entry.getLoc(),
          formatv("expected result '{0}' to be safe in the buffer of '{1}', "
                  "but an element would be overwritten before its last use, "
                  "or there is no such input; remove {2} or return a result "
                  "that one kernel computes elementwise from '{1}'",
                  output.name, wanted.getValue(), kInPlaceAttr));
  }
  return llvm::Error::success();
}

Expected<Plan> PlanBuilder::build() {
  plan.spec.name = entry.getName().str();
  if (auto bytes = entry->getAttrOfType<IntegerAttr>(kSmallBytesAttr))
    plan.spec.smallBytes = bytes.getInt();
  if (auto bytes = entry->getAttrOfType<IntegerAttr>(kBriefBytesAttr))
    plan.spec.briefBytes = bytes.getInt();
  if (auto bytes = entry->getAttrOfType<IntegerAttr>(kFewBytesAttr))
    plan.spec.fewBytes = bytes.getInt();
  plan.spec.symbols = values.symbols();
  if (auto names = entry->getAttrOfType<ArrayAttr>(kLengthsAttr))
    for (auto [number, symbol] : llvm::enumerate(plan.spec.symbols))
      if (llvm::is_contained(names.getAsValueRange<StringAttr>(), symbol))
        plan.spec.lengths.push_back(number);
  plan.spec.ranges = readSizeRanges(entry, plan.spec.symbols);
  addInputs();
  Block &body = entry.getBody().front();
  for (Operation &op : body)
    if (llvm::Error error = visit(&op))
      return std::move(error);
  plan.spec.strides = values.strides();
  auto terminator = cast<func::ReturnOp>(body.getTerminator());
  addOutputs(terminator);
  // A returned input is read by the copy at the end.
  for (Value value : terminator.getOperands())
    storage(value).lastStep = nextStep;
  addTemps();
  for (const LaunchSteps &launch : launches)
    if (llvm::Error error = addSteps(launch))
      return std::move(error);
  if (llvm::Error error = addCopies(terminator))
    return std::move(error);
  for (const LaunchSteps &launch : launches)
    allowAliases(launch);
  readStddev();
  if (llvm::Error error = resolveInPlace())
    return std::move(error);
  if (llvm::Error error = plan.spec.verify())
    return std::move(error);
  return std::move(plan);
}

Expected<Plan> buildPlan(func::FuncOp entry) {
  return PlanBuilder(entry).build();
}

} // namespace fuse::jit
