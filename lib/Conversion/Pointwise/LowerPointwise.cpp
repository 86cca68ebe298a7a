//===- LowerPointwise.cpp - Segments cut into vectors ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LowerPointwise.h"
#include "AlikeSegments.h"
#include "KernelFrame.h"
#include "Points/OpEmitters.h"
#include "RepeatedWalk.h"
#include "TurnedUnit.h"

#include "fuse/Analysis/ElementSegments.h"
#include "fuse/Analysis/InPlace.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Lowers one segment; blocks are counted from the segment's first.
class SegmentLowering {
public:
  SegmentLowering(KernelFrame &frame, const Segment &segment,
                  PointwiseScheduleAttr schedule)
      : frame(frame), emitter(frame.emitter), segment(segment),
        threads(schedule.getThreads()), vector(schedule.getVector()),
        unroll(schedule.getUnroll()), together(headsTogether(schedule)) {
    if (isForGPU())
      box = turnedBoxOf(frame.kernel, segment, frame.dims, vector,
                        emitter.getOptions().divisible);
    if (!segment.rotation && !box)
      together = repeatedTogether(schedule);
  }

  LogicalResult verify();
  GridTerm grid() const;
  /// Whether a thread keeps the features of several heads.
  bool sharesAngles() const {
    return (walksVectorsOfHeads() || cutsPairs() || walksRepeated()) &&
           together > 1;
  }
  /// Whether the segment's elements are a multiple of the vector.
  bool isWholeVectors() const;
  void emit(const GroupBlock &at);

private:
  bool isForGPU() const { return emitter.getOptions().sharedBytes > 0; }
  /// Whether the segment is walked head by head.
  bool walksHeads() const {
    return walksVectorsOfHeads() || pairsTogether() > 0 || cutsPairs();
  }
  /// Whether a thread has a vector there, or two whose lanes are pairs.
  bool walksVectorsOfHeads() const {
    return segment.rotation && segment.rotation->keepsVectors(vector);
  }
  /// Whether it has vectors along the dimension where values repeat.
  bool walksRepeated() const { return !segment.rotation && together > 1; }
  /// Else: features of a head that one thread has, as vectors cut their pairs.
  int64_t pairsTogether() const {
    return segment.rotation && !walksVectorsOfHeads() && vector > 1
               ? segment.rotation->pairsTogether(vector)
               : 0;
  }
  /// Else: whether a thread has a vector, and reads the partners of its lanes.
  bool cutsPairs() const {
    return isForGPU() && segment.rotation && vector > 1 &&
           segment.rotation->headDim % vector == 0 && !walksVectorsOfHeads() &&
           pairsTogether() == 0;
  }
  /// What a thread of a head starts from: vectors, or all pairs and then
  /// vectors.
  int64_t headUnits() const {
    if (cutsPairs())
      return segment.rotation->headDim / vector;
    if (int64_t pairs = pairsTogether())
      return 1 + (segment.rotation->headDim - pairs) / vector;
    return segment.rotation->startsInHead() / vector;
  }
  int64_t headsTogether(PointwiseScheduleAttr schedule) const;
  int64_t repeatedTogether(PointwiseScheduleAttr schedule) const;
  RepeatedWalk repeatedWalk() const {
    return {frame, segment, segment.repeatedAxis, together, vector};
  }
  SmallVector<Extent> headGroups() const;

  void emitFlat(const Index &unit, const Index &total);
  void emitTurned(const Index &unit);
  void emitHeads(const Index &unit);
  void emitFeatures(const SmallVector<Index, 4> &group, const Index &feature);
  void emitPairs(const SmallVector<Index, 4> &group);
  void knowLanes(const Point &point);
  using StoreHeads = llvm::function_ref<void(ArrayRef<Index>, bool)>;
  void forTurnedHeads(const SmallVector<Index, 4> &group, StoreHeads store);
  void storeHeads(ArrayRef<Index> group, ArrayRef<Index> features,
                  bool isCopied);
  Value leavesInput();
  Index rebase(const Index &index, int64_t low, int64_t high) {
    return indexInRange(emitter, index, low, high);
  }
  Point flatPoint(const Index &linear, int64_t lanes);
  Point featurePoint(ArrayRef<Index> head, const Index &feature);
  /// A value on its way to memory.
  struct Pending {
    unsigned result;
    Point point;
    Value value;
    /// Whether it is written; null means true.
    Value condition;
  };
  bool staysTogether(ScatterOp scatter, int64_t lanes) const;
  void prepare(unsigned result, const Point &point,
               SmallVectorImpl<Pending> &pending);
  void storeAt(ArrayRef<Point> points);

  KernelFrame &frame;
  PointEmitter &emitter;
  const Segment &segment;
  int64_t threads, vector, unroll;
  /// What a thread turns where it reads across; else it has a vector.
  std::optional<TurnedBox> box;
  /// Neighbouring heads that a thread walks together.
  int64_t together;
};
} // namespace

LogicalResult SegmentLowering::verify() {
  if (segment.flat || vector == 1 || box)
    return success();
  Extent inner = segment.extents.empty() ? Extent{1} : segment.extents.back();
  if (emitter.divides(vector, inner) || wholeDims(segment.extents, vector) ||
      (inner.isStatic() && isPointwise(frame.kernel)))
    return success();
  if (inner.isStatic())
    return frame.kernel.emitError() << "expected a schedule whose vector "
                                       "divides the last dimension, but got "
                                       "vector = "
                                    << vector << " for a last dimension of "
                                    << inner.size << "; use vector = 1";
  return frame.kernel.emitError()
         << "expected vector = 1 for a last dimension of unknown size, but got "
            "vector = "
         << vector << "; use vector = 1";
}

bool SegmentLowering::isWholeVectors() const {
  int64_t known = 1;
  for (const Extent &extent : segment.extents)
    if (extent.isStatic())
      known *= extent.size;
  if (known % vector == 0)
    return true;
  return !segment.flat && !segment.extents.empty() &&
         emitter.divides(vector, segment.extents.back());
}

GridTerm SegmentLowering::grid() const {
  if (walksRepeated())
    return {{{repeatedWalk().groups(), vector * threads * unroll}}};
  if (!walksHeads()) {
    int64_t elements = box ? box->elements() : vector;
    return {{{segment.extents, elements * threads * unroll}}};
  }
  GridFactor units{headGroups(), threads * unroll};
  units.extents.push_back({headUnits()});
  return {{units}};
}

void SegmentLowering::emit(const GroupBlock &at) {
  Index thread = frame.threadId(threads);
  auto emitUnit = [&](const Index &step) {
    Index first = emitter.mul(
        emitter.add(emitter.mul(at.block, Index::constant(unroll)), step),
        Index::constant(threads));
    Index unit = emitter.add(first, thread);
    if (box)
      emitTurned(unit);
    else if (walksRepeated())
      repeatedWalk().emit(unit,
                          [&](ArrayRef<Point> points) { storeAt(points); });
    else
      walksHeads() ? emitHeads(unit) : emitFlat(unit, at.elements);
  };
  if (unroll == 1)
    return emitUnit(Index::constant(0));
  OpBuilder &builder = frame.builder;
  auto loop = scf::ForOp::create(builder, frame.loc(),
                                 emitter.materialize(Index::constant(0)),
                                 emitter.materialize(Index::constant(unroll)),
                                 emitter.materialize(Index::constant(1)));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  PointEmitter::Scope scope(emitter);
  emitUnit({loop.getInductionVar()});
}

/// Whether a vector's elements go to one place of what is scattered into: they
/// are in the dimensions behind those of the ids.
bool SegmentLowering::staysTogether(ScatterOp scatter, int64_t lanes) const {
  ArrayRef<Extent> behind =
      ArrayRef(segment.extents)
          .drop_front(scatter.getDim() + scatter.getIds().getType().getRank());
  if (lanes == 1)
    return true;
  if (behind.empty())
    return false;
  std::optional<int64_t> elements = staticProduct(behind);
  return elements ? *elements % lanes == 0
                  : emitter.divides(lanes, behind.back());
}

/// Computes a result at a point of the segment.
void SegmentLowering::prepare(unsigned result, const Point &point,
                              SmallVectorImpl<Pending> &pending) {
  Value yielded = frame.kernel.getYield().getValues()[result];
  auto scatter = yielded.getDefiningOp<ScatterOp>();
  if (!scatter) {
    pending.push_back({result, point, emitter.emitLanes(yielded, point), {}});
    return;
  }
  if (!staysTogether(scatter, point.lanes)) {
    for (int64_t lane = 0; lane < point.lanes; ++lane)
      prepare(result, emitter.lanePoint(point, lane), pending);
    return;
  }
  ScatterTarget target = emitScatterTarget(emitter, scatter, point);
  pending.push_back({result, target.point,
                     emitter.emitLanes(scatter.getUpdates(), point),
                     target.exists});
}

/// All results are computed before any is written: a result may be written
/// where an input is.
void SegmentLowering::storeAt(ArrayRef<Point> points) {
  SmallVector<Pending, 2> pending;
  for (const Point &point : points)
    for (unsigned result : segment.results)
      prepare(result, point, pending);
  for (const Pending &each : pending)
    frame.ifTrue(each.condition,
                 [&] { emitter.store(each.result, each.point, each.value); });
}

Point SegmentLowering::flatPoint(const Index &linear, int64_t lanes) {
  Point point;
  point.dims = emitter.delinearize(linear, segment.extents);
  point.linear = linear;
  point.shape = segment.extents;
  point.flat = true;
  point.lanes = lanes;
  Extent inner = segment.extents.empty() ? Extent{1} : segment.extents.back();
  point.crossesRows =
      lanes > 1 && !segment.flat && inner.isStatic() && inner.size % lanes != 0;
  return point;
}

void SegmentLowering::emitFlat(const Index &unit, const Index &total) {
  Index first = emitter.mul(unit, Index::constant(vector));
  if (isWholeVectors() || vector == 1)
    return frame.ifTrue(emitter.less(first, total),
                        [&] { storeAt(flatPoint(first, vector)); });
  Index last = emitter.add(first, Index::constant(vector - 1));
  frame.ifElse(
      emitter.less(last, total), [&] { storeAt(flatPoint(first, vector)); },
      [&] {
        OpBuilder &builder = frame.builder;
        auto loop =
            scf::ForOp::create(builder, frame.loc(), emitter.materialize(first),
                               emitter.materialize(total),
                               emitter.materialize(Index::constant(1)));
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToStart(loop.getBody());
        PointEmitter::Scope scope(emitter);
        storeAt(flatPoint({loop.getInductionVar()}, 1));
      });
}

void SegmentLowering::emitTurned(const Index &unit) {
  Index first = emitter.mul(unit, Index::constant(box->elements()));
  Index total = emitter.product(segment.extents);
  frame.ifTrue(emitter.less(first, total),
               [&] { emitTurnedUnit(frame, segment, *box, unit); });
}

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

int64_t SegmentLowering::headsTogether(PointwiseScheduleAttr schedule) const {
  if (!segment.rotation || segment.rotation->headAxis < 0)
    return 1;
  Extent heads = segment.extents[segment.rotation->headAxis];
  int64_t rotated = segment.rotation->heads.value_or(0);
  return heads.isStatic() && heads.size > 0
             ? std::gcd(std::gcd(schedule.getHeads(), heads.size), rotated)
             : 1;
}

/// As many neighbours as divide the dimension, where vectors stay in rows.
int64_t
SegmentLowering::repeatedTogether(PointwiseScheduleAttr schedule) const {
  int64_t places = segment.repeatedTogether(schedule.getHeads());
  return places > 1 && emitter.divides(vector, segment.extents.back()) ? places
                                                                       : 1;
}

/// The dimensions before the features, with a step for each group of heads.
SmallVector<Extent> SegmentLowering::headGroups() const {
  SmallVector<Extent> groups(ArrayRef(segment.extents).drop_back());
  if (together > 1)
    groups[segment.rotation->headAxis] = {
        groups[segment.rotation->headAxis].size / together};
  return groups;
}

Point SegmentLowering::featurePoint(ArrayRef<Index> head,
                                    const Index &feature) {
  SmallVector<Index, 4> place(head);
  place.push_back(feature);
  return vectorPoint(emitter, segment, place, vector);
}

/// Whether what is copied has to be written at all: null for always. It is
/// there already where each result has its input's buffer.
Value SegmentLowering::leavesInput() {
  if (!emitter.getOptions().inPlace)
    return {};
  SmallVector<InPlacePair> pairs = inPlacePairs(frame.kernel, frame.dims);
  OpBuilder &builder = frame.builder;
  Value leaves;
  for (unsigned result : segment.results) {
    auto rotary =
        frame.kernel.getYield().getValues()[result].getDefiningOp<RotaryOp>();
    auto input =
        rotary ? dyn_cast<BlockArgument>(rotary.getInput()) : BlockArgument();
    bool isPair =
        input && llvm::any_of(pairs, [&](const InPlacePair &pair) {
          return pair.result == result && pair.input == input.getArgNumber();
        });
    if (!isPair)
      return {};
    const KernelAbi &abi = emitter.getAbi();
    Value differs = LLVM::ICmpOp::create(
        builder, frame.loc(), LLVM::ICmpPredicate::ne, abi.results[result],
        abi.inputs[input.getArgNumber()]);
    leaves =
        leaves
            ? Value(arith::OrIOp::create(builder, frame.loc(), leaves, differs))
            : differs;
  }
  return leaves;
}

/// Writes vectors at these features of each head of a group. The angles are
/// computed for the first and shared by the others.
void SegmentLowering::storeHeads(ArrayRef<Index> group,
                                 ArrayRef<Index> features, bool isCopied) {
  auto store = [&] {
    SmallVector<Point> points;
    for (int64_t number = 0; number < together; ++number) {
      SmallVector<Index, 4> head(group);
      if (together > 1)
        head[segment.rotation->headAxis].offset += number;
      for (const Index &feature : features)
        points.push_back(featurePoint(head, feature));
    }
    storeAt(points);
  };
  frame.ifTrue(isCopied ? leavesInput() : Value(), store);
}

/// Calls `store` for the heads of a group that are rotated, and for those that
/// are copied.
void SegmentLowering::forTurnedHeads(const SmallVector<Index, 4> &group,
                                     StoreHeads store) {
  const Rotation &rotation = *segment.rotation;
  if (!rotation.heads)
    return store(group, /*isCopied=*/false);
  int64_t limit = *rotation.heads;
  SmallVector<Index, 4> head = group;
  Index &number = head[rotation.headAxis];
  frame.ifElse(
      emitter.less(number, Index::constant(limit)),
      [&] {
        number = rebase(group[rotation.headAxis], 0, limit - together + 1);
        store(head, /*isCopied=*/false);
      },
      [&] {
        number = rebase(group[rotation.headAxis], limit, INT64_MAX / 2);
        store(head, /*isCopied=*/true);
      });
}

/// `feature` is the first of a vector, and where the layout is `half` also of
/// the one R/2 after it; `group` is the group's first head.
void SegmentLowering::emitFeatures(const SmallVector<Index, 4> &group,
                                   const Index &feature) {
  const Rotation &rotation = *segment.rotation;
  bool isHalf = rotation.layout == RotaryLayout::half;
  int64_t turned = isHalf ? rotation.dims / 2 : rotation.dims;
  int64_t skipped = rotation.dims - turned;
  auto storeTurnedHeads = [&] {
    forTurnedHeads(group, [&](ArrayRef<Index> head, bool isCopied) {
      SmallVector<Index, 2> features = {rebase(feature, 0, turned)};
      if (isHalf)
        features.push_back(emitter.add(features[0], Index::constant(turned)));
      storeHeads(head, features, isCopied);
    });
  };
  if (rotation.dims == rotation.headDim)
    return storeTurnedHeads();
  frame.ifElse(
      emitter.less(feature, Index::constant(turned)), storeTurnedHeads, [&] {
        Index copied = rebase(emitter.add(feature, Index::constant(skipped)),
                              rotation.dims, rotation.headDim);
        storeHeads(group, copied, /*isCopied=*/true);
      });
}

/// Computes what rotary ops read at the point in vectors, for lanes that are
/// asked for one by one.
void SegmentLowering::knowLanes(const Point &point) {
  for (RotaryOp rotary : frame.kernel.getBody().getOps<RotaryOp>()) {
    if (frame.dims.extents(rotary.getResult()) != segment.extents)
      continue;
    Value lanes = emitter.emitLanes(rotary.getInput(), point);
    for (int64_t lane = 0; lane < point.lanes; ++lane)
      emitter.define(
          rotary.getInput(), emitter.lanePoint(point, lane),
          vector::ExtractOp::create(frame.builder, frame.loc(), lanes, lane));
  }
}

/// All pairs of each head of a group, head by head: their angles are computed
/// for the first.
void SegmentLowering::emitPairs(const SmallVector<Index, 4> &group) {
  forTurnedHeads(group, [&](ArrayRef<Index> first, bool isCopied) {
    frame.ifTrue(isCopied ? leavesInput() : Value(), [&] {
      for (int64_t number = 0; number < together; ++number) {
        SmallVector<Index, 4> head(first);
        if (together > 1)
          head[segment.rotation->headAxis].offset += number;
        SmallVector<Point> points;
        for (int64_t at = 0; at < pairsTogether(); at += vector)
          points.push_back(featurePoint(head, Index::constant(at)));
        if (!isCopied)
          llvm::for_each(points, [&](const Point &each) { knowLanes(each); });
        storeAt(points);
      }
    });
  });
}

void SegmentLowering::emitHeads(const Index &unit) {
  Index units = Index::constant(headUnits());
  GridFactor all = grid().factors.front();
  frame.ifTrue(emitter.less(unit, emitter.product(all.extents)), [&] {
    SmallVector<Index, 4> group =
        emitter.delinearize(emitter.div(unit, units), headGroups());
    if (together > 1) {
      Index &head = group[segment.rotation->headAxis];
      head = emitter.mul(head, Index::constant(together));
    }
    Index number = emitter.rem(unit, units);
    if (cutsPairs())
      return forTurnedHeads(group, [&](ArrayRef<Index> head, bool isCopied) {
        Index feature = emitter.mul(number, Index::constant(vector));
        storeHeads(head, feature, isCopied);
      });
    int64_t pairs = pairsTogether();
    if (pairs == 0)
      return emitFeatures(group, emitter.mul(number, Index::constant(vector)));
    frame.ifElse(
        emitter.less(number, Index::constant(1)), [&] { emitPairs(group); },
        [&] {
          Index feature =
              emitter.add(emitter.mul(number, Index::constant(vector)),
                          Index::constant(pairs - vector));
          storeHeads(group, rebase(feature, pairs, segment.rotation->headDim),
                     /*isCopied=*/true);
        });
  });
}

/// Several heads take up to 64 registers. ptxas would rather spill a few bytes
/// than run fewer threads, although so many are enough to hide memory behind.
static void limitRegisters(KernelFrame &frame, int64_t threads) {
  constexpr int64_t threadsWanted = 1024;
  if (threads == 1)
    return;
  int64_t blocks = std::max<int64_t>(1, threadsWanted / threads);
  frame.function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                          frame.builder.getI32IntegerAttr(blocks));
}

/// What a thread cannot compute by itself at one place.
static LogicalResult verifyPoints(KernelOp kernel) {
  for (Operation &op : kernel.getBody().front())
    if (isa<ContractOp>(op) || isRowOrder(&op))
      return kernel.emitError()
             << "expected a kernel without " << op.getName()
             << " for #fuse.pointwise, but got one with it; leave the schedule "
                "to fuse-assign-schedules";
  return success();
}

/// The blocks of all members: each has a whole number of its own.
static GridTerm allBlocks(ArrayRef<GridTerm> members) {
  GridTerm all = members.front();
  for (const GridTerm &member : members.drop_front())
    all.factors.front().others.push_back(member.factors.front());
  return all;
}

FailureOr<Grid> mlir::fuse::lowerPointwise(KernelFrame &frame,
                                           PointwiseScheduleAttr schedule) {
  if (failed(verifyPoints(frame.kernel)))
    return failure();
  SmallVector<Segment> segments = segmentsOf(frame.kernel, frame.dims);
  SmallVector<SegmentLowering, 0> lowerings;
  for (const Segment &segment : segments) {
    lowerings.emplace_back(frame, segment, schedule);
    if (failed(lowerings.back().verify()))
      return failure();
  }
  if (llvm::any_of(lowerings, [](const SegmentLowering &segment) {
        return segment.sharesAngles();
      }))
    limitRegisters(frame, schedule.getThreads());
  SmallVector<SegmentGroup, 0> groups =
      groupAlike(frame, segments, [&](unsigned number) {
        return lowerings[number].isWholeVectors();
      });
  Grid grid;
  SmallVector<SmallVector<GridTerm, 1>, 0> blocks;
  for (const SegmentGroup &group : groups) {
    blocks.emplace_back();
    for (const AlikeSegment &member : group.members)
      blocks.back().push_back(lowerings[member.number].grid());
    grid.push_back(allBlocks(blocks.back()));
  }
  frame.divideBlocks(grid, [&](unsigned number, const Index &block) {
    const SegmentGroup &group = groups[number];
    emitForMember(frame, segments, group, blocks[number], block,
                  [&](const GroupBlock &at) {
                    lowerings[group.members.front().number].emit(at);
                  });
  });
  return grid;
}
