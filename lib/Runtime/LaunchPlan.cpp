//===- LaunchPlan.cpp - What the sizes of a call decide -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchPlan.h"
#include "FormatError.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace fuse::runtime;

/// Beyond this many sizes the plans are dropped and made anew; a plan is a few
/// hundred bytes and takes microseconds.
static constexpr size_t maxPlans = 1024;

/// Evaluates a size that must not be negative.
static Error evaluateSize(const SizeExpr &expr, StringRef what, StringRef owner,
                          ArrayRef<int64_t> symbols, int64_t &result) {
  Expected<int64_t> value = expr.evaluate(symbols);
  if (!value)
    return formatError("{0} of '{1}': {2}", what, owner,
                       toString(value.takeError()));
  if (*value < 0)
    return formatError("expected the {0} of '{1}' to be at least 0, but got "
                       "{2}; pass larger tensors",
                       what, owner, *value);
  result = *value;
  return Error::success();
}

static Expected<ArenaPlan> planTemps(const ProgramSpec &spec,
                                     ArrayRef<int64_t> symbols) {
  SmallVector<ArenaItem, 8> items;
  for (const TempSpec &temp : spec.temps) {
    int64_t count = 0, bytes = 0;
    if (Error error = evaluateSize(temp.numElements, "element count", temp.name,
                                   symbols, count))
      return std::move(error);
    if (MulOverflow(count, sizeInBytes(temp.dtype), bytes))
      return formatError("expected temp '{0}' to have fewer than 2^63 bytes, "
                         "but got {1} elements; pass smaller tensors",
                         temp.name, count);
    items.push_back({bytes, temp.firstStep, temp.lastStep});
  }
  return planArena(items);
}

/// Where a size is 1 nobody asks for the stride, which may then be anything;
/// the driver wants a multiple of 16 bytes.
static Expected<TensorMapShape>
planMap(const TensorMapSpec &map, StringRef kernel, ArrayRef<int64_t> symbols) {
  constexpr uint64_t unit = 16;
  TensorMapShape shape;
  shape.rank = map.sizes.size();
  shape.elementBytes = sizeInBytes(map.dtype);
  copy(map.box, shape.box.begin());
  for (auto [dim, expr] : enumerate(map.sizes)) {
    int64_t size = 0;
    if (Error error = evaluateSize(expr, "size", kernel, symbols, size))
      return std::move(error);
    if (size > INT32_MAX)
      return formatError("expected dimensions of at most {0} elements for the "
                         "copies of kernel '{1}', which count in 32 bits, but "
                         "got {2}; split the call",
                         INT32_MAX, kernel, size);
    shape.sizes[dim] = size;
  }
  for (auto [number, expr] : enumerate(map.strides)) {
    int64_t stride = 0;
    if (Error error = evaluateSize(expr, "stride", kernel, symbols, stride))
      return std::move(error);
    uint64_t bytes = stride * shape.elementBytes;
    unsigned dim = number + 1;
    shape.strides[dim] = shape.sizes[dim] == 1 ? unit : bytes;
    if (shape.strides[dim] % unit != 0 && !shape.isEmpty())
      return formatError("expected strides of multiples of {0} bytes for the "
                         "copies of kernel '{1}', but got {2}; pass a tensor "
                         "with such rows",
                         unit, kernel, bytes);
  }
  return shape;
}

static Expected<StepPlan> planKernel(const KernelSpec &kernel,
                                     ArrayRef<int64_t> symbols) {
  StepPlan plan;
  if (Error error =
          evaluateSize(kernel.grid, "grid", kernel.name, symbols, plan.grid))
    return std::move(error);
  if (Error error = evaluateSize(kernel.bytesRead, "bytes read", kernel.name,
                                 symbols, plan.bytesRead))
    return std::move(error);
  if (Error error = evaluateSize(kernel.bytesWritten, "bytes written",
                                 kernel.name, symbols, plan.bytesWritten))
    return std::move(error);
  for (const KernelArg &arg : kernel.args) {
    if (const auto *map = std::get_if<TensorMapSpec>(&arg)) {
      Expected<TensorMapShape> shape = planMap(*map, kernel.name, symbols);
      if (!shape)
        return shape.takeError();
      plan.maps.push_back(*shape);
    }
    const auto *expr = std::get_if<SizeExpr>(&arg);
    if (!expr)
      continue;
    Expected<int64_t> value = expr->evaluate(symbols);
    if (!value)
      return value.takeError();
    plan.scalars.push_back(*value);
  }
  return plan;
}

static Expected<StepPlan> planCopy(const CopySpec &copy,
                                   ArrayRef<int64_t> symbols) {
  StepPlan plan;
  if (Error error =
          evaluateSize(copy.bytes, "bytes", "copy", symbols, plan.bytesRead))
    return std::move(error);
  plan.bytesWritten = plan.bytesRead;
  return plan;
}

Expected<LaunchPlan> LaunchPlan::compute(const ProgramSpec &spec,
                                         ArrayRef<int64_t> symbols) {
  LaunchPlan plan;
  Expected<ArenaPlan> arena = planTemps(spec, symbols);
  if (!arena)
    return arena.takeError();
  plan.arena = std::move(*arena);
  for (const StepSpec &step : spec.steps) {
    const auto *kernel = std::get_if<KernelSpec>(&step);
    Expected<StepPlan> stepPlan =
        kernel ? planKernel(*kernel, symbols)
               : planCopy(std::get<CopySpec>(step), symbols);
    if (!stepPlan)
      return stepPlan.takeError();
    plan.steps.push_back(std::move(*stepPlan));
  }
  return plan;
}

Expected<std::shared_ptr<const LaunchPlan>>
LaunchPlanCache::get(ArrayRef<int64_t> symbols) {
  SymbolValues key(symbols);
  std::lock_guard<std::mutex> guard(mutex);
  auto it = plans.find(key);
  if (it != plans.end())
    return it->second;
  Expected<LaunchPlan> plan = LaunchPlan::compute(spec, symbols);
  if (!plan)
    return plan.takeError();
  if (plans.size() >= maxPlans)
    plans.clear();
  auto shared = std::make_shared<const LaunchPlan>(std::move(*plan));
  plans.emplace(std::move(key), shared);
  return shared;
}
