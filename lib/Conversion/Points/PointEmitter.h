//===- PointEmitter.h - Values of a kernel at a point -----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel's body is a dataflow graph on tensors. A thread needs a few elements
// of its results, so the lowering asks for "value v at point p" and the answer
// follows the graph backwards: a pointwise op asks its operands at the same
// point (dimensions of size 1 at index 0), a rotary op asks its operand at the
// point and at the point's partner, a transpose or a slice asks its operand at
// another point, a kernel argument is a load. With p four lanes wide at [row,
// col]:
//
//   emit(add(x, w), [row, col]) -> emit(x, [row, col]): load vector<4>
//                               -> emit(w, [col])     : load vector<4>
//
// Answers are remembered by (value, point), so that an element is loaded and
// computed once a thread, however often it is used: what a register-resident
// softmax needs in three passes over its row is loaded in the first.
//
// Points are lists of Index, a base plus a constant. Keeping the constant apart
// makes points comparable (column + 64 and column + 64 are the same) and lets
// the back end use it as an immediate.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_POINTEMITTER_H
#define FUSE_LIB_CONVERSION_POINTEMITTER_H

#include "fuse/Analysis/DimClasses.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include <map>
#include <optional>

namespace mlir::fuse {

/// Lanes of a vector, 1 of a scalar.
inline int64_t lanesIn(Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  return type ? type.getDimSize(0) : 1;
}

/// base + offset; a null base is zero.
struct Index {
  Value base;
  int64_t offset = 0;
  /// Whether the index may lie past the end where the point's guard is false.
  bool guarded = false;

  static Index constant(int64_t value) { return {Value(), value, false}; }
  std::pair<void *, int64_t> key() const {
    return {base.getAsOpaquePointer(), offset};
  }
};

/// What has as many elements again behind the lanes of a point: their row (a
/// list of all of the last dimension), or at least a tensor of `shape`.
enum class Behind : uint8_t { unknown, inTensor, inRow };

/// `lanes` consecutive elements along the last dimension, from `dims` on.
struct Point {
  SmallVector<Index, 4> dims;
  /// The row-major position of `dims` in a tensor whose extents are `shape`,
  /// where it is known without computing it from `dims`.
  std::optional<Index> linear;
  SmallVector<Extent> shape;
  /// Whether `linear` is a multiple of `lanes`.
  bool flat = false;
  /// Whether the lanes go on in the next row where one ends: `dims` is then the
  /// first lane's, and only `linear` is right for all.
  bool crossesRows = false;
  Behind behind = Behind::unknown;
  int64_t lanes = 1;
  /// How far the index of the last dimension is past a multiple of `lanes`.
  int64_t skew = 0;
  /// Whether that is unknown: the lanes start at any index.
  bool ragged = false;
  /// An i1; loads happen only where it is true and give zero elsewhere. Null
  /// means true.
  Value guard;
};

/// How far apart the elements of an input or a result lie; see StrideKind.
struct InputLayout {
  StrideKind kind = StrideKind::dense;
  /// One a dimension, in elements; dense tensors have none.
  SmallVector<Index> strides;
};

/// What the kernel's function offers to the emitter: pointers and sizes.
struct KernelAbi {
  /// The pointer of each kernel input, in the order of the block arguments;
  /// null for one that is passed by value.
  SmallVector<Value> inputs;
  /// What is passed by value, as it would be in memory, by the input's number.
  DenseMap<unsigned, Value> scalars;
  /// The pointer of each result.
  SmallVector<Value> results;
  /// The layout of each input, then each result; empty where all are dense.
  SmallVector<InputLayout> layouts;
  /// The sizes of the dynamic dimension classes, as `index`.
  llvm::MapVector<int, Value> sizes;
};

struct EmitOptions {
  /// Round after every op to its element type.
  bool strict = false;
  /// Kernel pointers are 16-byte aligned.
  bool aligned = true;
  /// Dynamic innermost dimensions are multiples of 16 bytes.
  bool divisible = false;
  /// The chip converts 8-bit floats.
  bool float8 = false;
  /// The chip has maxima and minima of two 16-bit floats in an instruction.
  bool packedExtremes = false;
  /// Results may lie where inputs do.
  bool inPlace = true;
  /// Blocks that a cluster of the chip may have; 1 where there are none.
  int64_t cluster = 1;
  /// The chip multiplies matrices by warpgroup.
  bool wgmma = false;
  /// Shared memory that a block of the chip may have; 0 where it is no GPU.
  int64_t sharedBytes = 0;
  /// Places of the summed axis of the chip's products of f64 on tensor cores; 0
  /// where none are used.
  int64_t float64Places = 0;
};

class PointEmitter {
public:
  PointEmitter(OpBuilder &builder, KernelOp kernel, const DimClasses &dims,
               KernelAbi abi, EmitOptions options);

  /// The value at the point, in the compute type of its elements: a scalar if
  /// it is the same for all lanes, else a vector of `point.lanes`.
  Value emit(Value value, const Point &point);

  /// As emit, always a vector where the point has several lanes.
  Value emitLanes(Value value, const Point &point);

  /// Declares the value known at the point (a finished reduction).
  void define(Value value, const Point &point, Value computed);

  /// Declares where the element of its operand is that the op, which moves
  /// elements, has at the point, as where a thread found the point by going
  /// forwards from there.
  void defineSource(Operation *moved, const Point &point, Point source);

  /// `compute()`, once for each list of indices while the current scope lasts:
  /// a part of the op's value that several points share.
  Value remember(Operation *op, ArrayRef<Index> dims,
                 llvm::function_ref<Value()> compute);

  /// Writes `computed` (compute type) to result `number` at the point.
  void store(unsigned number, const Point &point, Value computed);
  /// The same of lanes as they lie in memory.
  void storeStored(unsigned number, const Point &point, Value stored);

  /// A value that lies in shared memory around a point: `read(i)` gives, in the
  /// compute type, the element that lies `i` further along `dim`.
  struct Staged {
    Value value;
    SmallVector<Index, 4> dims;
    int64_t dim, count;
    std::function<Value(int64_t)> read;
  };
  /// Reads the value from there until the current scope ends.
  void stage(Staged staged) {
    memories.back().staged.push_back(std::move(staged));
  }

  /// Gives an element of a value, at a point of one lane, in the compute type.
  using ElementReader = std::function<Value(const Point &)>;
  /// Reads the elements of `value`, whose op has no value at a point of its
  /// own, there until the current scope ends.
  void readThrough(Value value, ElementReader reader) {
    memories.back().readers[value] = std::move(reader);
  }

  /// Gives the lanes of an input at a point, as they lie in memory, or null for
  /// an ordinary load.
  using Loader = std::function<Value(BlockArgument, const Point &)>;
  /// Asks `loader` first for each load from here on; null for none.
  void loadThrough(Loader loader) { this->loader = std::move(loader); }

  /// The lanes of an input at a point as they lie in memory, by the loader or
  /// an ordinary load; zeros where the point's guard does not hold.
  Value loadStored(BlockArgument input, const Point &point);

  /// Where the lanes of an input at a point start, and the alignment in bytes.
  Value inputAddress(BlockArgument input, const Point &point) {
    return address(input.getLoc(), abi.inputs[input.getArgNumber()], input,
                   point, stridesOf(input));
  }
  int64_t inputAlignment(BlockArgument input, const Point &point) const {
    return alignment(input, point, stridesOf(input));
  }

  /// What is remembered inside the scope is forgotten after it: for code in a
  /// nested region.
  class Scope {
  public:
    explicit Scope(PointEmitter &emitter);
    ~Scope();

  private:
    PointEmitter &emitter;
  };

  //===--------------------------------------------------------------------===//
  // Index arithmetic
  //===--------------------------------------------------------------------===//

  /// The index as an SSA value of type index.
  Value materialize(const Index &index);
  Index add(const Index &a, const Index &b);
  Index sub(const Index &a, const Index &b);
  Index mul(const Index &a, const Index &b);
  /// a / b and a mod b of non-negative a and positive b.
  Index div(const Index &a, const Index &b);
  Index rem(const Index &a, const Index &b);
  /// Half of an index, rounded down. A part of one may be negative: a reversed
  /// index less what is constant in it.
  Index half(const Index &a);
  /// The smaller; `b` is known not to be negative.
  Index min(const Index &a, const Index &b);
  /// One of two, by an i1.
  Index select(Value condition, const Index &a, const Index &b);
  Index size(const Extent &extent);
  /// Whether `vector` divides a dimension, whatever its size.
  bool divides(int64_t vector, const Extent &extent) const;
  /// The product of the extents.
  Index product(ArrayRef<Extent> extents);
  /// The number of a place among those of the axes that `group` joins, row by
  /// row. Axes of size 1 add nothing.
  Index numberIn(ArrayRef<int64_t> group, ArrayRef<Extent> extents,
                 ArrayRef<Index> place);
  /// Splits a row-major position into one index a dimension. The first is not
  /// reduced: the position is known to be inside.
  SmallVector<Index, 4> delinearize(Index linear, ArrayRef<Extent> extents);
  /// a < b as i1.
  Value less(const Index &a, const Index &b);

  /// Declares that `base` lies in [low, high); RoPE halves are told by it.
  void setRange(Value base, int64_t low, int64_t high) {
    ranges[base] = {low, high};
  }
  void clearRange(Value base) { ranges.erase(base); }
  std::optional<std::pair<int64_t, int64_t>> range(const Index &index) const;

  /// The point of `operand` that a broadcasting op reads for its result's
  /// point.
  Point operandPoint(Value operand, Value result, const Point &point);

  /// `type` from one of two branches; what is computed in one is forgotten
  /// after it.
  Value choose(Location loc, Value condition, Type type,
               llvm::function_ref<Value()> yes, llvm::function_ref<Value()> no);

  /// Evaluates lane by lane with `lane(i)` and collects a vector.
  Value gatherLanes(Location loc, int64_t lanes,
                    llvm::function_ref<Value(int64_t)> lane);

  /// The value of `operand` that the op of `result` reads for the point.
  Value emitOperand(Value operand, Value result, const Point &point);

  /// The point's lane `i` alone.
  Point lanePoint(const Point &point, int64_t lane);

  /// Whether the op is exp(x - max(x)). A maximum that does not keep its
  /// dimensions may be broadcast along others.
  static bool isBelowMaximum(ExpOp op);

  /// Whether all walks must find the same bits of what the op gives; see
  /// repeatedOps.
  bool mustRepeat(Operation *op) const { return repeated.contains(op); }

  /// Swaps what the function offers, such as for code that runs for several
  /// tensors; what is remembered stays.
  void exchangeAbi(KernelAbi &other) { std::swap(abi, other); }

  OpBuilder &getBuilder() { return builder; }
  const DimClasses &getDims() const { return dims; }
  const KernelAbi &getAbi() const { return abi; }
  const EmitOptions &getOptions() const { return options; }
  KernelOp getKernel() { return kernel; }
  ModuleOp getModule();

  /// The type in which elements are computed: f32 for 16-bit floats. 8-bit
  /// floats are not computed with: their bits are moved, as i8.
  static Type computeType(Type element);
  /// The type whose last place the result of `op` must be good to.
  static Type accuracyOf(Operation *op);
  /// `type` or a vector of it.
  static Type lanesOf(Type type, int64_t lanes);

  /// The type in which an element lies in memory: a byte for i1 and f8.
  static Type storageType(Type element);
  /// Between the storage type and the compute type of `element`; scalars or
  /// vectors.
  Value fromStorage(Location loc, Type element, Value stored);
  Value toStorage(Location loc, Type element, Value computed);

  Value constant(Location loc, Type type, double value);
  /// A number of an element type, in its compute type.
  Value elementConstant(Location loc, TypedAttr number);
  Value splat(Location loc, Value value, int64_t lanes);

private:
  Value emitUncached(Value value, const Point &point);
  /// The element if it is staged, else null.
  Value readStaged(Value value, const Point &point);
  /// The lanes if the value has a reader, else null.
  Value readElements(Value value, const Point &point);
  Value load(BlockArgument argument, const Point &point);
  /// The lanes as they lie in memory, with an access as wide as the point's
  /// alignment allows.
  Value loadLanes(BlockArgument argument, const Point &point,
                  const InputLayout *layout);
  /// The same, of aligned accesses to what lies around them. Null where that is
  /// not possible or no gain.
  Value loadShifted(BlockArgument argument, const Point &point,
                    const InputLayout *layout);
  /// The layout of a kernel input with strides; null for a dense one.
  const InputLayout *stridesOf(BlockArgument input) const;
  /// Of the point's first element in a tensor at `pointer`; `layout` is null
  /// where the tensor is dense.
  Value address(Location loc, Value pointer, Value tensor, const Point &point,
                const InputLayout *layout);
  Value elementAddress(Location loc, Value pointer, Value tensor,
                       const Index &index);
  Index linearIndex(Value tensor, const Point &point,
                    const InputLayout *layout);
  int64_t alignment(Value tensor, const Point &point,
                    const InputLayout *layout) const;

  struct PointKey {
    void *value;
    SmallVector<std::pair<void *, int64_t>, 4> dims;
    int64_t lanes;
    void *guard;
    bool operator<(const PointKey &other) const;
  };
  PointKey keyOf(Value value, const Point &point) const;

  using SharedKey =
      std::pair<Operation *, SmallVector<std::pair<void *, int64_t>>>;
  using IndexKey = std::tuple<char, void *, int64_t, void *, int64_t>;
  /// Looks an index expression up, or builds it.
  Index cached(char op, const Index &a, const Index &b,
               llvm::function_ref<Value(Value, Value)> build);

  /// One level of a Scope.
  struct Memory {
    std::map<PointKey, Value> values;
    std::map<PointKey, Point> sources;
    std::map<SharedKey, Value> shared;
    std::map<IndexKey, Value> indices;
    std::map<std::pair<void *, int64_t>, Value> materialized;
    SmallVector<Staged, 0> staged;
    DenseMap<Value, ElementReader> readers;
  };

  OpBuilder &builder;
  KernelOp kernel;
  const DimClasses &dims;
  KernelAbi abi;
  EmitOptions options;
  SmallVector<Memory, 0> memories;
  Loader loader;
  llvm::DenseSet<Operation *> repeated;
  DenseMap<Value, std::pair<int64_t, int64_t>> ranges;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_POINTEMITTER_H
