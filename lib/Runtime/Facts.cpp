//===- Facts.cpp - What a compiled variant may assume ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/Facts.h"
#include "fuse/Runtime/Arguments.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace fuse::runtime;

static constexpr int64_t vectorBytes = 16;

std::string Facts::str() const {
  SmallVector<std::string, 4> names;
  if (aligned16)
    names.push_back("aligned16");
  if (divisible)
    names.push_back("divisible");
  if (index32)
    names.push_back("index32");
  if (separate)
    names.push_back("separate");
  if (callSize != CallSize::large)
    names.push_back(name(callSize).str());
  if (!layouts.empty())
    names.push_back(
        "layouts: " +
        join(map_range(layouts,
                       [](Layout each) { return runtime::name(each).str(); }),
             " "));
  if (!copied.empty())
    names.push_back("copied: " + join(map_range(copied,
                                                [](unsigned input) {
                                                  return std::to_string(input);
                                                }),
                                      " "));
  if (!sizes.empty())
    names.push_back("sizes: " + join(sizes, " "));
  return names.empty() ? "none" : join(names, ", ");
}

/// A remainder survives multiplication by the element size without overflow.
static bool isWholeVectors(int64_t elements, DType dtype) {
  return elements % vectorBytes * sizeInBytes(dtype) % vectorBytes == 0;
}

/// Narrows `facts` by what the shape of one tensor says; its bytes.
static Expected<uint64_t> narrowByShape(const ProgramSpec &spec,
                                        const TensorSpec &tensor,
                                        ArrayRef<int64_t> symbols,
                                        Facts &facts) {
  Expected<Shape> shape = evaluateShape(spec, tensor, symbols);
  if (!shape)
    return shape.takeError();
  Expected<int64_t> count = numElements(*shape);
  if (!count)
    return count.takeError();
  facts.index32 &= *count <= maxIndex32Elements;
  if (!shape->empty() && !tensor.shape.back().isConstant())
    facts.divisible &= isWholeVectors(shape->back(), tensor.dtype);
  return SaturatingMultiply<uint64_t>(*count, sizeInBytes(tensor.dtype));
}

static bool isAligned(const TensorView &view) {
  return reinterpret_cast<uintptr_t>(view.data) % vectorBytes == 0;
}

/// Whether code for the tensor's layout relies on where the first element lies:
/// not if it is the only one, nor if rows may start anywhere.
static bool reliesOnAlignment(const TensorSpec &spec, const TensorView &view) {
  Layout layout = spec.layout == Layout::Dense ? view.layout() : spec.layout;
  return !spec.isScalar && !view.shape.empty() &&
         (layout == Layout::Dense || layout == Layout::AlignedRows);
}

namespace {
/// What the addresses of a call's tensors say.
struct Alignment {
  /// Facts::aligned16.
  bool all = true;
  /// Inputs that count as rows that may start anywhere, so that the others are
  /// aligned.
  BitVector loose;
};
} // namespace

/// One unaligned input would make all accesses narrow, and leave contractions
/// to the ordinary cores. So only its own are, where its layout is not the same
/// in all calls and the outputs are aligned.
static Alignment alignmentOf(const ProgramSpec &spec,
                             ArrayRef<TensorView> inputs,
                             ArrayRef<TensorView> outputs) {
  Alignment found{true, BitVector(inputs.size())};
  bool canLoosen = all_of(outputs, isAligned), isAnyAligned = false;
  for (auto [number, input, view] : enumerate(spec.inputs, inputs)) {
    if (!reliesOnAlignment(input, view))
      continue;
    if (isAligned(view)) {
      isAnyAligned = true;
      continue;
    }
    found.loose.set(number);
    canLoosen &= input.layout == Layout::Dense;
  }
  if (found.loose.any() && !(canLoosen && isAnyAligned)) {
    found.loose.reset();
    found.all = false;
  } else {
    found.all = all_of(outputs, isAligned);
  }
  return found;
}

/// Whether each dim that the program joins with the one behind it walks on
/// where that one ends. With one place there is nothing to walk.
static bool canJoin(const TensorSpec &input, const TensorView &view) {
  Shape strides = view.effectiveStrides();
  // Whether all dims that are joined with this one have one place so far.
  bool isOne = true;
  std::optional<unsigned> last;
  for (unsigned dim : input.joined) {
    bool goesOn = last && *last + 1 == dim;
    last = dim;
    isOne = (isOne || !goesOn) && view.shape[dim] == 1;
    int64_t wanted;
    if (!isOne && (MulOverflow(strides[dim + 1], view.shape[dim + 1], wanted) ||
                   strides[dim] != wanted))
      return false;
  }
  return true;
}

/// Adds what the strides of a tensor say. The rows of a loose one may start
/// anywhere.
static void addLayout(const TensorSpec &spec, const TensorView &view,
                      bool isLoose, Facts &facts) {
  unsigned number = facts.layouts.size();
  facts.index32 &= cantFail(view.span()) <= maxIndex32Elements;
  bool isFixed = spec.layout != Layout::Dense;
  facts.layouts.push_back(isFixed   ? Layout::Dense
                          : isLoose ? Layout::Rows
                                    : view.layout());
  if (!isFixed && !canJoin(spec, view))
    facts.copied.push_back(number);
}

/// Adds what the strides of all tensors say. The outputs have been checked if
/// one of them has gaps.
static void addLayouts(const ProgramSpec &spec, ArrayRef<TensorView> inputs,
                       ArrayRef<TensorView> outputs, const BitVector &loose,
                       bool haveGaps, Facts &facts) {
  auto isDense = [](const TensorView &view) { return view.isContiguous(); };
  if (!haveGaps && loose.none() && all_of(inputs, isDense))
    return;
  for (auto [number, input, view] : enumerate(spec.inputs, inputs))
    addLayout(input, view, loose[number], facts);
  if (haveGaps)
    for (auto [output, view] : zip_equal(spec.outputs, outputs))
      addLayout(output, view, /*isLoose=*/false, facts);
  if (all_of(facts.layouts,
             [](Layout layout) { return layout == Layout::Dense; }))
    facts.layouts.clear();
}

/// Adds the ranges that the sizes are in.
static void addSizes(const ProgramSpec &spec, ArrayRef<int64_t> symbols,
                     Facts &facts) {
  for (const SizeRanges &ranges : spec.ranges) {
    uint64_t size = 1;
    for (unsigned symbol : ranges.symbols)
      size = SaturatingMultiply<uint64_t>(size, symbols[symbol]);
    auto isBelow = [&](int64_t bound) { return uint64_t(bound) < size; };
    const auto *bound = partition_point(ranges.bounds, isBelow);
    if (bound == ranges.bounds.end())
      continue;
    std::string name;
    for (unsigned symbol : ranges.symbols)
      name += (name.empty() ? "" : "*") + spec.symbols[symbol];
    facts.sizes.push_back(name + "=" + std::to_string(*bound));
  }
}

/// Tensors without elements may all be at the null pointer.
static bool isSeparate(ArrayRef<TensorView> inputs,
                       ArrayRef<TensorView> outputs) {
  return none_of(outputs, [&](const TensorView &output) {
    return any_of(inputs, [&](const TensorView &input) {
      return output.data && input.data == output.data;
    });
  });
}

static Error narrowByInner(const ProgramSpec &spec, ArrayRef<int64_t> symbols,
                           Facts &facts) {
  for (const InnermostSpec &inner : spec.innermost) {
    Expected<int64_t> size = inner.size.evaluate(symbols);
    if (!size)
      return size.takeError();
    facts.divisible &= isWholeVectors(*size, inner.dtype);
  }
  for (const TempSpec &temp : spec.temps) {
    Expected<int64_t> count = temp.numElements.evaluate(symbols);
    if (!count)
      return count.takeError();
    facts.index32 &= *count <= maxIndex32Elements;
  }
  return Error::success();
}

Expected<Facts> fuse::runtime::computeFacts(const ProgramSpec &spec,
                                            ArrayRef<TensorView> inputs,
                                            ArrayRef<TensorView> outputs) {
  Expected<SymbolValues> symbols = bindSymbols(spec, inputs, outputs);
  if (!symbols)
    return symbols.takeError();
  Alignment alignment = alignmentOf(spec, inputs, outputs);
  Facts facts{alignment.all, true, true, isSeparate(inputs, outputs), {}};
  bool haveGaps = any_of(
      outputs, [](const TensorView &view) { return !view.isContiguous(); });
  if (haveGaps)
    if (Error error = checkOutputs(spec, outputs, *symbols))
      return std::move(error);
  addLayouts(spec, inputs, outputs, alignment.loose, haveGaps, facts);
  addSizes(spec, *symbols, facts);
  uint64_t bytes = 0;
  auto narrow = [&](const TensorSpec &tensor) -> Error {
    Expected<uint64_t> more = narrowByShape(spec, tensor, *symbols, facts);
    if (!more)
      return more.takeError();
    bytes = SaturatingAdd(bytes, *more);
    return Error::success();
  };
  for (const TensorSpec &input : spec.inputs)
    if (Error error = narrow(input))
      return std::move(error);
  for (const OutputSpec &output : spec.outputs)
    if (Error error = narrow(output))
      return std::move(error);
  for (auto [size, bound] : {std::pair(CallSize::small, spec.smallBytes),
                             {CallSize::brief, spec.briefBytes},
                             {CallSize::few, spec.fewBytes}})
    if (bound > 0 && bytes <= uint64_t(bound))
      facts.callSize = size;
  if (Error error = narrowByInner(spec, *symbols, facts))
    return std::move(error);
  return facts;
}

Error fuse::runtime::narrowByTemporaries(const ProgramSpec &spec,
                                         ArrayRef<TensorView> inputs,
                                         ArrayRef<TensorView> outputs,
                                         Facts &facts) {
  Expected<SymbolValues> symbols = bindSymbols(spec, inputs, outputs);
  if (!symbols)
    return symbols.takeError();
  return narrowByInner(spec, *symbols, facts);
}
