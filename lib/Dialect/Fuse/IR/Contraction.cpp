//===- Contraction.cpp - Types of contractions ----------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"

#include "llvm/ADT/SmallString.h"

using namespace mlir;
using namespace mlir::fuse;

/// The last rule of each op: `precision = tf32` is for f32.
template <typename Op> static LogicalResult verifyPrecision(Op op) {
  Type operand = op->getOperand(0).getType();
  bool areF32 = getElementTypeOrSelf(operand).isF32() &&
                getElementTypeOrSelf(op.getType()).isF32();
  if (!op.getPrecision() || areF32)
    return success();
  return op.emitOpError(
             "expected operands and a result of f32 for precision = ")
         << stringifyContractPrecision(*op.getPrecision()) << ", but got "
         << operand << " and " << op.getType()
         << "; leave precision out, or fuse.cast to f32";
}

//===----------------------------------------------------------------------===//
// Matmul
//===----------------------------------------------------------------------===//

namespace {
/// The shapes of a product with the transpositions undone:
/// lhs [.., m, k], rhs [.., k, n].
struct MatmulShape {
  int64_t m, lhsK, rhsK, n;
  std::optional<SmallVector<int64_t>> batch;

  MatmulShape(ArrayRef<int64_t> lhs, bool transposeLhs, ArrayRef<int64_t> rhs,
              bool transposeRhs)
      : m(lhs[lhs.size() - (transposeLhs ? 1 : 2)]),
        lhsK(lhs[lhs.size() - (transposeLhs ? 2 : 1)]),
        rhsK(rhs[rhs.size() - (transposeRhs ? 1 : 2)]),
        n(rhs[rhs.size() - (transposeRhs ? 2 : 1)]),
        batch(broadcastShapes(lhs.drop_back(2), rhs.drop_back(2))) {}

  RankedTensorType getResult(Type element) const {
    SmallVector<int64_t> shape(*batch);
    shape.append({m, n});
    return RankedTensorType::get(shape, element);
  }
};
} // namespace

/// Emits what is wrong with the operands of a matmul through `emitError`.
static FailureOr<RankedTensorType>
inferMatmul(RankedTensorType lhs, bool transposeLhs, RankedTensorType rhs,
            bool transposeRhs, function_ref<InFlightDiagnostic()> emitError) {
  // 1. Both operands have rank 2 or more and one element type.
  for (RankedTensorType operand : {lhs, rhs})
    if (operand.getRank() < 2)
      return emitError() << "expected operands of rank 2 or more, but got "
                         << operand << "; insert a tensor.expand_shape";
  if (lhs.getElementType() != rhs.getElementType())
    return emitError() << "expected operands of one element type, but got "
                       << lhs << " for lhs and " << rhs << " for rhs; "
                       << fuse::detail::castRemedy(lhs.getElementType(), "lhs",
                                                   rhs.getElementType(), "rhs");
  MatmulShape shape(lhs.getShape(), transposeLhs, rhs.getShape(), transposeRhs);
  // 2. The contracted sizes agree.
  if (!mayBeEqual(shape.lhsK, shape.rhsK))
    return emitError() << "expected equal contracted sizes, but got "
                       << shape.lhsK << " in lhs and " << shape.rhsK
                       << " in rhs; transpose_lhs or transpose_rhs reads the "
                          "operand the other way";
  // 3. The leading dimensions broadcast.
  if (!shape.batch)
    return emitError() << "expected leading dimensions that broadcast, but got "
                       << lhs << " for lhs and " << rhs
                       << " for rhs; make the sizes equal or 1";
  return shape.getResult(lhs.getElementType());
}

LogicalResult MatmulOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &inferred) {
  Adaptor op(operands, attributes, properties, regions);
  auto type = inferMatmul(
      cast<RankedTensorType>(op.getLhs().getType()), op.getTransposeLhs(),
      cast<RankedTensorType>(op.getRhs().getType()), op.getTransposeRhs(), [&] {
        return mlir::emitError(location.value_or(UnknownLoc::get(context)));
      });
  if (failed(type))
    return failure();
  inferred.push_back(*type);
  return success();
}

LogicalResult MatmulOp::verify() {
  auto type =
      inferMatmul(getLhs().getType(), getTransposeLhs(), getRhs().getType(),
                  getTransposeRhs(), [&] { return emitOpError(); });
  if (failed(type))
    return failure();
  if (failed(fuse::detail::verifyInferredResult(*this, *type)))
    return failure();
  return verifyPrecision(*this);
}

//===----------------------------------------------------------------------===//
// Contract
//===----------------------------------------------------------------------===//

StringRef ContractOp::getLhsAxes() { return getSpec().split(',').first; }

StringRef ContractOp::getRhsAxes() {
  return getSpec().split(',').second.split("->").first;
}

StringRef ContractOp::getResultAxes() { return getSpec().split("->").second; }

llvm::SmallString<4> ContractOp::getContractedAxes() {
  llvm::SmallString<4> contracted;
  for (char axis : getLhsAxes())
    if (!getResultAxes().contains(axis))
      contracted.push_back(axis);
  return contracted;
}

static bool isWordOfDistinctLetters(StringRef word) {
  for (auto [index, letter] : llvm::enumerate(word))
    if (!llvm::isAlpha(letter) || word.take_front(index).contains(letter))
      return false;
  return true;
}

/// The size of `axis` in a tensor whose axes are `axes`, if it has it.
static std::optional<int64_t> getSize(char axis, StringRef axes,
                                      RankedTensorType type) {
  size_t index = axes.find(axis);
  if (index == StringRef::npos)
    return std::nullopt;
  return type.getDimSize(index);
}

static LogicalResult verifySpec(ContractOp op) {
  // 1. `spec` is `LHS,RHS->RESULT`, each a word of distinct letters, as many as
  //    the tensor has dimensions.
  const std::pair<StringRef, RankedTensorType> tensors[] = {
      {op.getLhsAxes(), op.getLhs().getType()},
      {op.getRhsAxes(), op.getRhs().getType()},
      {op.getResultAxes(), op.getType()}};
  std::string canonical =
      (op.getLhsAxes() + "," + op.getRhsAxes() + "->" + op.getResultAxes())
          .str();
  if (canonical != op.getSpec())
    return op.emitOpError("expected a spec of the form \"LHS,RHS->RESULT\", "
                          "but got \"")
           << op.getSpec() << "\"; write for example \"mk,kn->mn\"";
  for (auto [axes, type] : tensors)
    if (!isWordOfDistinctLetters(axes) ||
        static_cast<int64_t>(axes.size()) != type.getRank())
      return op.emitOpError("expected a distinct letter for each dimension "
                            "of ")
             << type << ", but got \"" << axes
             << "\"; name each dimension by its own letter";
  return success();
}

static LogicalResult verifyContractedAxes(ContractOp op) {
  // 2. Each letter of the result is in an operand; a letter in only one operand
  //    is in the result; at least one letter is summed over.
  StringRef lhs = op.getLhsAxes(), rhs = op.getRhsAxes(),
            result = op.getResultAxes();
  for (char axis : result)
    if (!lhs.contains(axis) && !rhs.contains(axis))
      return op.emitOpError("expected each letter of the result in an operand, "
                            "but got '")
             << Twine(axis) << "'; remove it from the result";
  for (auto [own, other] : {std::pair(lhs, rhs), std::pair(rhs, lhs)})
    for (char axis : own)
      if (!other.contains(axis) && !result.contains(axis))
        return op.emitOpError("expected a summed letter in both operands, but "
                              "got '")
               << Twine(axis) << "' in one; insert a fuse.reduce sum";
  if (op.getContractedAxes().empty())
    return op.emitOpError("expected a letter to sum over, but got none in \"")
           << op.getSpec() << "\"; use fuse.mul";
  return success();
}

static LogicalResult verifyAxisSizes(ContractOp op) {
  // 3. A letter has one size wherever it stands; in an operand it may also have
  //    the static size 1, which repeats.
  for (char axis : (op.getLhsAxes() + op.getRhsAxes()).str()) {
    int64_t size = 1;
    auto lhs = getSize(axis, op.getLhsAxes(), op.getLhs().getType());
    auto rhs = getSize(axis, op.getRhsAxes(), op.getRhs().getType());
    for (std::optional<int64_t> operand : {lhs, rhs}) {
      std::optional<int64_t> met = broadcastSizes(size, operand.value_or(1));
      if (!met)
        return op.emitOpError("expected one size for '")
               << Twine(axis) << "', but got " << *lhs << " in lhs and " << *rhs
               << " in rhs; make them equal or 1";
      size = *met;
    }
    auto result = getSize(axis, op.getResultAxes(), op.getType());
    if (result && *result != size) {
      RankedTensorType type = op.getType();
      return op.emitOpError("expected size ")
             << (ShapedType::isDynamic(size) ? "?" : Twine(size).str())
             << " for '" << Twine(axis) << "' in the result, but got " << type
             << "; write the size that the operands give";
    }
  }
  return success();
}

LogicalResult ContractOp::verify() {
  if (failed(verifySpec(*this)) || failed(verifyContractedAxes(*this)) ||
      failed(verifyAxisSizes(*this)))
    return failure();
  // 4. All three have one element type; or both operands are 8-bit floats, and
  //    the result is a wider float.
  Type element = getLhs().getType().getElementType();
  auto isByte = [](RankedTensorType type) {
    return type.getElementTypeBitWidth() == 8;
  };
  if (isByte(getLhs().getType()) && isByte(getRhs().getType()))
    return verifyPrecision(*this);
  for (auto [type, name] : {std::pair(getRhs().getType(), "rhs"),
                            std::pair(getType(), "the result")})
    if (type.getElementType() != element)
      return emitOpError("expected tensors of one element type, but got ")
             << getLhs().getType() << " for lhs and " << type << " for " << name
             << "; "
             << (type == getType()
                     ? "give the result that of lhs, and fuse.cast it"
                     : fuse::detail::castRemedy(element, "lhs",
                                                type.getElementType(), name));
  return verifyPrecision(*this);
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// The query's type, with heads as long as the value's.
static RankedTensorType inferAttention(RankedTensorType query,
                                       RankedTensorType value) {
  if (query.getRank() == 0 || value.getRank() == 0)
    return query;
  SmallVector<int64_t> shape(query.getShape());
  shape.back() = value.getShape().back();
  return query.clone(shape);
}

LogicalResult
AttentionOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                              ValueRange operands, DictionaryAttr attributes,
                              OpaqueProperties properties, RegionRange regions,
                              SmallVectorImpl<Type> &inferred) {
  Adaptor op(operands, attributes, properties, regions);
  inferred.push_back(
      inferAttention(cast<RankedTensorType>(op.getQuery().getType()),
                     cast<RankedTensorType>(op.getValue().getType())));
  return success();
}

LogicalResult AttentionOp::verify() {
  RankedTensorType query = getQuery().getType(), key = getKey().getType(),
                   value = getValue().getType();
  // 1. query, key and value have rank 4 and one element type.
  for (auto [type, name] : {std::pair(query, "query"), std::pair(key, "key"),
                            std::pair(value, "value")}) {
    if (type.getRank() != 4)
      return emitOpError("expected query, key and value of rank 4, but got ")
             << type << "; insert a tensor.expand_shape";
    if (type.getElementType() != query.getElementType())
      return emitOpError("expected query, key and value of one element type, "
                         "but got ")
             << type << " beside " << query << "; "
             << fuse::detail::castRemedy(query.getElementType(), "query",
                                         type.getElementType(), name);
  }
  unsigned tokens = getOrder() == HeadOrder::tokens_heads ? 1 : 2;
  unsigned heads = 3 - tokens;
  // 2. Head counts and sizes are static; query heads are a multiple of key
  //    heads.
  for (RankedTensorType type : {query, key, value})
    if (type.isDynamicDim(heads) || type.isDynamicDim(3))
      return emitOpError("expected a static head count and head size, but got ")
             << type << "; make them static";
  int64_t queryHeads = query.getDimSize(heads),
          keyHeads = key.getDimSize(heads);
  if (keyHeads == 0 || queryHeads % keyHeads != 0)
    return emitOpError("expected query heads in multiples of the ")
           << keyHeads << " key heads, but got " << queryHeads
           << "; choose a multiple, or swap the axes' order";
  // 3. key and value agree in batch, tokens and heads, query and key in batch
  //    and D.
  auto agree = [&](RankedTensorType lhs, StringRef lhsName,
                   RankedTensorType rhs, StringRef rhsName,
                   ArrayRef<unsigned> axes) -> LogicalResult {
    for (unsigned axis : axes)
      if (!mayBeEqual(lhs.getDimSize(axis), rhs.getDimSize(axis)))
        return emitOpError("expected ")
               << rhsName << " to have the size of " << lhsName << " in axis "
               << axis << ", but got " << rhs << " beside " << lhs
               << "; make the sizes equal";
    return success();
  };
  if (failed(agree(key, "key", value, "value", {0, 1, 2})) ||
      failed(agree(query, "query", key, "key", {0, 3})))
    return failure();
  if (failed(fuse::detail::verifyInferredResult(*this,
                                                inferAttention(query, value))))
    return failure();
  return verifyPrecision(*this);
}
