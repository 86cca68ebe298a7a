//===- ColumnsLowering.h - The lowering of #fuse.columns --------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_COLUMNSLOWERING_H
#define FUSE_LIB_CONVERSION_COLUMNSLOWERING_H

#include "KernelFrame.h"
#include "Reductions/StateLoop.h"
#include "Reductions/ThreadReduce.h"

#include "fuse/Analysis/ReductionSegments.h"
#include <optional>

namespace mlir::fuse {

/// Lowers the columns of a kernel; see LowerColumns.cpp.
class ColumnsLowering {
public:
  /// `vector`: elements of the segment's vectors. `firstState`: the number of
  /// its first part state.
  ColumnsLowering(KernelFrame &frame, ColumnsScheduleAttr schedule,
                  const ReductionSegment &segment, int64_t vector,
                  unsigned firstState)
      : frame(frame), emitter(frame.emitter), schedule(schedule),
        segment(segment), space(segment.space), firstState(firstState),
        kept(this->space.keptExtents()), places(this->space.reducedExtents()),
        vector(vector), splits(schedule.getSplits()),
        vectors(schedule.getThreads() / schedule.getSplits()),
        alongPlaces(this->space.isReduced(this->space.domain.size() - 1)),
        width(alongPlaces ? 1 : vector) {}

  LogicalResult verify();
  GridTerm gridOfPart() const { return {{{kept, width * vectors}}}; }
  GridTerm grid() const {
    GridTerm term = gridOfPart();
    if (clustered() > 1)
      term.factors.push_back({{{clustered()}}, 1});
    return term;
  }
  /// Emits the work of a block of a part; there is one part where the kernel
  /// leaves none.
  void emit(const Index &block, const Index &part, const Index &parts);

private:
  using States = ReductionStates;
  /// Takes the elements at some points into the states.
  using Visit = llvm::function_ref<States(States, ArrayRef<Point>)>;

  LogicalResult verifyResults();
  LogicalResult verifyCluster();
  LogicalResult verifyFold();
  void foldRows();
  bool isHeld() const { return isa<RegistersHoldAttr>(schedule.getHold()); }
  int64_t clustered() const { return schedule.clusterSize(); }
  /// Neighbouring rows that are walked as one.
  int64_t folded() const { return schedule.getFold(); }
  /// Whether several blocks walk the places of a column.
  bool isShared() const { return frame.partStates || clustered() > 1; }
  bool isWalkedOnce() const {
    return isOneWalk(segment.ops, segment.stored, space, frame.dims);
  }
  Index placeBlock(const Index &block);
  void placeOneColumn();
  bool combinesLanes() const {
    return !alongPlaces && vector > 1 && splits >= vector && divides();
  }
  void placeThread(const Index &block);
  void placeStride();
  void placeHeldPoints();
  bool divides() const;
  /// Whether columns start and end anywhere between two multiples of the
  /// vector.
  bool hasEdges() const { return alongPlaces && !divides(); }
  /// Whether rows of columns do so; the last vector then overlaps another.
  bool overlaps() const { return !alongPlaces && !divides(); }
  bool mayOverlap() const;
  void placeHead();
  Point pointAtPlace(const Index &place, int64_t lanes);
  Point pointAt(const Index &vectorPlace, Behind behind = Behind::unknown);
  /// Places, or vectors of them, of a column.
  Index walkedPlaces() {
    return emitter.div(emitter.sub(emitter.product(places), head),
                       Index::constant(vector / width * folded()));
  }
  Point reducedPoint(Value value);
  void forOwnColumns(llvm::function_ref<void(int64_t)> body);
  /// The states, if any, are those of the reducers.
  States walk(MutableArrayRef<Reducer> reducers, States states, Visit visit);
  States walkHeld(States states, Visit visit);
  States walkLoops(MutableArrayRef<Reducer> reducers,
                   ArrayRef<BlockArgument> streamed, States states,
                   Visit visit);
  States walkEdges(const States &states, Visit visit);
  Index endOfTail(const Index &steps, const Index &count);
  Reducer::Lanes lanes() const {
    return alongPlaces ? Reducer::Lanes::partsOfOneResult
                       : Reducer::Lanes::results;
  }
  States walkLevel(MutableArrayRef<Reducer> reducers,
                   ArrayRef<unsigned> full = {});
  void define(MutableArrayRef<Reducer> reducers, const States &states);
  void reduceLevel(ArrayRef<Operation *> ops);
  /// As reduceLevel for a level after which only the threads that write go on.
  void reduceLastLevel(ArrayRef<Operation *> ops, ArrayRef<unsigned> full,
                       ArrayRef<unsigned> reduced);
  /// Stores, by their numbers in the segment.
  void storeAt(ArrayRef<unsigned> stores, ArrayRef<Point> points);
  void storeFull(ArrayRef<unsigned> stores);
  void storeReduced(ArrayRef<unsigned> stores);
  void leaveColumns(const States &states);
  void finishColumns(MutableArrayRef<Reducer> reducers, const States &states,
                     ArrayRef<unsigned> reduced);

  KernelFrame &frame;
  PointEmitter &emitter;
  ColumnsScheduleAttr schedule;
  const ReductionSegment &segment;
  ReductionSpace space;
  unsigned firstState;
  SmallVector<Extent> kept, places;
  int64_t vector, splits;
  /// Vectors of columns of a block.
  int64_t vectors;
  /// Whether the lanes of a vector are neighbouring places of one column, and
  /// the columns of a vector.
  bool alongPlaces;
  int64_t width;
  Index thread;
  SliceGroup group;
  /// This block's part of the places, and the number of parts.
  Index part = Index::constant(0), parts = Index::constant(1);
  /// What the first block of a cluster waits at.
  Value arrival;
  /// This thread's columns: their position and their indices. Those before
  /// `firstOwn` are another thread's.
  Index column, firstOwn;
  SmallVector<Index, 4> columnDims;
  Value exists;
  /// Where the reduced dimensions are neighbours: the elements from one place
  /// to the next, and this thread's at the first place.
  std::optional<std::pair<Index, Index>> stride;
  /// Places before the first vector.
  Index head = Index::constant(0);
  /// With hold = registers: all points of this thread.
  SmallVector<Point> held;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_COLUMNSLOWERING_H
