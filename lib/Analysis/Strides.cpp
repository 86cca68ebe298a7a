//===- Strides.cpp - Which tensors are strided views ----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/Strides.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t vectorBytes = 16;

static StrideKind kindOfArgument(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  unsigned number = argument.getArgNumber();
  if (auto kernel = dyn_cast<KernelOp>(parent))
    return strideKind(kernel.getInputs()[number]);
  auto function = dyn_cast<FunctionOpInterface>(parent);
  if (!function || !argument.getOwner()->isEntryBlock())
    return StrideKind::dense;
  auto name = function.getArgAttrOfType<StringAttr>(number, kStridedAttr);
  return name ? symbolizeStrideKind(name.getValue()).value_or(StrideKind::any)
              : StrideKind::dense;
}

/// Whether the strides are multiples of a vector that the last dimension makes
/// where it becomes the last group of dimensions of `type`.
static bool keepsRowsAligned(ArrayRef<ReassociationIndices> reassociation,
                             RankedTensorType type) {
  if (reassociation.empty() || reassociation.back().size() == 1)
    return true;
  int64_t stride = (type.getElementTypeBitWidth() + 7) / 8;
  for (int64_t dim :
       llvm::reverse(ArrayRef(reassociation.back()).drop_front())) {
    if (type.isDynamicDim(dim))
      return false;
    stride *= type.getDimSize(dim);
    if (stride % vectorBytes != 0)
      return false;
  }
  return true;
}

static StrideKind split(StrideKind kind,
                        ArrayRef<ReassociationIndices> reassociation,
                        RankedTensorType type) {
  bool staysAligned =
      kind != StrideKind::aligned_rows || keepsRowsAligned(reassociation, type);
  return staysAligned ? kind : StrideKind::rows;
}

static bool isHostReshape(Operation *op) {
  return isa_and_present<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                         tensor::CastOp>(op);
}

ReshapePath ReshapePath::to(OpOperand &use) {
  ReshapePath path;
  path.root = use.get();
  path.isAlone = path.root.hasOneUse();
  while (isHostReshape(path.root.getDefiningOp())) {
    path.reshapes.insert(path.reshapes.begin(), path.root.getDefiningOp());
    path.root = path.reshapes.front()->getOperand(0);
    path.isAlone &= path.root.hasOneUse();
  }
  return path;
}

OpOperand *mlir::fuse::stridedReturnOf(Value value) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (isHostReshape(user) && use.getOperandNumber() == 0)
      if (OpOperand *returned = stridedReturnOf(user->getResult(0)))
        return returned;
    auto function = isa<func::ReturnOp>(user)
                        ? dyn_cast<func::FuncOp>(user->getParentOp())
                        : func::FuncOp();
    if (function &&
        function.getResultAttr(use.getOperandNumber(), kStridedAttr))
      return &use;
  }
  return nullptr;
}

/// How what a kernel or its launch gives is written.
static StrideKind kindOfWritten(Value value) {
  OpOperand *returned = stridedReturnOf(value);
  if (!returned)
    return StrideKind::dense;
  auto function = cast<func::FuncOp>(returned->getOwner()->getParentOp());
  auto name = function.getResultAttrOfType<StringAttr>(
      returned->getOperandNumber(), kStridedAttr);
  StrideKind kind =
      symbolizeStrideKind(name.getValue()).value_or(StrideKind::any);
  ReshapePath path = ReshapePath::to(*returned);
  // The other way round a reshape that joins dimensions splits one.
  for (Operation *op : llvm::reverse(path.reshapes))
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
      kind = split(kind, collapse.getReassociationIndices(),
                   collapse.getSrcType());
  return kind;
}

StrideKind mlir::fuse::resultKind(KernelOp kernel, unsigned number) {
  return kindOfWritten(kernel.getResult(number));
}

StrideKind mlir::fuse::strideKind(Value tensor) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return kindOfArgument(argument);
  Operation *op = tensor.getDefiningOp();
  if (isa<KernelOp, LaunchOp>(op))
    return kindOfWritten(tensor);
  if (!isHostReshape(op))
    return StrideKind::dense;
  StrideKind kind = strideKind(op->getOperand(0));
  auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
  return expand ? split(kind, expand.getReassociationIndices(),
                        expand.getResultType())
                : kind;
}

/// The dimensions of a group that can be walked.
static SmallVector<int64_t> walkedDims(RankedTensorType type,
                                       ArrayRef<int64_t> group) {
  return llvm::to_vector(llvm::make_filter_range(
      group, [&](int64_t dim) { return type.getDimSize(dim) != 1; }));
}

static bool hasJoined(ArrayRef<ReassociationIndices> reassociation,
                      RankedTensorType type) {
  return llvm::any_of(reassociation, [&](const ReassociationIndices &group) {
    return walkedDims(type, group).size() > 1;
  });
}

bool mlir::fuse::joinsDims(tensor::CollapseShapeOp op) {
  return hasJoined(op.getReassociationIndices(), op.getSrcType());
}

bool mlir::fuse::splitsDims(tensor::ExpandShapeOp op) {
  return hasJoined(op.getReassociationIndices(), op.getResultType());
}

namespace {
/// Follows an argument through reshapes, or a result back through them, and
/// which of its dimensions each dimension of a reshape is a part of, or is
/// joined from.
class JoinFinder {
public:
  explicit JoinFinder(Value tensor) {
    int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
    joined.resize(rank);
    for (int64_t dim = 0; dim < rank; ++dim)
      all.push_back({dim, dim});
  }

  void followArgument(Value argument) { follow(argument, all); }
  void followBack(ArrayRef<Operation *> reshapes);

  SmallVector<unsigned> dims() const {
    return SmallVector<unsigned>(joined.set_bits());
  }

private:
  /// The first and the last dimension of the argument.
  using Range = std::pair<int64_t, int64_t>;

  void follow(Value view, ArrayRef<Range> ranges);
  SmallVector<Range> split(ArrayRef<ReassociationIndices> reassociation,
                           ArrayRef<Range> ranges);
  SmallVector<Range> join(ArrayRef<ReassociationIndices> reassociation,
                          RankedTensorType type, ArrayRef<Range> ranges);

  SmallVector<Range> all;
  llvm::BitVector joined;
};
} // namespace

SmallVector<JoinFinder::Range>
JoinFinder::split(ArrayRef<ReassociationIndices> reassociation,
                  ArrayRef<Range> ranges) {
  SmallVector<Range> result;
  for (auto [group, range] : llvm::zip_equal(reassociation, ranges))
    result.append(group.size(), range);
  return result;
}

/// `type` is that of the tensor whose dimensions are joined.
SmallVector<JoinFinder::Range>
JoinFinder::join(ArrayRef<ReassociationIndices> reassociation,
                 RankedTensorType type, ArrayRef<Range> ranges) {
  SmallVector<Range> result;
  for (const ReassociationIndices &group : reassociation) {
    SmallVector<int64_t> walked = walkedDims(type, group);
    if (walked.empty())
      walked.push_back(group.back());
    Range range{ranges[walked.front()].first, ranges[walked.back()].second};
    joined.set(range.first, range.second);
    result.push_back(range);
  }
  return result;
}

void JoinFinder::follow(Value view, ArrayRef<Range> ranges) {
  for (Operation *user : view.getUsers())
    llvm::TypeSwitch<Operation *>(user)
        .Case<tensor::CastOp>([&](auto op) { follow(op, ranges); })
        .Case<tensor::ExpandShapeOp>([&](auto op) {
          if (op.getSrc() == view)
            follow(op.getResult(), split(op.getReassociationIndices(), ranges));
        })
        .Case<tensor::CollapseShapeOp>([&](auto op) {
          follow(op.getResult(),
                 join(op.getReassociationIndices(), op.getSrcType(), ranges));
        });
}

void JoinFinder::followBack(ArrayRef<Operation *> reshapes) {
  SmallVector<Range> ranges = all;
  for (Operation *reshape : llvm::reverse(reshapes)) {
    if (auto op = dyn_cast<tensor::ExpandShapeOp>(reshape))
      ranges = join(op.getReassociationIndices(), op.getResultType(), ranges);
    else if (auto op = dyn_cast<tensor::CollapseShapeOp>(reshape))
      ranges = split(op.getReassociationIndices(), ranges);
  }
}

SmallVector<unsigned> mlir::fuse::joinedDims(BlockArgument argument) {
  if (!isa<RankedTensorType>(argument.getType()))
    return {};
  JoinFinder finder(argument);
  finder.followArgument(argument);
  return finder.dims();
}

SmallVector<unsigned> mlir::fuse::joinedDims(OpOperand &returned) {
  JoinFinder finder(returned.get());
  finder.followBack(ReshapePath::to(returned).reshapes);
  return finder.dims();
}

BlockArgument mlir::fuse::scalarOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(
            op))
      return {};
    value = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(value);
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  bool isScalar =
      function && function.getArgAttr(argument.getArgNumber(), kScalarAttr);
  return isScalar ? argument : BlockArgument();
}
