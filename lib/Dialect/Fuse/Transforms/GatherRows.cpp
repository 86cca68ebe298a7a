//===- GatherRows.cpp - Elements of rows by their index among all ---------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loss reads one element of each row of a log_softmax, often at its index
// among the elements of all rows: row * columns + label. Which row that is,
// only the label tells, so that a kernel of rows would have to store all of
// its elements first. Two forms compute the elements that are read alone:
//
//   rows      f(x[place / n]) [place % n]: a kernel of the rows that are read,
//             where nothing else needs these rows
//   elements  what follows from a row's reductions element by element is
//             computed at the place, from x[place] and the results of the
//             reductions of row place / n
//
// Both read what the program reads for every label, also for those outside of
// their row, which are elements of another one, and outside of the tensor.
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"
#include "ReshapeOperands.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

#include <limits>

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEGATHERROWS
#include "fuse/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// How a value broadcasts to the rows: all of it, a number for each row, or the
/// same for all rows.
enum class Part { whole, ofRows, ofColumns };

static std::optional<Part> partOf(Value value, RankedTensorType rows) {
  ArrayRef<int64_t> shape = tensorType(value).getShape();
  ArrayRef<int64_t> all = rows.getShape();
  if (shape == all)
    return Part::whole;
  if (shape.size() == all.size() && shape.back() == 1 &&
      shape.drop_back() == all.drop_back())
    return Part::ofRows;
  auto isOne = [](int64_t size) { return size == 1; };
  if (shape.empty() || llvm::all_of(shape.drop_back(), isOne))
    return Part::ofColumns;
  return std::nullopt;
}

/// A reduction of each row to a number that keeps its dimension.
static bool reducesRows(Operation *op, RankedTensorType rows) {
  auto reduce = dyn_cast<ReduceOp>(op);
  return reduce && reduce.getKeep() &&
         reduce.getDims() == ArrayRef<int64_t>(rows.getRank() - 1) &&
         tensorType(reduce.getInput()).getShape() == rows.getShape();
}

/// Whether the op computes a value of the rows' shape, or one for each row,
/// element by element.
static bool computesElements(Operation *op, RankedTensorType rows) {
  auto isWithin = [&](Value value) { return partOf(value, rows).has_value(); };
  auto isOfRows = [&](Value value) {
    std::optional<Part> part = partOf(value, rows);
    return part && *part != Part::ofColumns;
  };
  return isShapeless(op) && isOfRows(op->getResult(0)) &&
         llvm::all_of(op->getOperands(), isWithin);
}

/// Whether `place` is row * columns + label of each row: of about as many
/// elements as there are rows, neighbours in their order.
static bool isOfEachRow(Value place, int64_t columns) {
  auto isIndex = [](Value value) {
    while (Operation *op = value.getDefiningOp()) {
      if (isa<IotaOp>(op))
        return true;
      if (!isa<CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
        break;
      value = op->getOperand(0);
    }
    return false;
  };
  auto isColumns = [&](Value value) {
    APInt number;
    return matchPattern(value, m_ConstantInt(&number)) && number == columns;
  };
  auto isStart = [&](Value value) {
    auto mul = value.getDefiningOp<MulOp>();
    return mul && ((isIndex(mul.getLhs()) && isColumns(mul.getRhs())) ||
                   (isIndex(mul.getRhs()) && isColumns(mul.getLhs())));
  };
  auto add = place.getDefiningOp<AddOp>();
  return add && (isStart(add.getLhs()) || isStart(add.getRhs()));
}

namespace {
class FlatGather {
public:
  explicit FlatGather(GatherOp gather) : gather(gather) {}

  /// Whether it is a gather of such elements of rows.
  bool match();
  void rewrite();

private:
  bool isOnlyRead(Value value) const;
  void collectRows();
  bool takesRows() const;
  Value emitConstant(Type element, double value) {
    return emitScalar(*builder, element, value);
  }
  /// The value with its leading dimensions joined.
  Value emitJoined(Value value, unsigned kept);
  Value earliestOfShape() const;
  void emitPlaces();
  Value emitPart(Value value, Value ofRows, Value ofColumns);
  Value emitAtPlaces(Value value);
  Value emitRows(Value value);
  Value emitClone(Operation *op, llvm::function_ref<Value(Value)> part,
                  bool asRows);
  Value replaceByRows();
  Value replaceByElements();

  GatherOp gather;
  tensor::CollapseShapeOp flat;
  Value source;
  RankedTensorType rows;
  /// What computes the rows and is needed for nothing else.
  llvm::SmallSetVector<Operation *, 16> own;
  std::optional<ImplicitLocOpBuilder> builder;
  /// Where the elements are: their row, their column, and whether the tensor
  /// has them.
  Value row, column, inside;
  DenseMap<Value, Value> emitted;
};
} // namespace

bool FlatGather::match() {
  flat = gather.getTable().getDefiningOp<tensor::CollapseShapeOp>();
  if (!flat || flat.getResultType().getRank() != 1)
    return false;
  source = flat.getSrc();
  rows = tensorType(source);
  if (rows.getRank() < 2 || rows.isDynamicDim(rows.getRank() - 1) ||
      rows.getShape().back() < 1 || tensorType(gather.getIds()).getRank() < 1)
    return false;
  // What is returned is in memory anyway.
  auto isStored = [](Operation *user) { return isa<func::ReturnOp>(user); };
  Operation *op = source.getDefiningOp();
  if (!op || !computesElements(op, rows) ||
      llvm::any_of(source.getUsers(), isStored) ||
      !followsFromReduction(source))
    return false;
  // Products of 32 bits may wrap around, and are then other elements.
  bool isWide = getElementTypeOrSelf(gather.getIds()).isInteger(64);
  bool isSmall = rows.hasStaticShape() &&
                 rows.getNumElements() <= std::numeric_limits<int32_t>::max();
  return (isWide || isSmall) &&
         isOfEachRow(gather.getIds(), rows.getShape().back());
}

/// Whether nothing but the rows needs the value's elements.
bool FlatGather::isOnlyRead(Value value) const {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    auto iota = dyn_cast<IotaOp>(user);
    return own.contains(user) || user == flat || isa<tensor::DimOp>(user) ||
           (iota && iota.getLike() == value);
  });
}

void FlatGather::collectRows() {
  llvm::SmallSetVector<Value, 16> work;
  work.insert(source);
  // Users come after what they read, so that they are known by then.
  for (Operation *op = source.getDefiningOp(); op; op = op->getPrevNode()) {
    bool isNeeded = llvm::any_of(
        op->getResults(), [&](Value result) { return work.contains(result); });
    if (!isNeeded || !isOnlyRead(op->getResult(0)) ||
        !(computesElements(op, rows) || reducesRows(op, rows)))
      continue;
    own.insert(op);
    work.insert(op->operand_begin(), op->operand_end());
  }
}

/// Whether the rows can be computed where they are read, once.
bool FlatGather::takesRows() const {
  if (!flat->hasOneUse() || !own.contains(source.getDefiningOp()))
    return false;
  for (Operation *op : own)
    for (Value operand : op->getOperands()) {
      bool isLeaf = !own.contains(operand.getDefiningOp());
      if (!isLeaf || partOf(operand, rows) == Part::ofColumns)
        continue;
      if (followsFromReduction(operand) || !isOnlyRead(operand))
        return false;
    }
  return llvm::any_of(own, [](Operation *op) { return isa<ReduceOp>(op); });
}

Value FlatGather::emitJoined(Value value, unsigned kept) {
  RankedTensorType type = tensorType(value);
  ReshapeGroups groups(1);
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (dim + kept >= type.getRank() && !groups.back().empty())
      groups.emplace_back();
    groups.back().push_back(dim);
  }
  if (static_cast<int64_t>(groups.size()) == type.getRank())
    return value;
  return tensor::CollapseShapeOp::create(*builder, value, groups);
}

/// What the rows are computed from: who asks for sizes should not need the
/// rows.
Value FlatGather::earliestOfShape() const {
  Value value = source;
  while (Operation *op = value.getDefiningOp()) {
    auto whole = llvm::find_if(op->getOperands(), [&](Value operand) {
      return partOf(operand, rows) == Part::whole;
    });
    if (!computesElements(op, rows) || whole == op->operand_end())
      break;
    value = *whole;
  }
  return value;
}

void FlatGather::emitPlaces() {
  Value place = gather.getIds();
  Type element = getElementTypeOrSelf(place);
  Value columns =
      emitConstant(element, static_cast<double>(rows.getShape().back()));
  row = DivOp::create(*builder, place, columns);
  Value start = MulOp::create(*builder, row, columns);
  column = SubOp::create(*builder, place, start);
  // An index that is gathered by itself is itself where there is one.
  Value like = emitJoined(earliestOfShape(), 1);
  RankedTensorType type = tensorType(like).clone(element);
  if (type.hasStaticShape())
    like = Value();
  auto emitIota = [&](int64_t dim) -> Value {
    return IotaOp::create(*builder, type, dim, /*from_end=*/false, like);
  };
  Value starts = MulOp::create(*builder, emitIota(0), columns);
  Value index = AddOp::create(*builder, starts, emitIota(1));
  Value found = GatherOp::create(*builder, emitJoined(index, 0), place, 0);
  inside = CompareOp::create(*builder, ComparePredicate::eq, found, place);
}

/// A copy of the op on what `part` makes of its operands.
Value FlatGather::emitClone(Operation *op,
                            llvm::function_ref<Value(Value)> part,
                            bool asRows) {
  SmallVector<Value> operands = llvm::map_to_vector(op->getOperands(), part);
  SmallVector<int64_t> shape(tensorType(gather.getIds()).getShape());
  if (asRows)
    shape.push_back(tensorType(op->getResult(0)).getShape().back());
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return ReduceOp::create(*builder, reduce.getKind(), operands.front(),
                            static_cast<int64_t>(shape.size()) - 1,
                            /*keep=*/true);
  Operation *clone = builder->clone(*op);
  clone->setOperands(operands);
  clone->getResult(0).setType(
      RankedTensorType::get(shape, getElementTypeOrSelf(op->getResult(0))));
  return clone->getResult(0);
}

/// The rows that are read of a value.
Value FlatGather::emitRows(Value value) {
  if (Value known = emitted.lookup(value))
    return known;
  Value result;
  Operation *op = value.getDefiningOp();
  if (op && own.contains(op))
    result = emitClone(
        op, [&](Value v) { return emitRows(v); },
        /*asRows=*/true);
  else if (partOf(value, rows) == Part::ofColumns)
    result = tensorType(value).getRank() < 2 ? value : emitJoined(value, 0);
  else
    result = GatherOp::create(*builder, emitJoined(value, 1), row, 0);
  emitted[value] = result;
  return result;
}

/// The elements that are read of a value.
Value FlatGather::emitAtPlaces(Value value) {
  if (Value known = emitted.lookup(value))
    return known;
  Value result;
  Operation *op = value.getDefiningOp();
  bool ofColumns = partOf(value, rows) == Part::ofColumns;
  if (op && !ofColumns && computesElements(op, rows)) {
    result = emitClone(
        op, [&](Value v) { return emitAtPlaces(v); },
        /*asRows=*/false);
  } else if (ofColumns) {
    Value line = tensorType(value).getRank() < 2 ? value : emitJoined(value, 0);
    RankedTensorType type = tensorType(line);
    bool isOne = type.getRank() == 0 || type.getShape().back() == 1;
    result = isOne ? line : Value(GatherOp::create(*builder, line, column, 0));
  } else {
    Value place =
        partOf(value, rows) == Part::whole ? Value(gather.getIds()) : row;
    result = GatherOp::create(*builder, emitJoined(value, 0), place, 0);
  }
  emitted[value] = result;
  return result;
}

Value FlatGather::replaceByRows() {
  Value taken = emitRows(source);
  Value none = emitConstant(getElementTypeOrSelf(column), -1);
  Value ids = SelectOp::create(*builder, inside, column, none);
  RankedTensorType type = tensorType(ids);
  SmallVector<int64_t> shape(type.getShape());
  shape.push_back(1);
  ReshapeGroups groups = groupsWithout(type.getRank() + 1, type.getRank());
  ids =
      expandOperand(*builder, gather.getLoc(), ids, type.clone(shape), groups);
  Value element = TakeAlongOp::create(*builder, taken, ids, type.getRank());
  return tensor::CollapseShapeOp::create(*builder, gather.getType(), element,
                                         groups);
}

Value FlatGather::replaceByElements() {
  Value value = emitAtPlaces(source);
  Type element = getElementTypeOrSelf(value);
  double nothing =
      isa<FloatType>(element) ? std::numeric_limits<double>::quiet_NaN() : 0;
  return SelectOp::create(*builder, inside, value,
                          emitConstant(element, nothing));
}

void FlatGather::rewrite() {
  builder.emplace(gather.getLoc(), gather);
  collectRows();
  bool asRows = takesRows();
  emitPlaces();
  gather.replaceAllUsesWith(asRows ? replaceByRows() : replaceByElements());
  gather.erase();
}

namespace {
struct GatherRows : public mlir::fuse::impl::FuseGatherRowsBase<GatherRows> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<GatherOp> gathers;
    for (Block &block : getOperation().getBody())
      llvm::append_range(gathers, block.getOps<GatherOp>());
    for (GatherOp op : gathers) {
      FlatGather gather(op);
      if (gather.match())
        gather.rewrite();
    }
  }
};
} // namespace
