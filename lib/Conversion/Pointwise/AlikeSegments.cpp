//===- AlikeSegments.cpp - Segments that share their code -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AlikeSegments.h"

#include "fuse/Analysis/KernelEdge.h"
#include "fuse/Analysis/Strides.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// The values of one segment, each with the one in its place in another.
class Correspondence {
public:
  Correspondence(KernelFrame &frame, const Segment &first, const Segment &other)
      : frame(frame), first(first), other(other) {}

  /// Whether the results are computed alike.
  bool find();
  bool differInSize() const { return first.extents != other.extents; }
  /// The inputs of the first and those in their places, in one order.
  SmallVector<std::pair<unsigned, unsigned>> inputs() const;

private:
  bool isAlike(Value a, Value b) const;
  bool isOfOneShape(Value a, Value b) const;
  bool isAlikeInput(BlockArgument a, BlockArgument b) const;
  bool isAlikeOp(Operation *a, Operation *b) const;

  KernelFrame &frame;
  const Segment &first, &other;
  llvm::MapVector<Value, Value> partners;
};
} // namespace

bool Correspondence::find() {
  if (first.results.size() != other.results.size() ||
      first.flat != other.flat || (differInSize() && !first.flat))
    return false;
  SmallVector<std::pair<Value, Value>> work;
  OperandRange yielded = frame.kernel.getYield().getValues();
  for (auto [a, b] : llvm::zip_equal(first.results, other.results)) {
    bool isStored = resultKind(frame.kernel, a) == StrideKind::dense &&
                    resultKind(frame.kernel, b) == StrideKind::dense &&
                    storedValue(yielded[a]) == yielded[a];
    if (!isStored)
      return false;
    work.push_back({yielded[a], yielded[b]});
  }
  while (!work.empty()) {
    auto [a, b] = work.pop_back_val();
    auto [it, isNew] = partners.insert({a, b});
    if (!isNew) {
      if (it->second != b)
        return false;
      continue;
    }
    if (!isAlike(a, b))
      return false;
    if (Operation *op = a.getDefiningOp())
      for (auto [ofA, ofB] :
           llvm::zip_equal(op->getOperands(), b.getDefiningOp()->getOperands()))
        work.push_back({ofA, ofB});
  }
  return true;
}

bool Correspondence::isOfOneShape(Value a, Value b) const {
  if (getElementTypeOrSelf(a.getType()) != getElementTypeOrSelf(b.getType()))
    return false;
  // Flat segments that differ in their sizes have only these two shapes.
  SmallVector<Extent> ofA = frame.dims.extents(a), ofB = frame.dims.extents(b);
  return ofA == ofB ||
         (differInSize() && ofA == first.extents && ofB == other.extents);
}

bool Correspondence::isAlikeInput(BlockArgument a, BlockArgument b) const {
  const KernelAbi &abi = frame.emitter.getAbi();
  return a == b || (strideKind(a) == StrideKind::dense &&
                    strideKind(b) == StrideKind::dense &&
                    abi.scalars.contains(a.getArgNumber()) ==
                        abi.scalars.contains(b.getArgNumber()));
}

bool Correspondence::isAlikeOp(Operation *a, Operation *b) const {
  return a->getName() == b->getName() &&
         a->getAttrDictionary() == b->getAttrDictionary() &&
         a->getNumRegions() == 0 &&
         a->getNumOperands() == b->getNumOperands() &&
         frame.emitter.mustRepeat(a) == frame.emitter.mustRepeat(b);
}

bool Correspondence::isAlike(Value a, Value b) const {
  if (!isa<RankedTensorType>(a.getType()) ||
      !isa<RankedTensorType>(b.getType()))
    return a == b;
  if (!isOfOneShape(a, b))
    return false;
  auto inputA = dyn_cast<BlockArgument>(a), inputB = dyn_cast<BlockArgument>(b);
  if (inputA || inputB)
    return inputA && inputB && isAlikeInput(inputA, inputB);
  auto resultA = cast<OpResult>(a), resultB = cast<OpResult>(b);
  return resultA.getResultNumber() == resultB.getResultNumber() &&
         isAlikeOp(resultA.getOwner(), resultB.getOwner());
}

SmallVector<std::pair<unsigned, unsigned>> Correspondence::inputs() const {
  SmallVector<std::pair<unsigned, unsigned>> found;
  for (auto [a, b] : partners)
    if (auto input = dyn_cast<BlockArgument>(a))
      found.push_back(
          {input.getArgNumber(), cast<BlockArgument>(b).getArgNumber()});
  llvm::sort(found);
  return found;
}

/// Equal for values that are computed alike, and for few others.
static DenseMap<Value, llvm::hash_code> hashValues(KernelOp kernel) {
  DenseMap<Value, llvm::hash_code> hashes;
  auto ofType = [](Value value) {
    return llvm::hash_value(
        getElementTypeOrSelf(value.getType()).getAsOpaquePointer());
  };
  Block &body = kernel.getBody().front();
  for (BlockArgument input : body.getArguments())
    hashes.insert({input, ofType(input)});
  for (Operation &op : body.without_terminator()) {
    llvm::hash_code hash =
        llvm::hash_combine(op.getName().getAsOpaquePointer(),
                           op.getAttrDictionary().getAsOpaquePointer());
    for (Value operand : op.getOperands())
      hash = llvm::hash_combine(hash, hashes.lookup(operand));
    for (OpResult result : op.getResults())
      hashes.insert({result, llvm::hash_combine(hash, ofType(result),
                                                result.getResultNumber())});
  }
  return hashes;
}

/// Adds a segment to the group if it is alike.
static bool joinGroup(SegmentGroup &group, KernelFrame &frame,
                      ArrayRef<Segment> segments, unsigned number,
                      llvm::function_ref<bool(unsigned)> isWhole) {
  AlikeSegment &head = group.members.front();
  Correspondence found(frame, segments[head.number], segments[number]);
  if (isWhole(head.number) != isWhole(number) || !found.find())
    return false;
  AlikeSegment member{number, {}, segments[number].results};
  head.inputs.clear();
  for (auto [first, own] : found.inputs()) {
    head.inputs.push_back(first);
    member.inputs.push_back(own);
  }
  group.differInSize |= found.differInSize();
  group.members.push_back(std::move(member));
  return true;
}

SmallVector<SegmentGroup, 0>
mlir::fuse::groupAlike(KernelFrame &frame, ArrayRef<Segment> segments,
                       llvm::function_ref<bool(unsigned)> isWhole) {
  // Code of its own keeps a segment's sizes and addresses constant.
  constexpr size_t fewest = 4;
  SmallVector<SegmentGroup, 0> groups;
  auto addAlone = [&](unsigned number) {
    groups.push_back({{{number, {}, segments[number].results}}});
  };
  DenseMap<Value, llvm::hash_code> hashes;
  if (segments.size() >= fewest)
    hashes = hashValues(frame.kernel);
  DenseMap<size_t, SmallVector<size_t, 1>> byHash;
  for (unsigned number = 0; number < segments.size(); ++number) {
    llvm::hash_code hash = llvm::hash_value(segments[number].results.size());
    for (unsigned result : segments[number].results)
      hash = llvm::hash_combine(
          hash, hashes.lookup(frame.kernel.getYield().getValues()[result]));
    SmallVector<size_t, 1> &alike = byHash[hash];
    if (llvm::none_of(alike, [&](size_t group) {
          return joinGroup(groups[group], frame, segments, number, isWhole);
        })) {
      alike.push_back(groups.size());
      addAlone(number);
    }
  }
  for (size_t group = 0, all = groups.size(); group < all; ++group)
    if (groups[group].members.size() < fewest)
      while (groups[group].members.size() > 1)
        addAlone(groups[group].members.pop_back_val().number);
  llvm::sort(groups, [](const SegmentGroup &a, const SegmentGroup &b) {
    return a.members.front().number < b.members.front().number;
  });
  return groups;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

namespace {
/// Finds a block's segment among those of a group.
class MemberSearch {
public:
  MemberSearch(KernelFrame &frame, ArrayRef<Segment> segments,
               const SegmentGroup &group, ArrayRef<GridTerm> blocks,
               const Index &block);

  /// Of the block's segment: its inputs, its results, its first block and,
  /// where they differ, its number of elements.
  SmallVector<Value> find() { return find(0, group.members.size()); }

private:
  SmallVector<Value> find(size_t begin, size_t end);
  SmallVector<Value> valuesOf(size_t member);

  KernelFrame &frame;
  ArrayRef<Segment> segments;
  const SegmentGroup &group;
  const Index &block;
  /// The first block of each member.
  SmallVector<Index> starts;
};
} // namespace

MemberSearch::MemberSearch(KernelFrame &frame, ArrayRef<Segment> segments,
                           const SegmentGroup &group, ArrayRef<GridTerm> blocks,
                           const Index &block)
    : frame(frame), segments(segments), group(group), block(block),
      starts({Index::constant(0)}) {
  for (const GridTerm &term : blocks.drop_back())
    starts.push_back(frame.emitter.add(starts.back(), frame.blocks(term)));
}

SmallVector<Value> MemberSearch::valuesOf(size_t member) {
  const KernelAbi &abi = frame.emitter.getAbi();
  const AlikeSegment &segment = group.members[member];
  SmallVector<Value> values;
  for (unsigned input : segment.inputs) {
    Value scalar = abi.scalars.lookup(input);
    values.push_back(scalar ? scalar : abi.inputs[input]);
  }
  for (unsigned result : segment.results)
    values.push_back(abi.results[result]);
  values.push_back(frame.emitter.materialize(starts[member]));
  if (group.differInSize)
    values.push_back(frame.emitter.materialize(
        frame.emitter.product(segments[segment.number].extents)));
  return values;
}

/// Halves the members, so that a block compares its number a few times only.
SmallVector<Value> MemberSearch::find(size_t begin, size_t end) {
  if (begin + 1 == end)
    return valuesOf(begin);
  size_t middle = begin + (end - begin) / 2;
  OpBuilder &builder = frame.builder;
  Value isBefore = frame.emitter.less(block, starts[middle]);
  auto emitHalf = [&](size_t from, size_t to) {
    return [&, from, to](OpBuilder &, Location loc) {
      PointEmitter::Scope scope(frame.emitter);
      scf::YieldOp::create(builder, loc, find(from, to));
    };
  };
  auto branch =
      scf::IfOp::create(builder, frame.loc(), isBefore, emitHalf(begin, middle),
                        emitHalf(middle, end));
  return SmallVector<Value>(branch.getResults());
}

void mlir::fuse::emitForMember(
    KernelFrame &frame, ArrayRef<Segment> segments, const SegmentGroup &group,
    ArrayRef<GridTerm> blocks, const Index &block,
    llvm::function_ref<void(const GroupBlock &)> body) {
  PointEmitter &emitter = frame.emitter;
  const AlikeSegment &head = group.members.front();
  if (group.members.size() == 1)
    return body({block, emitter.product(segments[head.number].extents)});
  SmallVector<Value> found =
      MemberSearch(frame, segments, group, blocks, block).find();
  auto *next = found.begin();
  KernelAbi abi = emitter.getAbi();
  for (unsigned input : head.inputs)
    (abi.scalars.contains(input) ? abi.scalars[input] : abi.inputs[input]) =
        *next++;
  for (unsigned result : head.results)
    abi.results[result] = *next++;
  Index own = emitter.sub(block, {*next++});
  Index elements = group.differInSize
                       ? Index{*next++}
                       : emitter.product(segments[head.number].extents);
  emitter.exchangeAbi(abi);
  {
    PointEmitter::Scope scope(emitter);
    body({own, elements});
  }
  emitter.exchangeAbi(abi);
}
