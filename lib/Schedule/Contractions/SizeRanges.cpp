//===- SizeRanges.cpp - Schedules that follow the size at a call ----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/SizeRanges.h"

#include "fuse/Analysis/DimNames.h"
#include "fuse/Analysis/MmaSpace.h"
#include "fuse/Analysis/OpCost.h"
#include "fuse/Schedule/Candidates.h"
#include "fuse/Schedule/ComputedSizes.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;
using namespace mlir::fuse;

/// Between the names of dims whose product counts.
static constexpr char productSign = '*';

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

static void addExtent(const Extent &extent, const DimClasses &dims,
                      DynamicSize &size) {
  if (extent.isStatic()) {
    size.factor *= extent.size;
    return;
  }
  for (const SizeRule &rule : dims.rules(extent.cls))
    if (rule.isPlainProduct()) {
      for (const Extent &term : rule.terms)
        if (term.isStatic())
          size.factor *= term.size;
        else
          size.classes.push_back(term.cls);
      return;
    }
  size.classes.push_back(extent.cls);
}

DynamicSize mlir::fuse::dynamicSizeOf(ArrayRef<Extent> extents,
                                      const DimClasses &dims) {
  DynamicSize size;
  for (const Extent &extent : extents)
    addExtent(extent, dims, size);
  llvm::sort(size.classes);
  return size;
}

static std::optional<int64_t> assumedSizeOf(ArrayRef<int> classes,
                                            ArrayRef<AssumedSize> assumed) {
  const auto *found = llvm::find_if(assumed, [&](const AssumedSize &one) {
    return ArrayRef(one.classes) == classes;
  });
  if (found == assumed.end())
    return std::nullopt;
  return found->size;
}

double mlir::fuse::estimatedSize(const DynamicSize &size,
                                 ArrayRef<AssumedSize> assumed) {
  if (size.classes.empty())
    return size.factor;
  if (auto known = assumedSizeOf(size.classes, assumed))
    return size.factor * *known;
  double product = size.factor;
  for (int cls : size.classes)
    product *= assumedSizeOf(cls, assumed).value_or(kAssumedSize);
  return product;
}

/// Of the classes in turn; empty if one has none.
static std::string nameOf(ArrayRef<int> classes,
                          const DenseMap<int, std::string> &names) {
  SmallVector<StringRef> found;
  for (int cls : classes) {
    auto it = names.find(cls);
    if (it == names.end())
      return "";
    found.push_back(it->second);
  }
  return llvm::join(found, StringRef(&productSign, 1));
}

FailureOr<SmallVector<AssumedSize>>
mlir::fuse::readAssumedSizes(func::FuncOp function, const DimClasses &dims) {
  SmallVector<AssumedSize> assumed;
  auto sizes = function->getAttrOfType<DictionaryAttr>(kAssumedSizesAttr);
  if (!sizes)
    return assumed;
  DenseMap<int, std::string> names = nameDims(function, dims);
  for (NamedAttribute entry : sizes) {
    auto size = dyn_cast<IntegerAttr>(entry.getValue());
    AssumedSize one{{}, size ? size.getInt() : 0};
    SmallVector<StringRef> parts;
    entry.getName().strref().split(parts, productSign);
    for (StringRef part : parts)
      for (const auto &[cls, name] : names)
        if (name == part)
          one.classes.push_back(cls);
    if (one.size < 1 || one.classes.size() < parts.size())
      return function.emitError()
             << "expected " << kAssumedSizesAttr
             << " to have names of dynamic dims with sizes above 0, but got "
             << entry.getName() << " = " << entry.getValue()
             << "; name dims as fuse.dims does, or x.0 for the first of x";
    llvm::sort(one.classes);
    assumed.push_back(std::move(one));
  }
  return assumed;
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

namespace {
/// The schedules of all kernels for one size.
using Choice = SmallVector<ScheduleAttrInterface, 2>;

/// Equal kernels that tensor cores run: contractions with all their schedules,
/// or what is streamed.
struct SizedKernel {
  EqualKernels all;
  SmallVector<MmaScheduleAttr> schedules = {};
  std::optional<StreamedSpace> streamed = std::nullopt;

  KernelOp first() const { return all.front(); }
};

class RangeFinder {
public:
  RangeFinder(ArrayRef<EqualKernels> kernels, const DimClasses &dims,
              const ScheduleTarget &target);

  /// By the classes whose product is a contraction's m, n or k.
  const std::map<SmallVector<int, 2>, double> &sizes() const { return found; }

  /// The bounds of the ranges of such a product, whose static factor is
  /// `factor`, and the choices for them.
  std::vector<std::pair<int64_t, Choice>> rangesOf(ArrayRef<int> classes,
                                                   double factor) const;
  ArrayRef<SizedKernel> sized() const { return kernels; }

private:
  void add(ArrayRef<Extent> extents);
  void addContractions(const EqualKernels &all);
  void addStreamed(const EqualKernels &all);
  ScheduleAttrInterface choiceFor(const SizedKernel &one,
                                  ArrayRef<AssumedSize> assumed) const;
  Choice choiceFor(ArrayRef<AssumedSize> assumed) const;
  double secondsOf(const Choice &choice, ArrayRef<AssumedSize> assumed) const;
  bool takeComputed(int64_t size, Choice &choice) const;

  std::vector<SizedKernel> kernels;
  const DimClasses &dims;
  const ScheduleTarget &target;
  std::map<SmallVector<int, 2>, double> found;
};
} // namespace

RangeFinder::RangeFinder(ArrayRef<EqualKernels> some, const DimClasses &dims,
                         const ScheduleTarget &target)
    : dims(dims), target(target) {
  for (const EqualKernels &all : some) {
    if (isa_and_nonnull<StreamedScheduleAttr>(
            KernelOp(all.front()).getScheduleAttr()))
      addStreamed(all);
    else
      addContractions(all);
  }
}

void RangeFinder::add(ArrayRef<Extent> extents) {
  DynamicSize size = dynamicSizeOf(extents, dims);
  if (!size.classes.empty())
    found.try_emplace(size.classes, size.factor);
}

void RangeFinder::addContractions(const EqualKernels &all) {
  KernelOp kernel = all.front();
  SmallVector<MmaScheduleAttr> schedules = mmaSchedulesOf(kernel, dims, target);
  if (schedules.empty())
    return;
  kernels.push_back({all, std::move(schedules)});
  Reason reason;
  FailureOr<MmaSpace> space =
      mmaSpaceOf(kernel, dims, {target.aligned, target.divisible}, reason);
  add(space->extents(space->m, dims));
  add(space->extents(space->k, dims));
  for (const MmaSegment &segment : space->segments)
    add({space->columns(segment, dims)});
}

/// What counts is the number of queries.
void RangeFinder::addStreamed(const EqualKernels &all) {
  KernelOp kernel = all.front();
  Reason reason;
  FailureOr<StreamedSpace> space =
      streamedSpaceOf(kernel, dims, {target.aligned, target.divisible}, reason);
  if (failed(space))
    return;
  Extent rows = space->rowExtent(dims);
  kernels.push_back({all, {}, std::move(*space)});
  add({rows});
}

ScheduleAttrInterface
RangeFinder::choiceFor(const SizedKernel &one,
                       ArrayRef<AssumedSize> assumed) const {
  if (!one.streamed)
    return firstMmaFor(mmaProductOf(one.first(), dims, assumed), one.schedules,
                       *target.gpu);
  ScheduleTarget sized = target;
  sized.assumed.assign(assumed.begin(), assumed.end());
  return proposeStreamed(one.first(), dims, sized);
}

Choice RangeFinder::choiceFor(ArrayRef<AssumedSize> assumed) const {
  return llvm::map_to_vector<2>(
      kernels, [&](const SizedKernel &one) { return choiceFor(one, assumed); });
}

double RangeFinder::secondsOf(const Choice &choice,
                              ArrayRef<AssumedSize> assumed) const {
  double seconds = 0;
  for (auto [one, schedule] : llvm::zip(kernels, choice))
    seconds += static_cast<double>(one.all.size()) *
               (one.streamed
                    ? streamedSeconds(*one.streamed, dims, *target.gpu, assumed,
                                      cast<StreamedScheduleAttr>(schedule))
                    : estimateMma(cast<MmaScheduleAttr>(schedule),
                                  mmaProductOf(one.first(), dims, assumed),
                                  *target.gpu)
                          .seconds);
  return seconds;
}

/// Whether a kernel for this size alone computes its operands; `choice` then
/// has its schedule.
bool RangeFinder::takeComputed(int64_t size, Choice &choice) const {
  bool isComputed = false;
  for (auto [one, schedule] : llvm::zip(kernels, choice)) {
    auto noted = one.first()->getAttrOfType<ArrayAttr>(kComputedSizesAttr);
    if (!noted)
      continue;
    for (auto record : noted.getAsRange<DictionaryAttr>())
      if (record.getAs<IntegerAttr>(kComputedSize).getInt() == size) {
        schedule = record.getAs<ScheduleAttrInterface>(kComputedSchedule);
        isComputed = true;
      }
  }
  return isComputed;
}

std::vector<std::pair<int64_t, Choice>>
RangeFinder::rangesOf(ArrayRef<int> classes, double factor) const {
  std::vector<std::pair<int64_t, Choice>> ranges;
  Choice current = choiceFor({});
  for (int64_t size = kLargestRange; size >= kSmallestRange; size /= 2) {
    auto dynamic = static_cast<int64_t>(size / factor);
    if (dynamic < 1)
      break;
    AssumedSize assumed{SmallVector<int, 2>(classes), dynamic};
    Choice choice = choiceFor(assumed);
    if (takeComputed(dynamic, choice)) {
      if (ranges.empty() || ranges.back().second != choice)
        ranges.push_back({dynamic, std::move(choice)});
      continue;
    }
    // A range that gains less is not worth a program.
    if (secondsOf(choice, assumed) >
        target.gpu->choice.worthwhile * secondsOf(current, assumed))
      continue;
    current = choice;
    ranges.push_back({dynamic, std::move(choice)});
  }
  std::reverse(ranges.begin(), ranges.end());
  return ranges;
}

void mlir::fuse::noteSizeRanges(func::FuncOp function,
                                ArrayRef<EqualKernels> kernels,
                                const DimClasses &dims,
                                const ScheduleTarget &target) {
  function->removeAttr(kSizeRangesAttr);
  RangeFinder finder(kernels, dims, target);
  DenseMap<int, std::string> names = nameDims(function, dims);
  Builder builder(function.getContext());
  SmallVector<NamedAttribute> noted;
  std::vector<SmallVector<NamedAttribute>> ofKernels(finder.sized().size());
  for (const auto &[classes, factor] : finder.sizes()) {
    std::string name = nameOf(classes, names);
    auto ranges = finder.rangesOf(classes, factor);
    if (name.empty() || ranges.empty())
      continue;
    SmallVector<int64_t> bounds;
    for (const auto &[bound, choice] : ranges)
      bounds.push_back(bound);
    noted.push_back(
        builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(bounds)));
    for (size_t i = 0; i < ofKernels.size(); ++i) {
      SmallVector<Attribute> schedules;
      for (const auto &[bound, choice] : ranges)
        schedules.push_back(choice[i]);
      ofKernels[i].push_back(
          builder.getNamedAttr(name, builder.getArrayAttr(schedules)));
    }
  }
  if (noted.empty())
    return;
  function->setAttr(kSizeRangesAttr, builder.getDictionaryAttr(noted));
  for (auto [one, schedules] : llvm::zip(finder.sized(), ofKernels))
    for (KernelOp kernel : one.all)
      kernel->setAttr(kSizedSchedulesAttr,
                      builder.getDictionaryAttr(schedules));
}
