//===- TurnedBox.cpp - What a thread turns in its registers ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/TurnedBox.h"

#include "fuse/Analysis/KernelEdge.h"
#include "fuse/Analysis/Strides.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

/// The widest access.
static constexpr int64_t widestBytes = 16;
/// Of what a thread computes at once: 64 elements of f32.
static constexpr int64_t mostRegisterBytes = 256;
/// Ops times elements, which is about a thread's instructions.
static constexpr int64_t mostInstructions = 4096;

int64_t TurnedBox::elements() const {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1),
                         std::multiplies<>());
}

namespace {
/// A tensor in memory by the results' dimensions.
struct View {
  SmallVector<Extent> extents;
  SmallVector<int64_t> axes, starts;
  int64_t elementBytes;
  /// Whether a row does not follow the one before.
  bool hasStrides;
};

class BoxFinder {
public:
  BoxFinder(KernelOp kernel, const Segment &segment, const DimClasses &dims,
            int64_t vector, bool divisible)
      : kernel(kernel), segment(segment), dims(dims), vector(vector),
        divisible(divisible), sizes(segment.extents.size(), 1) {}

  std::optional<TurnedBox> run();

private:
  bool computesPlaces();
  bool divides(int64_t lanes, const Extent &extent) const;
  View viewOf(Value result) const;
  View viewOf(const WalkedInput &walked) const;
  int64_t lastAxis(const View &view) const;
  bool isWhole(const View &view) const;
  using Sizes = SmallVector<int64_t>;
  bool mayBeWhole(const View &view, int64_t dim, int64_t inside) const;
  bool grow(const View &view, int64_t lanes, Sizes &box,
            unsigned *whole = nullptr) const;
  TurnedBox::Read readOf(WalkedInput walked, int64_t lanes) const;
  int64_t widestLanes(const View &view) const;
  int64_t lanesInside(const View &view) const;
  bool hasOtherRows(const View &view, const Sizes &box) const;

  KernelOp kernel;
  const Segment &segment;
  const DimClasses &dims;
  int64_t vector;
  bool divisible;
  Sizes sizes;
};
} // namespace

/// Whether elements are moved, and each op has a value at single places, for
/// whatever a thread takes.
bool BoxFinder::computesPlaces() {
  bool moves = false;
  for (Operation &op : kernel.getBody().front()) {
    if (isReduction(&op) || isRowOrder(&op) ||
        isa<ContractOp, RandomOp, RotaryOp, ScatterOp, SegmentSumOp>(op))
      return false;
    moves |= isa<TransposeOp, SliceOp>(op);
  }
  return moves;
}

bool BoxFinder::divides(int64_t lanes, const Extent &extent) const {
  if (extent.isStatic())
    return extent.size % lanes == 0;
  auto bits = divisible ? elementBitsAlong(kernel, dims, extent) : std::nullopt;
  return bits && 8 * widestBytes / bits->first % lanes == 0;
}

View BoxFinder::viewOf(Value result) const {
  int64_t rank = segment.extents.size();
  return {segment.extents, llvm::to_vector(llvm::seq<int64_t>(rank)),
          SmallVector<int64_t>(rank, 0),
          getElementBytes(getElementTypeOrSelf(result.getType())),
          /*hasStrides=*/false};
}

View BoxFinder::viewOf(const WalkedInput &walked) const {
  return {dims.extents(walked.input), walked.axes, walked.starts,
          getElementBytes(getElementTypeOrSelf(walked.input.getType())),
          strideKind(walked.input) != StrideKind::dense};
}

/// The results' dimension that neighbours in memory follow, or what they do
/// instead.
int64_t BoxFinder::lastAxis(const View &view) const {
  for (auto [extent, axis] :
       llvm::reverse(llvm::zip_equal(view.extents, view.axes)))
    if (extent.size != 1)
      return axis;
  return WalkedInput::stays;
}

/// Whether the view has an element for each of the results.
bool BoxFinder::isWhole(const View &view) const {
  for (auto [axis, extent] : llvm::enumerate(segment.extents))
    if (extent.size != 1 &&
        llvm::count(view.axes, static_cast<int64_t>(axis)) != 1)
      return false;
  return true;
}

/// Whether all of a dimension is read: what results have of it, or a few
/// neighbours more.
bool BoxFinder::mayBeWhole(const View &view, int64_t dim,
                           int64_t inside) const {
  const Extent &extent = view.extents[dim];
  int64_t axis = view.axes[dim];
  if (axis == WalkedInput::elsewhere || !extent.isStatic())
    return false;
  bool isFew = extent.size * inside * view.elementBytes <= widestBytes;
  if (axis == WalkedInput::stays)
    return isFew;
  const Extent &along = segment.extents[axis];
  return along == extent || (isFew && along.isStatic());
}

/// Makes the box large enough for vectors of the view: the last dimensions
/// whole, and of the one before as much as they lack. False where vectors do
/// not fit. `whole` becomes how many dimensions are read whole.
bool BoxFinder::grow(const View &view, int64_t lanes, Sizes &box,
                     unsigned *whole) const {
  int64_t inside = 1, rank = view.extents.size();
  for (int64_t dim = rank - 1; dim >= 0; --dim) {
    if (whole)
      *whole = rank - 1 - dim;
    if (inside % lanes == 0)
      return true;
    const Extent &extent = view.extents[dim];
    if (extent.size == 1)
      continue;
    if (view.hasStrides && inside != 1)
      return false;
    int64_t axis = view.axes[dim];
    int64_t lacks = lanes / std::gcd(lanes, inside);
    // The rows before start at multiples of this dimension.
    if (axis >= 0 && view.starts[dim] % lacks == 0 &&
        divides(lacks, segment.extents[axis]) && divides(lacks, extent)) {
      box[axis] = std::lcm(box[axis], lacks);
      return true;
    }
    if (!mayBeWhole(view, dim, inside))
      return false;
    if (axis >= 0)
      box[axis] = segment.extents[axis].size;
    inside *= extent.size;
  }
  if (whole)
    *whole = rank;
  return inside % lanes == 0;
}

int64_t BoxFinder::widestLanes(const View &view) const {
  int64_t lanes = std::min(vector, widestBytes / view.elementBytes);
  Sizes box(sizes.size(), 1);
  while (lanes > 1 && !grow(view, lanes, box)) {
    lanes /= 2;
    box.assign(sizes.size(), 1);
  }
  return lanes;
}

/// The widest vectors that the box has of a view as it is.
int64_t BoxFinder::lanesInside(const View &view) const {
  int64_t lanes = std::min(vector, widestBytes / view.elementBytes);
  for (; lanes > 1; lanes /= 2) {
    Sizes box = sizes;
    if (grow(view, lanes, box) && box == sizes)
      break;
  }
  return lanes;
}

/// Whether vectors that are longer than rows go on in other rows than those of
/// the results, of which `box` is made.
bool BoxFinder::hasOtherRows(const View &view, const Sizes &box) const {
  if (view.extents.empty())
    return false;
  int64_t lanes = widestLanes(view);
  const Extent &row = view.extents.back();
  if (!row.isStatic() || row.size % lanes == 0)
    return false;
  Sizes own(sizes.size(), 1);
  grow(view, lanes, own);
  return own != box;
}

TurnedBox::Read BoxFinder::readOf(WalkedInput walked, int64_t lanes) const {
  View view = viewOf(walked);
  Sizes box = sizes;
  unsigned whole = 0;
  grow(view, lanes, box, &whole);
  TurnedBox::Read read{std::move(walked), lanes, {}, {}};
  int64_t rank = view.extents.size();
  for (auto [dim, axis] : llvm::enumerate(view.axes)) {
    bool isWhole = static_cast<int64_t>(dim + whole) >= rank;
    read.whole.push_back(isWhole);
    read.sizes.push_back(isWhole    ? view.extents[dim].size
                         : axis < 0 ? 1
                                    : sizes[axis]);
  }
  return read;
}

std::optional<TurnedBox> BoxFinder::run() {
  bool isEmpty = llvm::any_of(segment.extents, [](const Extent &extent) {
    return extent.isStatic() && extent.size == 0;
  });
  if (segment.extents.empty() || isEmpty || vector == 1 || !computesPlaces())
    return std::nullopt;
  TurnedBox box;
  int64_t widest = sizeof(float);
  SmallVector<View> results;
  for (unsigned number : segment.results) {
    // Vectors may not go on in the row behind.
    if (resultKind(kernel, number) != StrideKind::dense)
      return std::nullopt;
    results.push_back(viewOf(kernel.getYield().getValues()[number]));
    widest = std::max(widest, results.back().elementBytes);
  }
  SmallVector<WalkedInput> inputs = walkedInputs(kernel, segment, dims);
  // Of a view whose last dimension is one element no other is known to have
  // neighbours in memory.
  if (llvm::any_of(inputs, [&](const WalkedInput &input) {
        View view = viewOf(input);
        return view.hasStrides && !view.extents.empty() &&
               view.extents.back().size == 1;
      }))
    return std::nullopt;
  int64_t last = lastAxis(results.front());
  SmallVector<View> large = results;
  bool readsAcross = false;
  Sizes ofResult(sizes.size(), 1);
  grow(results.front(), widestLanes(results.front()), ofResult);
  for (const WalkedInput &walked : inputs) {
    View view = viewOf(walked);
    widest = std::max(widest, view.elementBytes);
    int64_t own = lastAxis(view);
    if (own == WalkedInput::elsewhere || !isWhole(view))
      continue;
    readsAcross |=
        own != last ? widestLanes(view) > 1 : hasOtherRows(view, ofResult);
    large.push_back(view);
  }
  if (!readsAcross)
    return std::nullopt;
  for (const View &view : large)
    grow(view, widestLanes(view), sizes);
  box.sizes = sizes;
  auto ops = static_cast<int64_t>(
      llvm::range_size(kernel.getBody().front().without_terminator()));
  if (box.elements() * widest > mostRegisterBytes ||
      box.elements() * ops > mostInstructions)
    return std::nullopt;
  for (const View &view : results)
    box.lanes.push_back(lanesInside(view));
  for (WalkedInput &walked : inputs)
    if (int64_t lanes = lanesInside(viewOf(walked)); lanes > 1)
      box.reads.push_back(readOf(std::move(walked), lanes));
  return box;
}

std::optional<TurnedBox> mlir::fuse::turnedBoxOf(KernelOp kernel,
                                                 const Segment &segment,
                                                 const DimClasses &dims,
                                                 int64_t vector,
                                                 bool divisible) {
  return BoxFinder(kernel, segment, dims, vector, divisible).run();
}
