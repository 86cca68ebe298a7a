//===- DimClasses.h - Which dimensions are equal ----------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dynamic dimensions have no names in the IR, yet the ops say which of them
// must be equal. In
//
//   %s = fuse.add %x, %y : tensor<?x4xf32>, tensor<?x4xf32> -> ...
//
// the three `?` are one class: broadcasting never applies to a `?` unless the
// other side is a static 1. DimClasses is the union-find over all dimensions
// in a function (kernel bodies included) that results from such rules. A class
// that meets a static size has that size. So are dimensions of arguments that
// have one name.
//
// Some ops make new sizes: a slice from 2 on of n elements has n - 2. Such a
// class has a rule that says how its size follows from others.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_DIMCLASSES_H
#define FUSE_ANALYSIS_DIMCLASSES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace mlir::tensor {
class CollapseShapeOp;
class ExpandShapeOp;
} // namespace mlir::tensor

namespace mlir::fuse {

/// A dimension's size: static, or the class of dimensions equal to it.
struct Extent {
  /// The size, or ShapedType::kDynamic.
  int64_t size;
  /// The class, when the size is dynamic; otherwise -1.
  int cls = -1;

  bool isStatic() const { return cls < 0; }
  bool operator==(const Extent &other) const {
    return size == other.size && cls == other.cls;
  }
  bool operator!=(const Extent &other) const { return !(*this == other); }
};

/// The product of the extents; nothing if one is dynamic.
std::optional<int64_t> staticProduct(ArrayRef<Extent> extents);

/// A size that follows from others: ceil((sum or product of `terms` +
/// constant) / divisor).
struct SizeRule {
  enum Kind { Sum, Product };
  Kind kind = Sum;
  SmallVector<Extent> terms;
  int64_t constant = 0;
  int64_t divisor = 1;

  /// Whether the size is the product of the terms, and nothing else.
  bool isPlainProduct() const {
    return kind == Product && constant == 0 && divisor == 1;
  }
};

/// Computes the rule's size on the host with arith ops; `sizeOf` gives the
/// terms.
Value buildSize(OpBuilder &builder, Location loc, const SizeRule &rule,
                llvm::function_ref<Value(const Extent &)> sizeOf);

class DimClasses {
public:
  /// Collects the equalities of all ops under `root` (a function or kernel).
  explicit DimClasses(Operation *root);
  /// What these ops alone say of their operands and results: what a kernel of
  /// them will know.
  explicit DimClasses(ArrayRef<Operation *> ops);

  /// The extent of dimension `axis` of the ranked tensor `value`.
  Extent extent(Value value, int64_t axis) const;

  /// The extents of all dimensions.
  SmallVector<Extent> extents(Value value) const;

  /// Whether both tensors provably have the same shape.
  bool sameShape(Value a, Value b) const { return extents(a) == extents(b); }

  /// How the sizes of dimension `axis` of `value`, and of all equal to it,
  /// follow from others; empty for sizes that no op makes.
  SmallVector<SizeRule> rules(Value value, int64_t axis) const;
  /// The same for a dynamic class.
  SmallVector<SizeRule> rules(int cls) const;

  /// A number that divides the extent: its size, or for a product its static
  /// factors; 1 where nothing is known.
  int64_t knownDivisor(const Extent &extent) const;

private:
  using Key = std::pair<Value, int64_t>;

  void addValue(Value value);
  void uniteNames(func::FuncOp function);
  void visit(Operation *op);
  void unite(Value a, int64_t i, Value b, int64_t j);
  /// Each returns whether anything has changed.
  bool uniteNodes(int a, int b);
  bool uniteByRules();
  void uniteSameRank(Value a, Value b);
  void uniteBroadcast(Value operand, Value result);
  /// None where the value is not known or has no such dimension.
  std::optional<int> nodeOf(Value value, int64_t axis) const;
  int find(int node) const;
  Extent extentOf(int node) const;
  void addRule(Value result, int64_t axis, SizeRule::Kind kind,
               ArrayRef<Key> terms, int64_t constant = 0, int64_t divisor = 1);
  void visitMovement(Operation *op);
  void uniteIndexed(Value table, Value ids, int64_t dim, Value indexed);
  void visitExpand(tensor::ExpandShapeOp op);
  void visitCollapse(tensor::CollapseShapeOp op);

  /// A rule as the op gives it, in nodes.
  struct NodeRule {
    int result;
    SizeRule::Kind kind;
    SmallVector<int> terms;
    int64_t constant, divisor;
  };

  /// The node of the value's first dimension, which the others follow.
  DenseMap<Value, int> nodes;
  SmallVector<NodeRule> nodeRules;
  SmallVector<int> parents;
  /// The static size of a root's class, or kDynamic.
  SmallVector<int64_t> sizes;
};

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_DIMCLASSES_H
