//===- Arguments.cpp - Checking a call's tensors against the plan ---------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/Arguments.h"
#include "FormatError.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace fuse::runtime;

/// Dims that are bound only once all inputs were looked at.
static constexpr int64_t unbound = -1;

static Error checkCount(StringRef what, size_t expected, size_t got,
                        StringRef program) {
  if (expected == got)
    return Error::success();
  return formatError("expected {0} {1} tensors, but got {2}; pass one for each "
                     "{1} of '{3}'",
                     expected, what, got, program);
}

/// Dtype, rank, strides and byte count: what needs no symbols.
static Error checkForm(const TensorSpec &spec, const TensorView &view) {
  if (view.dtype != spec.dtype)
    return formatError("expected '{0}' to be {1}, but got {2}; convert it or "
                       "compile for {2}",
                       spec.name, name(spec.dtype), name(view.dtype));
  if (view.shape.size() != spec.shape.size())
    return formatError("expected '{0}' to have rank {1}, but got rank {2} "
                       "(shape {3}); reshape it",
                       spec.name, spec.shape.size(), view.shape.size(),
                       str(view.shape));
  Expected<int64_t> bytes = byteSize(view.shape, view.dtype);
  Expected<int64_t> span = bytes ? view.span() : bytes.takeError();
  if (!span)
    return formatError("'{0}': {1}", spec.name, toString(span.takeError()));
  return Error::success();
}

/// Which input bound the symbol: the first that has it as a plain dim.
static StringRef binderOf(const ProgramSpec &spec, unsigned symbol) {
  for (const TensorSpec &input : spec.inputs)
    for (const SizeExpr &dim : input.shape)
      if (dim.isSymbol() && dim.symbolIndex() == symbol)
        return input.name;
  llvm_unreachable("verify() checks that every symbol is bound");
}

static Error dimError(const ProgramSpec &spec, const TensorSpec &tensor,
                      size_t dim, int64_t expected, int64_t got) {
  const SizeExpr &expr = tensor.shape[dim];
  std::string reason, remedy = "pass a tensor of that size";
  if (expr.isSymbol()) {
    StringRef symbol = spec.symbols[expr.symbolIndex()];
    reason = formatv(" (named '{0}', bound by '{1}')", symbol,
                     binderOf(spec, expr.symbolIndex()));
    remedy = formatv("pass tensors that agree on '{0}'", symbol);
  } else if (!expr.isConstant()) {
    reason = formatv(" ({0})", expr.str(spec.symbols));
  }
  return formatError("expected dimension {0} of '{1}' to be {2}{3}, but got "
                     "{4}; {5}",
                     dim, tensor.name, expected, reason, got, remedy);
}

/// Binds the plain symbols of one input and checks all dims that are plain
/// symbols or constants.
static Error bindInput(const ProgramSpec &spec, const TensorSpec &input,
                       const TensorView &view, SymbolValues &symbols) {
  for (auto [index, expr] : enumerate(input.shape)) {
    int64_t got = view.shape[index];
    if (expr.isSymbol()) {
      int64_t &value = symbols[expr.symbolIndex()];
      if (value == unbound)
        value = got;
      if (value != got)
        return dimError(spec, input, index, value, got);
    } else if (expr.isConstant() && expr.constantValue() != got) {
      return dimError(spec, input, index, expr.constantValue(), got);
    }
  }
  return Error::success();
}

/// Compares the whole shape, once every symbol has its value.
static Error checkShape(const ProgramSpec &spec, const TensorSpec &tensor,
                        const TensorView &view, ArrayRef<int64_t> symbols) {
  for (auto [index, expr] : enumerate(tensor.shape)) {
    Expected<int64_t> expected = expr.evaluate(symbols);
    if (!expected)
      return expected.takeError();
    if (*expected != view.shape[index])
      return dimError(spec, tensor, index, *expected, view.shape[index]);
  }
  return Error::success();
}

/// Of outputs that are not there yet, the strides are those of dense ones.
static Error bindStrides(const ProgramSpec &spec, ArrayRef<TensorView> inputs,
                         ArrayRef<TensorView> outputs, SymbolValues &symbols) {
  bool areMissing = outputs.empty();
  if (any_of(spec.strides, [](auto &stride) { return stride.isOutput; }) &&
      !areMissing)
    if (Error error = checkOutputs(spec, outputs, symbols))
      return error;
  int64_t *next = symbols.begin() + spec.symbols.size();
  for (const StrideSpec &stride : spec.strides) {
    TensorView view;
    if (stride.isOutput && areMissing) {
      Expected<Shape> shape =
          evaluateShape(spec, spec.outputs[stride.tensor], symbols);
      if (!shape)
        return shape.takeError();
      view.shape = std::move(*shape);
    }
    const TensorView &given = !stride.isOutput ? inputs[stride.tensor]
                              : areMissing     ? view
                                               : outputs[stride.tensor];
    *next++ = given.effectiveStrides()[stride.dim];
  }
  return Error::success();
}

static Error evaluateCheck(const CheckSpec &check, ArrayRef<int64_t> symbols) {
  Expected<int64_t> lhs = check.lhs.evaluate(symbols);
  if (!lhs)
    return lhs.takeError();
  Expected<int64_t> rhs = check.rhs.evaluate(symbols);
  if (!rhs)
    return rhs.takeError();
  bool isEqual = check.kind == CheckSpec::Kind::Equal;
  if (isEqual ? *lhs == *rhs : *lhs >= *rhs)
    return Error::success();
  auto [what, remedy] = StringRef(check.message).split("; ");
  return formatError("expected {0}, but got {1} and {2}; {3}", what, *lhs, *rhs,
                     remedy.empty() ? "pass tensors of other sizes" : remedy);
}

Expected<SymbolValues>
fuse::runtime::bindSymbols(const ProgramSpec &spec, ArrayRef<TensorView> inputs,
                           ArrayRef<TensorView> outputs) {
  if (Error error =
          checkCount("input", spec.inputs.size(), inputs.size(), spec.name))
    return std::move(error);
  SymbolValues symbols(spec.numSymbols(), unbound);
  for (auto [input, view] : zip_equal(spec.inputs, inputs)) {
    if (Error error = checkForm(input, view))
      return std::move(error);
    if (Error error = bindInput(spec, input, view, symbols))
      return std::move(error);
  }
  for (auto [input, view] : zip_equal(spec.inputs, inputs))
    if (Error error = checkShape(spec, input, view, symbols))
      return std::move(error);
  if (Error error = bindStrides(spec, inputs, outputs, symbols))
    return std::move(error);
  for (const CheckSpec &check : spec.checks)
    if (Error error = evaluateCheck(check, symbols))
      return std::move(error);
  return symbols;
}

Expected<Shape> fuse::runtime::evaluateShape(const ProgramSpec &spec,
                                             const TensorSpec &tensor,
                                             ArrayRef<int64_t> symbols) {
  Shape shape;
  for (auto [index, expr] : enumerate(tensor.shape)) {
    Expected<int64_t> dim = expr.evaluate(symbols);
    if (!dim)
      return dim.takeError();
    if (*dim < 0)
      return formatError("expected dimension {0} of '{1}' ({2}) to be at least "
                         "0, but got {3}; pass larger inputs",
                         index, tensor.name, expr.str(spec.symbols), *dim);
    shape.push_back(*dim);
  }
  return shape;
}

/// Whether the dims, from the smallest stride on, each step over all that those
/// before reach. Other views may have an element twice.
static bool areDimsApart(const TensorView &view) {
  if (view.isContiguous())
    return true;
  SmallVector<std::pair<int64_t, int64_t>, 4> steps;
  for (auto [stride, size] : zip_equal(view.strides, view.shape))
    if (size > 1)
      steps.push_back({stride, size});
  llvm::sort(steps);
  int64_t reach = 0;
  for (auto [stride, size] : steps) {
    if (stride <= reach)
      return false;
    reach += stride * (size - 1);
  }
  return true;
}

Error fuse::runtime::checkOutputs(const ProgramSpec &spec,
                                  ArrayRef<TensorView> outputs,
                                  ArrayRef<int64_t> symbols) {
  if (Error error =
          checkCount("output", spec.outputs.size(), outputs.size(), spec.name))
    return error;
  for (auto [output, view] : zip_equal(spec.outputs, outputs)) {
    if (Error error = checkForm(output, view))
      return error;
    if (Error error = checkShape(spec, output, view, symbols))
      return error;
    if (!areDimsApart(view))
      return formatError("expected each element of '{0}' to have a place of "
                         "its own, but got strides {1} for shape {2}; let each "
                         "dimension step over those with smaller strides",
                         output.name, str(view.strides), str(view.shape));
  }
  return Error::success();
}

/// The bytes from the first to the end of the last element of a tensor whose
/// form was checked before.
static uint64_t checkedBytes(const TensorView &view) {
  return static_cast<uint64_t>(cantFail(view.span())) * sizeInBytes(view.dtype);
}

static Error layoutError(const TensorSpec &spec, const TensorView &view,
                         StringRef remedy) {
  StringRef wanted = spec.layout == Layout::Dense ? "contiguous"
                     : spec.layout == Layout::Rows
                         ? "contiguous along its last dimension"
                         : "contiguous along its last dimension, with "
                           "rows at multiples of 16 bytes";
  return formatError("expected '{0}' to be {1}, but got strides {2} for shape "
                     "{3}; {4}",
                     spec.name, wanted, str(view.strides), str(view.shape),
                     remedy);
}

/// `remedy` is for strides that do not fit.
static Error checkLayout(const TensorSpec &spec, const TensorView &view,
                         Device device, StringRef remedy) {
  Device wanted = spec.isScalar ? Device::cpu() : device;
  if (spec.isScalar && view.device != wanted)
    return formatError(
        "expected '{0}', which is passed by value, to be on {1}, "
        "but got {2}; pass a number",
        spec.name, wanted.str(), view.device.str());
  if (view.device != wanted)
    return formatError("expected '{0}' to be on {1}, but got {2}; move it or "
                       "compile for {2}",
                       spec.name, device.str(), view.device.str());
  if (!view.fits(spec.layout))
    return layoutError(spec, view, remedy);
  return Error::success();
}

static CallLayout::Item itemOf(const TensorSpec &spec, const TensorView &view) {
  uint64_t element = sizeInBytes(spec.dtype);
  CallLayout::Item item{
      checkedBytes(view),
      std::max(static_cast<uint64_t>(spec.requiredAlignment), element),
      {},
      element};
  if (!view.isContiguous())
    for (auto [size, stride] : zip_equal(view.shape, view.strides))
      if (size > 1)
        item.steps.push_back({size, stride * element});
  return item;
}

/// Whether the two have each element at the same place if they are at one
/// address.
static bool areAlike(const TensorView &a, const TensorView &b) {
  bool isDense = a.isContiguous();
  if (isDense || b.isContiguous())
    return isDense && b.isContiguous();
  return a.shape == b.shape && a.effectiveStrides() == b.effectiveStrides();
}

Expected<CallLayout> fuse::runtime::checkLayouts(const ProgramSpec &spec,
                                                 ArrayRef<TensorView> inputs,
                                                 ArrayRef<TensorView> outputs,
                                                 Device device) {
  CallLayout layout;
  for (auto [input, view] : zip_equal(spec.inputs, inputs)) {
    if (Error error =
            checkLayout(input, view, device, "make a contiguous copy"))
      return std::move(error);
    layout.items.push_back(itemOf(input, view));
  }
  for (auto [output, view] : zip_equal(spec.outputs, outputs)) {
    if (Error error =
            checkLayout(output, view, device, "pass a contiguous buffer"))
      return std::move(error);
    layout.items.push_back(itemOf(output, view));
    layout.mayCoincide.emplace_back();
    for (unsigned input : output.mayAlias)
      if (areAlike(inputs[input], view) &&
          layout.items[input].bytes == layout.items.back().bytes)
        layout.mayCoincide.back().push_back(input);
  }
  return layout;
}

static Error checkAddress(StringRef name, const CallLayout::Item &item,
                          void *address) {
  if (item.bytes == 0)
    return Error::success();
  if (!address)
    return formatError("expected '{0}' to have data, but got a null pointer; "
                       "pass a buffer of {1} bytes",
                       name, item.bytes);
  uint64_t remainder = reinterpret_cast<uintptr_t>(address) % item.alignment;
  if (remainder != 0)
    return formatError("expected '{0}' to be aligned to {1} bytes, but got an "
                       "address {2} past a multiple; copy it to an aligned "
                       "buffer",
                       name, item.alignment, remainder);
  return Error::success();
}

/// Whether the elements of two views that span the same bytes lie side by side,
/// as two slices of the columns of a matrix do: for some distance the larger
/// strides of both are multiples of it, and what the smaller ones reach has its
/// own part of it.
static bool areSideBySide(const CallLayout::Item &a, uintptr_t beginA,
                          const CallLayout::Item &b, uintptr_t beginB) {
  auto reachOf = [](const CallLayout::Item &item, uint64_t distance) {
    if (item.steps.empty())
      return item.bytes;
    uint64_t reach = item.elementBytes;
    for (auto [size, stride] : item.steps)
      if (stride % distance != 0)
        reach += (size - 1) * stride;
    return reach;
  };
  for (auto [size, distance] :
       concat<const std::pair<uint64_t, uint64_t>>(a.steps, b.steps)) {
    if (distance == 0)
      continue;
    uint64_t reach = reachOf(a, distance);
    uint64_t start =
        (beginB % distance + distance - beginA % distance) % distance;
    if (start >= reach && reachOf(b, distance) <= distance - start)
      return true;
  }
  return false;
}

static bool overlap(const CallLayout::Item &a, void *atA,
                    const CallLayout::Item &b, void *atB) {
  uintptr_t beginA = reinterpret_cast<uintptr_t>(atA);
  uintptr_t beginB = reinterpret_cast<uintptr_t>(atB);
  return a.bytes && b.bytes && beginA < beginB + b.bytes &&
         beginB < beginA + a.bytes && !areSideBySide(a, beginA, b, beginB);
}

static Error checkOverlap(const ProgramSpec &spec, const CallLayout &layout,
                          ArrayRef<void *> addresses, unsigned index) {
  const OutputSpec &output = spec.outputs[index];
  unsigned numInputs = spec.inputs.size(), self = numInputs + index;
  auto meets = [&](unsigned other) {
    return overlap(layout.items[self], addresses[self], layout.items[other],
                   addresses[other]);
  };
  for (unsigned other = 0; other < numInputs; ++other) {
    if (!meets(other) || (addresses[self] == addresses[other] &&
                          is_contained(layout.mayCoincide[index], other)))
      continue;
    bool inPlace = is_contained(output.mayAlias, other);
    return formatError("expected output '{0}' not to overlap input '{1}'{2}, "
                       "but got buffers that share bytes; pass a separate "
                       "buffer",
                       output.name, spec.inputs[other].name,
                       inPlace ? " unless it is exactly the same buffer" : "");
  }
  for (unsigned other = 0; other < index; ++other)
    if (meets(numInputs + other))
      return formatError("expected output '{0}' not to overlap output '{1}', "
                         "but got buffers that share bytes; pass a separate "
                         "buffer",
                         output.name, spec.outputs[other].name);
  return Error::success();
}

Error fuse::runtime::checkAddresses(const ProgramSpec &spec,
                                    const CallLayout &layout,
                                    ArrayRef<void *> addresses) {
  unsigned numInputs = spec.inputs.size();
  for (auto [index, item] : enumerate(layout.items)) {
    StringRef name = index < numInputs ? spec.inputs[index].name
                                       : spec.outputs[index - numInputs].name;
    if (Error error = checkAddress(name, item, addresses[index]))
      return error;
  }
  for (unsigned index = 0; index < spec.outputs.size(); ++index)
    if (Error error = checkOverlap(spec, layout, addresses, index))
      return error;
  return Error::success();
}
