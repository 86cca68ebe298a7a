//===- Movement.cpp - Types of movement ops -------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DimRemedy.h"
#include "ElementTypes.h"
#include "MovementTypes.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;
using fuse::detail::EmitError;

/// One number of `list` for each dimension of `input`.
static LogicalResult verifyListLength(StringRef name, ArrayRef<int64_t> list,
                                      RankedTensorType input,
                                      EmitError emitError) {
  if (static_cast<int64_t>(list.size()) == input.getRank())
    return success();
  return emitError() << "expected " << name << " to have " << input.getRank()
                     << " numbers, one for each dimension of " << input
                     << ", but got [" << list << "]; add or remove numbers";
}

static LogicalResult verifyAtLeast(StringRef name, ArrayRef<int64_t> list,
                                   int64_t least, StringRef remedy,
                                   EmitError emitError) {
  for (int64_t number : list)
    if (number < least)
      return emitError() << "expected " << name << " of at least " << least
                         << ", but got " << number << "; " << remedy;
  return success();
}

static LogicalResult verifyDim(int64_t dim, RankedTensorType type,
                               EmitError emitError) {
  if (dim >= 0 && dim < type.getRank())
    return success();
  if (type.getRank() == 0)
    return emitError() << "expected a tensor of rank 1 or more, but got "
                       << type << "; insert a tensor.expand_shape";
  return emitError()
         << "expected dim to be a dimension of " << type << ", but got " << dim
         << "; "
         << fuse::detail::dimRemedy(
                dim, type.getRank(),
                llvm::formatv("choose 0 to {0}", type.getRank() - 1).str());
}

//===----------------------------------------------------------------------===//
// Transpose, reverse
//===----------------------------------------------------------------------===//

FailureOr<RankedTensorType> fuse::detail::inferMoved(TransposeOp::Adaptor op,
                                                     EmitError emitError) {
  RankedTensorType input = tensorType(op.getInput());
  // 1. `permutation` holds each dimension of the operand once.
  ArrayRef<int64_t> permutation = op.getPermutation();
  SmallVector<int64_t> sorted(permutation);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, input.getRank())))
    return emitError() << "expected permutation to hold each dimension of "
                       << input << " once, but got [" << permutation << "]; "
                       << fuse::detail::dimRemedy(
                              permutation, input.getRank(),
                              "reorder the numbers 0 to rank - 1");
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(input.getDimSize(dim));
  return input.clone(shape);
}

LogicalResult ReverseOp::verify() {
  // 1. `dims` are distinct dimensions of the operand, in ascending order.
  ArrayRef<int64_t> dims = getDims();
  int64_t previous = -1;
  for (int64_t dim : dims) {
    if (dim <= previous || dim >= getType().getRank())
      return emitOpError("expected dims to be distinct dimensions of ")
             << getType() << " in ascending order, but got [" << dims << "]; "
             << fuse::detail::dimRemedy(
                    dims, getType().getRank(),
                    "sort them and keep each in 0 to rank - 1");
    previous = dim;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Slice, pad
//===----------------------------------------------------------------------===//

/// The size of the slice in one dimension of `size` elements.
static FailureOr<int64_t> inferSlicedSize(int64_t size, int64_t offset,
                                          int64_t sliceSize, int64_t step,
                                          EmitError emitError) {
  if (ShapedType::isDynamic(size)) {
    // 3. The size of a dynamic dimension is negative.
    if (sliceSize >= 0)
      return emitError()
             << "expected a negative size of a dynamic dimension, but got "
             << sliceSize
             << "; write -1, which reaches up to the end, or -1 - k, which "
                "leaves out the last k elements";
    int64_t least;
    if (llvm::AddOverflow(offset, -1 - sliceSize, least))
      return emitError() << "expected an offset and a number of elements to "
                            "leave out that add up to at most 2^63 - 1, but "
                            "got "
                         << offset << " and " << -1 - sliceSize
                         << "; no dimension is as large";
    return ShapedType::kDynamic;
  }
  // 4. The slice stays inside the operand; of a dynamic dimension, this is
  //    checked when the program runs.
  if (offset > size)
    return emitError() << "expected an offset of at most " << size
                       << ", but got " << offset << "; keep the slice inside";
  int64_t behind = size - offset;
  if (sliceSize < -1) {
    int64_t leftOut = -1 - sliceSize;
    if (leftOut > behind)
      return emitError() << "expected at most " << behind
                         << " elements to leave out behind offset " << offset
                         << ", but got " << leftOut << " (size " << sliceSize
                         << "); keep the slice inside";
    behind -= leftOut;
  }
  int64_t available =
      llvm::divideCeil(static_cast<uint64_t>(behind), uint64_t(step));
  if (sliceSize > available)
    return emitError() << "expected a size of at most " << available
                       << " from offset " << offset << " with step " << step
                       << ", but got " << sliceSize
                       << "; keep the slice inside, or write -1";
  return sliceSize < 0 ? available : sliceSize;
}

FailureOr<RankedTensorType> fuse::detail::inferMoved(SliceOp::Adaptor op,
                                                     EmitError emitError) {
  RankedTensorType input = tensorType(op.getInput());
  ArrayRef<int64_t> offsets = op.getOffsets(), sizes = op.getSizes(),
                    steps = op.getSteps();
  // 1. `offsets`, `sizes` and `steps` have one number for each dimension.
  if (failed(verifyListLength("offsets", offsets, input, emitError)) ||
      failed(verifyListLength("sizes", sizes, input, emitError)) ||
      failed(verifyListLength("steps", steps, input, emitError)))
    return failure();
  // 2. Offsets are not negative, steps positive.
  if (failed(verifyAtLeast("offsets", offsets, 0,
                           "count from the start of the dimension",
                           emitError)) ||
      failed(verifyAtLeast("steps", steps, 1, "fuse.reverse walks backwards",
                           emitError)))
    return failure();
  SmallVector<int64_t> shape;
  for (auto [size, offset, sliceSize, step] :
       llvm::zip_equal(input.getShape(), offsets, sizes, steps)) {
    auto sliced = inferSlicedSize(size, offset, sliceSize, step, emitError);
    if (failed(sliced))
      return failure();
    shape.push_back(*sliced);
  }
  return input.clone(shape);
}

FailureOr<RankedTensorType> fuse::detail::inferMoved(DynamicSliceOp::Adaptor op,
                                                     EmitError emitError) {
  RankedTensorType input = tensorType(op.getInput());
  RankedTensorType start = tensorType(op.getStart());
  // 1. `dim` is a dimension of the operand.
  int64_t dim = op.getDim();
  if (failed(verifyDim(dim, input, emitError)))
    return failure();
  // 2. `start` has rank 0.
  if (start.getRank() != 0)
    return emitError() << "expected start of rank 0, but got " << start
                       << "; slice one dimension at a time, and take one "
                          "element by a fuse.slice and a collapse_shape";
  // 3. Either `size` is given, and not negative, or `like`, which has rank 1.
  std::optional<uint64_t> size = op.getSize();
  if (size.has_value() == static_cast<bool>(op.getLike()))
    return emitError() << "expected either a size or 'like', but got "
                       << (size ? "both" : "neither")
                       << "; write 'size = 16', or 'like %x' with a tensor of "
                          "rank 1";
  if (size && static_cast<int64_t>(*size) < 0)
    return emitError() << "expected a size of at least 0, but got "
                       << static_cast<int64_t>(*size)
                       << "; 'like' gives sizes that only the call knows";
  SmallVector<int64_t> shape(input.getShape());
  if (size) {
    shape[dim] = static_cast<int64_t>(*size);
    return input.clone(shape);
  }
  RankedTensorType like = tensorType(op.getLike());
  if (like.getRank() != 1)
    return emitError() << "expected 'like' of rank 1, but got " << like
                       << "; name a tensor whose only dimension has the size";
  shape[dim] = like.getDimSize(0);
  return input.clone(shape);
}

/// `sum` plus `size`, dynamic if either is.
static LogicalResult addSize(int64_t &sum, int64_t size, EmitError emitError) {
  if (ShapedType::isDynamic(sum) || ShapedType::isDynamic(size)) {
    sum = ShapedType::kDynamic;
    return success();
  }
  if (!llvm::AddOverflow(sum, size, sum))
    return success();
  return emitError() << "expected sizes that sum up to at most 2^63 - 1, but "
                        "got more; make a dimension smaller";
}

FailureOr<RankedTensorType> fuse::detail::inferMoved(PadOp::Adaptor op,
                                                     EmitError emitError) {
  RankedTensorType input = tensorType(op.getInput());
  // 1. `low` and `high` have one number, not negative, for each dimension.
  for (auto [name, list] :
       {std::pair("low", op.getLow()), std::pair("high", op.getHigh())})
    if (failed(verifyListLength(name, list, input, emitError)) ||
        failed(verifyAtLeast(name, list, 0, "fuse.slice removes elements",
                             emitError)))
      return failure();
  // 2. `value` has the operand's element type.
  if (op.getValue().getType() != input.getElementType())
    return emitError() << "expected value of type " << input.getElementType()
                       << ", but got " << op.getValue()
                       << "; give it the operand's element type";
  SmallVector<int64_t> shape(input.getShape());
  for (auto [size, low, high] :
       llvm::zip_equal(shape, op.getLow(), op.getHigh())) {
    int64_t amount = low;
    if (failed(addSize(amount, high, emitError)) ||
        failed(addSize(size, amount, emitError)))
      return failure();
  }
  return input.clone(shape);
}

//===----------------------------------------------------------------------===//
// Concat, broadcast
//===----------------------------------------------------------------------===//

/// The sizes of `type` met with those of `shape`, apart from `dim`, in which
/// they add up.
static LogicalResult appendShape(SmallVectorImpl<int64_t> &shape, int64_t dim,
                                 RankedTensorType first, RankedTensorType type,
                                 EmitError emitError) {
  if (type.getRank() != first.getRank())
    return emitError() << "expected operands of one rank, but got " << type
                       << " beside " << first
                       << "; insert a tensor.expand_shape";
  if (type.getElementType() != first.getElementType())
    return emitError() << "expected operands of one element type, but got "
                       << type << " beside " << first << "; "
                       << fuse::detail::castRemedy(
                              first.getElementType(), "the first",
                              type.getElementType(), "the other");
  for (auto [axis, size] : llvm::enumerate(type.getShape())) {
    if (static_cast<int64_t>(axis) == dim) {
      if (failed(addSize(shape[axis], size, emitError)))
        return failure();
      continue;
    }
    // 3. The other dimensions are equal.
    if (!mayBeEqual(shape[axis], size))
      return emitError() << "expected size " << shape[axis] << " in dimension "
                         << axis << ", but got " << type << " beside " << first
                         << "; only dimension " << dim << " may differ";
    shape[axis] = refineSize(shape[axis], size);
  }
  return success();
}

FailureOr<RankedTensorType> fuse::detail::inferMoved(ConcatOp::Adaptor op,
                                                     EmitError emitError) {
  // 1. There is at least one operand; all have one element type and one rank.
  if (op.getInputs().empty())
    return emitError() << "expected at least one operand, but got none; name "
                          "the tensors to join";
  RankedTensorType first = tensorType(op.getInputs().front());
  // 2. `dim` is a dimension of the operands.
  int64_t dim = op.getDim();
  if (failed(verifyDim(dim, first, emitError)))
    return failure();
  SmallVector<int64_t> shape(first.getShape());
  for (Value input : op.getInputs().drop_front())
    if (failed(appendShape(shape, dim, first, tensorType(input), emitError)))
      return failure();
  return first.clone(shape);
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType input = getInput().getType(), result = getType();
  // 1. The operand's shape broadcasts to the result's.
  auto met = broadcastShapes(input.getShape(), result.getShape());
  if (!met || ArrayRef(*met) != result.getShape())
    return emitOpError("expected an operand whose shape broadcasts to ")
           << result << ", but got " << input
           << "; make the sizes equal or 1, aligned at the last dimension";
  // 2. Each dynamic dimension of the result is one of the operand's, or `like`
  //    is given and has the result's shape.
  if (getLike() && getLike().getType().getShape() != result.getShape())
    return emitOpError("expected result of the shape of 'like', ")
           << getLike().getType() << ", but got " << result
           << "; give them one shape";
  int64_t lead = result.getRank() - input.getRank();
  for (int64_t axis = 0; axis < result.getRank() && !getLike(); ++axis)
    if (result.isDynamicDim(axis) &&
        (axis < lead || !input.isDynamicDim(axis - lead)))
      return emitOpError("expected the operand to have dynamic dimension ")
             << axis << " of " << result << ", but got " << input
             << "; add 'like %x' with a tensor of the result's shape";
  // 3. The element types agree.
  if (input.getElementType() == result.getElementType())
    return success();
  return emitOpError("expected result of ")
         << input.getElementType() << ", but got " << result
         << "; fuse.cast the operand first";
}

//===----------------------------------------------------------------------===//
// Gather, scatter
//===----------------------------------------------------------------------===//

/// `table` with `dim` replaced by the dimensions of `ids`.
static RankedTensorType replaceDim(RankedTensorType table, RankedTensorType ids,
                                   int64_t dim) {
  SmallVector<int64_t> shape(table.getShape().take_front(dim));
  llvm::append_range(shape, ids.getShape());
  llvm::append_range(shape, table.getShape().drop_front(dim + 1));
  return table.clone(shape);
}

FailureOr<RankedTensorType> fuse::detail::inferMoved(GatherOp::Adaptor op,
                                                     EmitError emitError) {
  RankedTensorType table = tensorType(op.getTable());
  // 1. `dim` is a dimension of the table.
  int64_t dim = op.getDim();
  if (failed(verifyDim(dim, table, emitError)))
    return failure();
  return replaceDim(table, tensorType(op.getIds()), dim);
}

FailureOr<RankedTensorType> fuse::detail::inferMoved(TakeAlongOp::Adaptor op,
                                                     EmitError emitError) {
  RankedTensorType table = tensorType(op.getTable());
  RankedTensorType ids = tensorType(op.getIds());
  // 1. `dim` is a dimension of the table.
  int64_t dim = op.getDim();
  if (failed(verifyDim(dim, table, emitError)))
    return failure();
  // 2. `ids` has the table's rank and, but for `dim`, its sizes.
  SmallVector<int64_t> shape(ids.getShape());
  bool fits = ids.getRank() == table.getRank();
  for (int64_t axis = 0; fits && axis < table.getRank(); ++axis) {
    if (axis == dim)
      continue;
    fits = mayBeEqual(table.getDimSize(axis), shape[axis]);
    shape[axis] = refineSize(shape[axis], table.getDimSize(axis));
  }
  if (fits)
    return table.clone(shape);
  return emitError() << "expected ids of the rank of " << table
                     << " and its sizes, but for dimension " << dim
                     << ", but got " << ids
                     << "; fuse.broadcast them, or use fuse.gather";
}

FailureOr<RankedTensorType> fuse::detail::inferMoved(UnpackOp::Adaptor op,
                                                     EmitError emitError) {
  // 1. The operand has rank 1 or more.
  RankedTensorType input = tensorType(op.getInput());
  if (input.getRank() == 0)
    return emitError() << "expected a tensor of rank 1 or more, but got "
                       << input << "; insert a tensor.expand_shape";
  SmallVector<int64_t> shape(input.getShape());
  if (!ShapedType::isDynamic(shape.back()))
    shape.back() *= 2;
  // ui8 has no negative numbers.
  Type signless = IntegerType::get(input.getContext(), 8);
  return RankedTensorType::get(
      shape, op.getIsUnsigned() ? input.getElementType() : signless);
}

FailureOr<RankedTensorType> fuse::detail::inferMoved(ScatterOp::Adaptor op,
                                                     EmitError emitError) {
  RankedTensorType into = tensorType(op.getInto());
  // 1. `dim` is a dimension of `into`.
  int64_t dim = op.getDim();
  if (failed(verifyDim(dim, into, emitError)))
    return failure();
  // 2. `updates` has the element type of `into`, and its shape with `dim`
  //    replaced by the dimensions of `ids`.
  RankedTensorType updates = tensorType(op.getUpdates());
  RankedTensorType expected = replaceDim(into, tensorType(op.getIds()), dim);
  bool fits = updates.getElementType() == expected.getElementType() &&
              updates.getRank() == expected.getRank();
  if (fits)
    fits =
        llvm::all_of_zip(updates.getShape(), expected.getShape(), mayBeEqual);
  if (fits)
    return into;
  return emitError() << "expected updates of type " << expected << ", but got "
                     << updates << "; give one slice of into for each id";
}
