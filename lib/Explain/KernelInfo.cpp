//===- KernelInfo.cpp - What to tell about kernels ------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Explain/KernelInfo.h"
#include "fuse/Analysis/MovedInputs.h"
#include "fuse/Analysis/Reason.h"
#include "fuse/Conversion/Passes.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Fusion/Passes.h"
#include "fuse/Runtime/SizePolynomial.h"

using namespace mlir;
using namespace ::fuse::runtime;
using mlir::fuse::LaunchOp;

namespace fuse::jit {

static KernelOperand describe(const ProgramSpec &spec, const BufferRef &ref) {
  auto ofTensor = [](const TensorSpec &tensor) {
    KernelOperand operand{tensor.name, tensor.dtype, numElements(tensor.shape)};
    // Of the user's tensor, in whatever dimensions the kernel walks it.
    if (!tensor.shape.empty() && tensor.shape.back().isConstant())
      operand.lastDim = tensor.shape.back().constantValue();
    return operand;
  };
  switch (ref.kind) {
  case BufferRef::Kind::Input:
    return ofTensor(spec.inputs[ref.index]);
  case BufferRef::Kind::Output:
    return ofTensor(spec.outputs[ref.index]);
  case BufferRef::Kind::Temp: {
    const TempSpec &temp = spec.temps[ref.index];
    return {temp.name, temp.dtype, temp.numElements};
  }
  case BufferRef::Kind::Constant: {
    const ConstantSpec &constant = spec.constants[ref.index];
    int64_t bytes = constant.bytes.size();
    return {constant.name, constant.dtype, bytes / sizeInBytes(constant.dtype)};
  }
  case BufferRef::Kind::Counter:
    return {"counter", DType::I32, 1};
  case BufferRef::Kind::Scalar:
    break;
  }
  llvm_unreachable("every kind is handled");
}

/// The sizes of the spaces that the kernel's threads walk. A pointwise kernel
/// has one for each distinct shape of a result; the others walk the largest
/// operand, of which the results may be reductions.
static SmallVector<SizeExpr>
iterationSizes(mlir::fuse::ScheduleAttrInterface schedule,
               ArrayRef<KernelOperand> operands) {
  SmallVector<SizeExpr> sizes;
  if (!schedule ||
      isa<mlir::fuse::ContractionScheduleAttr, mlir::fuse::TiledScheduleAttr,
          mlir::fuse::MmaScheduleAttr, mlir::fuse::StreamedScheduleAttr,
          mlir::fuse::StreamedPanelsScheduleAttr>(schedule))
    return sizes;
  bool isPointwise = isa<mlir::fuse::PointwiseScheduleAttr>(schedule);
  bool hasInputs = llvm::any_of(
      operands, [](const KernelOperand &operand) { return !operand.isResult; });
  for (const KernelOperand &operand : operands) {
    bool isPart = llvm::any_of(operands, [&](const KernelOperand &other) {
      return isDivisor(operand.elements, other.elements) &&
             !isSameSize(operand.elements, other.elements);
    });
    // A result that no input has the size of is a reduction, or a part of one.
    bool isWalked = operand.isResult ? !hasInputs : !isPart;
    if (isPointwise ? operand.isResult : isWalked)
      sizes.push_back(operand.elements);
  }
  return sizes;
}

/// Whether an operand is as large as what is walked, by the sizes that they
/// have where all dynamic dims are large.
static bool isAsLarge(const KernelOperand &operand, ArrayRef<SizeExpr> sizes,
                      unsigned numSymbols) {
  constexpr int64_t largeDim = 4096;
  SmallVector<int64_t> symbols(numSymbols, largeDim);
  auto value = [&](const SizeExpr &size) {
    llvm::Expected<int64_t> known = size.evaluate(symbols);
    if (known)
      return *known;
    llvm::consumeError(known.takeError());
    return std::numeric_limits<int64_t>::max();
  };
  int64_t elements = value(operand.elements);
  return !sizes.empty() && llvm::all_of(sizes, [&](const SizeExpr &size) {
    return elements >= value(size);
  });
}

static std::optional<int64_t> staticLastDim(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() == 0 ||
      tensor.isDynamicDim(tensor.getRank() - 1))
    return std::nullopt;
  return tensor.getShape().back();
}

/// The launch whose result the value is, perhaps in another shape; null if
/// there is none.
static OpResult resultOfLaunch(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<LaunchOp>(op))
      return cast<OpResult>(value);
    if (op->getNumOperands() == 0)
      break;
    value = op->getOperand(0);
  }
  return nullptr;
}

/// What a kernel reads that no argument of the program is.
static std::string originOf(Value input) {
  OpResult result = resultOfLaunch(input);
  if (!result)
    return "a constant";
  auto launch = cast<LaunchOp>(result.getOwner());
  auto own = launch->getAttrOfType<StringAttr>(mlir::fuse::kLaunchNameAttr);
  StringRef kernel =
      own ? own.getValue() : launch.getKernel().getLeafReference().getValue();
  std::string origin = "the result of kernel '" + kernel.str() + "'";
  if (launch.getNumResults() > 1)
    origin = "result " + std::to_string(result.getResultNumber()) +
             origin.substr(StringRef("the result").size());
  if (auto place = launch.getLoc()->findInstanceOf<FileLineColLoc>())
    origin += " at line " + std::to_string(place.getLine());
  return origin;
}

static KernelInfo describe(LaunchOp launch, const KernelSpec &kernel,
                           const ProgramSpec &spec) {
  KernelInfo info;
  info.name = kernel.name;
  info.symbol = kernel.symbol;
  if (ArrayAttr ops = launch.getOpsAttr())
    for (StringRef op : ops.getAsValueRange<StringAttr>())
      info.ops.push_back(op.str());
  auto schedule = launch.getScheduleAttr();
  if (schedule) {
    llvm::raw_string_ostream(info.schedule) << schedule;
    info.vector = schedule.getVector();
  }
  info.bytesRead = kernel.bytesRead;
  info.bytesWritten = kernel.bytesWritten;
  info.bytesAtMost = kernel.bytesAtMost;

  unsigned inputs = launch.getInputs().size();
  SmallVector<Type> types(launch.getInputs().getTypes());
  llvm::append_range(types, launch.getResultTypes());
  for (const KernelArg &arg : kernel.args)
    if (const auto *ref = std::get_if<BufferRef>(&arg);
        ref && ref->kind != BufferRef::Kind::Scalar) {
      KernelOperand operand = describe(spec, *ref);
      size_t number = info.operands.size();
      operand.isResult = number >= inputs;
      bool isOfUser = ref->kind == BufferRef::Kind::Input ||
                      ref->kind == BufferRef::Kind::Output;
      if (number < types.size() && !isOfUser) {
        operand.lastDim = staticLastDim(types[number]);
        operand.origin = number < inputs ? originOf(launch.getInputs()[number])
                                         : "its result";
      }
      info.operands.push_back(std::move(operand));
    }
  for (int64_t number : launch.getGathered().value_or(ArrayRef<int64_t>()))
    info.operands[number].isGathered = true;
  auto markMoved = [&](StringRef attribute, bool KernelOperand::*mark) {
    if (auto numbers = launch->getAttrOfType<DenseI64ArrayAttr>(attribute))
      for (int64_t number : numbers.asArrayRef())
        info.operands[number].*mark = true;
  };
  markMoved(mlir::fuse::kTakenAttr, &KernelOperand::isTaken);
  markMoved(mlir::fuse::kShiftedAttr, &KernelOperand::isShifted);
  SmallVector<SizeExpr> sizes = iterationSizes(schedule, info.operands);
  for (KernelOperand &operand : info.operands)
    operand.isStreamed =
        !operand.isGathered &&
        (llvm::any_of(sizes,
                      [&](const SizeExpr &size) {
                        return isSameSize(size, operand.elements);
                      }) ||
         // Rows that are joined or padded.
         (operand.isResult && isAsLarge(operand, sizes, spec.numSymbols())));
  return info;
}

std::vector<KernelInfo> describeKernels(func::FuncOp entry,
                                        const ProgramSpec &spec) {
  // The plan has a kernel for each launch, in order, and copies between them.
  std::vector<KernelInfo> infos;
  auto launches = entry.getOps<LaunchOp>();
  auto launch = launches.begin();
  for (const StepSpec &step : spec.steps)
    if (const auto *kernel = std::get_if<KernelSpec>(&step))
      infos.push_back(describe(*launch++, *kernel, spec));
  return infos;
}

const KernelOperand *accessedOperand(const KernelInfo &kernel,
                                     const mlir::fuse::PTXAccess &access) {
  if (!access.param || *access.param >= kernel.operands.size())
    return nullptr;
  return &kernel.operands[*access.param];
}

bool mayBeStreamed(const KernelInfo &kernel,
                   const mlir::fuse::PTXAccess &access) {
  if (const KernelOperand *operand = accessedOperand(kernel, access))
    return operand->isStreamed;
  bool isStore = access.kind == mlir::fuse::PTXAccess::Kind::Store;
  return llvm::any_of(kernel.operands, [&](const KernelOperand &operand) {
    return operand.isStreamed && (operand.isResult || !isStore);
  });
}

std::vector<MissedFusion> missedFusions(func::FuncOp entry) {
  std::vector<MissedFusion> result;
  auto records = entry->getAttrOfType<ArrayAttr>(mlir::fuse::kMissedAttr);
  if (!records)
    return result;
  for (auto record : records.getAsRange<DictionaryAttr>()) {
    auto field = [&](StringRef name) {
      auto text = record.getAs<StringAttr>(name);
      return text ? text.str() : std::string();
    };
    // Independent kernels have neither.
    if (record.contains("producer"))
      result.push_back(
          {field("producer"), field("consumer"),
           mlir::fuse::Reason::fromAttribute(record.get("reason")).sentence()});
  }
  return result;
}

} // namespace fuse::jit
