//===- LaneSpread.cpp - What neighbouring threads have alike --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneSpread.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t quad = 4;

namespace {
/// u + step * i in thread i of four, where they all have the same u, which
/// `multiple` divides.
struct Spread {
  int64_t step, multiple;
};

class SpreadFinder {
public:
  std::optional<Spread> of(Value value);

private:
  std::optional<Spread> find(Value value);
  std::optional<Spread> ofOperation(Operation *op);
  std::optional<Spread> ofSum(Value a, Value b);
  std::optional<Spread> ofProduct(Value a, Value b);
  std::optional<Spread> ofDivision(Value value, Value by, bool isRest);
  std::optional<Spread> ofComparison(arith::CmpIOp compare);
  std::optional<Spread> ofBranch(scf::IfOp branch, unsigned result);

  llvm::DenseMap<Value, std::optional<Spread>> known;
};
} // namespace

static std::optional<int64_t> constantOf(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)))
    return std::nullopt;
  return number.getSExtValue();
}

std::optional<Spread> SpreadFinder::of(Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  std::optional<Spread> found = find(value);
  known[value] = found;
  return found;
}

std::optional<Spread> SpreadFinder::ofSum(Value a, Value b) {
  std::optional<Spread> left = of(a), right = of(b);
  if (!left || !right)
    return std::nullopt;
  return Spread{left->step + right->step,
                std::gcd(left->multiple, right->multiple)};
}

std::optional<Spread> SpreadFinder::ofProduct(Value a, Value b) {
  std::optional<Spread> left = of(a), right = of(b);
  if (!left || !right)
    return std::nullopt;
  if (left->step == 0 && right->step == 0)
    return Spread{0, left->multiple * right->multiple};
  if (std::optional<int64_t> by = constantOf(b); by && *by > 0)
    return Spread{left->step * *by, left->multiple * *by};
  if (std::optional<int64_t> by = constantOf(a); by && *by > 0)
    return Spread{right->step * *by, right->multiple * *by};
  return std::nullopt;
}

/// Where four steps divide u and the divisor, no multiple of the latter lies
/// between the threads'.
std::optional<Spread> SpreadFinder::ofDivision(Value value, Value by,
                                               bool isRest) {
  std::optional<Spread> spread = of(value), divisor = of(by);
  if (!spread || !divisor || divisor->step != 0)
    return std::nullopt;
  std::optional<int64_t> number = constantOf(by);
  if (!number || *number <= 0)
    return spread->step == 0 ? std::optional(Spread{0, 1}) : std::nullopt;
  int64_t span = quad * spread->step;
  if (span < 0 ||
      (span > 0 && (spread->multiple % span != 0 || *number % span != 0)))
    return std::nullopt;
  if (isRest)
    return Spread{spread->step, std::gcd(spread->multiple, *number)};
  bool isWhole = spread->multiple % *number == 0;
  return Spread{0, isWhole ? spread->multiple / *number : 1};
}

/// So it is with a bound that is a multiple of four steps.
std::optional<Spread> SpreadFinder::ofComparison(arith::CmpIOp compare) {
  std::optional<Spread> left = of(compare.getLhs()),
                        right = of(compare.getRhs());
  if (!left || !right || right->step != 0 || left->step < 0)
    return std::nullopt;
  int64_t span = quad * left->step;
  bool isBound = compare.getPredicate() == arith::CmpIPredicate::slt ||
                 compare.getPredicate() == arith::CmpIPredicate::ult;
  bool isSame = span == 0 || (isBound && left->multiple % span == 0 &&
                              right->multiple % span == 0);
  return isSame ? std::optional(Spread{0, 1}) : std::nullopt;
}

std::optional<Spread> SpreadFinder::ofBranch(scf::IfOp branch,
                                             unsigned result) {
  SmallVector<Value, 3> values = {branch.getCondition()};
  for (Block *block : {branch.thenBlock(), branch.elseBlock()})
    values.push_back(block->getTerminator()->getOperand(result));
  for (Value value : values) {
    std::optional<Spread> spread = of(value);
    if (!spread || spread->step != 0)
      return std::nullopt;
  }
  return Spread{0, 1};
}

/// Others have the same result of the same operands, loads of inputs, too.
std::optional<Spread> SpreadFinder::ofOperation(Operation *op) {
  bool isLoad = isa<LLVM::LoadOp>(op);
  if (op->getNumRegions() > 0 || !(isLoad || isMemoryEffectFree(op)))
    return std::nullopt;
  for (Value operand : op->getOperands()) {
    std::optional<Spread> spread = of(operand);
    if (!spread || spread->step != 0)
      return std::nullopt;
  }
  return Spread{0, 1};
}

std::optional<Spread> SpreadFinder::find(Value value) {
  if (std::optional<int64_t> number = constantOf(value))
    return Spread{0, *number == 0 ? int64_t(1) << 32 : std::abs(*number)};
  Operation *op = value.getDefiningOp();
  if (!op) {
    Operation *parent = value.getParentBlock()->getParentOp();
    return isa<gpu::GPUFuncOp>(parent) ? std::optional(Spread{0, 1})
                                       : std::nullopt;
  }
  return llvm::TypeSwitch<Operation *, std::optional<Spread>>(op)
      .Case([](gpu::ThreadIdOp id) -> std::optional<Spread> {
        if (id.getDimension() != gpu::Dimension::x)
          return std::nullopt;
        return Spread{1, quad};
      })
      .Case<gpu::LaneIdOp>([](auto) { return std::nullopt; })
      .Case(
          [&](arith::AddIOp sum) { return ofSum(sum.getLhs(), sum.getRhs()); })
      .Case([&](arith::MulIOp product) {
        return ofProduct(product.getLhs(), product.getRhs());
      })
      .Case([&](arith::DivUIOp quotient) {
        return ofDivision(quotient.getLhs(), quotient.getRhs(), false);
      })
      .Case([&](arith::RemUIOp rest) {
        return ofDivision(rest.getLhs(), rest.getRhs(), true);
      })
      .Case([&](arith::CmpIOp compare) { return ofComparison(compare); })
      .Case([&](scf::IfOp branch) {
        return ofBranch(branch, cast<OpResult>(value).getResultNumber());
      })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp>(
          [&](auto cast) { return of(cast.getIn()); })
      .Default([&](Operation *other) { return ofOperation(other); });
}

bool mlir::fuse::isSameInQuad(Value value) {
  std::optional<Spread> spread = SpreadFinder().of(value);
  return spread && spread->step == 0;
}
