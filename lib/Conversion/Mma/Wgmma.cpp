//===- Wgmma.cpp - Products of a warpgroup --------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wgmma.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fuse;

/// Descriptors count in so many bytes.
static constexpr int64_t descriptorUnit = 16;
/// 8 rows of memory, after which the swizzle repeats.
static constexpr int64_t swizzleBytes = 1024;

Wgmma::Wgmma(MmaBuilder &b, int64_t columns, Type leftElement,
             Type rightElement, SlotOperand left, SlotOperand right)
    : b(b), columns(columns), leftElement(leftElement),
      rightElement(rightElement), left(left), right(right) {
  SmallVector<Type> sums(sumsPerThread(), b.builder.getF32Type());
  type = LLVM::LLVMStructType::getLiteral(b.builder.getContext(), sums);
}

Value Wgmma::zeros() { return LLVM::ZeroOp::create(b.builder, b.loc(), type); }

Value Wgmma::undefined() {
  return LLVM::UndefOp::create(b.builder, b.loc(), type);
}

Value Wgmma::extract(Value sums, int64_t number) {
  return LLVM::ExtractValueOp::create(b.builder, b.loc(), sums, number);
}

SmallVector<Value> Wgmma::values(Value sums) {
  SmallVector<Value> found;
  for (int64_t i = 0; i < sumsPerThread(); ++i)
    found.push_back(extract(sums, i));
  return found;
}

Value Wgmma::collect(ArrayRef<Value> sums) {
  Value all = undefined();
  for (auto [number, sum] : llvm::enumerate(sums))
    all = LLVM::InsertValueOp::create(b.builder, b.loc(), all, sum, number);
  return all;
}

Value Wgmma::add(Value a, Value other) {
  SmallVector<Value> totals;
  for (int64_t i = 0; i < sumsPerThread(); ++i)
    totals.push_back(arith::AddFOp::create(b.builder, b.loc(), extract(a, i),
                                           extract(other, i)));
  return collect(totals);
}

/// Bits 0 to 13: the start; 16 to 29: from one block of 64 rows of the matrix
/// to the next, where rows of memory lie across the summed axis; 32 to 45: from
/// 8 rows of memory to the next; 62 to 63: the swizzle of 128 bytes.
Value Wgmma::descriptor(Value pointer, const SlotOperand &operand) {
  OpBuilder &builder = b.builder;
  Value address =
      LLVM::PtrToIntOp::create(builder, b.loc(), builder.getI32Type(), pointer);
  constexpr int64_t addressMask = 0x3FFFF;
  Value start = b.div(b.bitAnd(address, b.word(addressMask)), descriptorUnit);
  Value wide =
      arith::ExtUIOp::create(builder, b.loc(), builder.getI64Type(), start);
  // Not used where rows of memory lie along the summed axis.
  int64_t blocks = operand.isAlongK ? 1 : operand.blockBytes() / descriptorUnit;
  int64_t bits = (blocks << 16) | ((swizzleBytes / descriptorUnit) << 32) |
                 (int64_t(1) << 62);
  Value rest = arith::ConstantIntOp::create(builder, b.loc(), bits, 64);
  return arith::OrIOp::create(builder, b.loc(), wide, rest);
}

void Wgmma::fence() { NVVM::WgmmaFenceAlignedOp::create(b.builder, b.loc()); }

void Wgmma::commit() {
  NVVM::WgmmaGroupSyncAlignedOp::create(b.builder, b.loc());
}

void Wgmma::awaitAllButOne() {
  NVVM::WgmmaWaitGroupSyncOp::create(b.builder, b.loc(), uint64_t(1));
}

/// Inline assembly that reads and writes the sums in place. `inputs` are
/// operands behind these.
Value Wgmma::tied(StringRef code, Value sums, ValueRange inputs,
                  StringRef constraints) {
  SmallVector<Value> operands;
  SmallVector<std::string> all(sumsPerThread(), "=f");
  for (int64_t i = 0; i < sumsPerThread(); ++i) {
    operands.push_back(extract(sums, i));
    all.push_back(std::to_string(i));
  }
  llvm::append_range(operands, inputs);
  if (!constraints.empty())
    all.push_back(constraints.str());
  auto dialect = LLVM::AsmDialectAttr::get(b.builder.getContext(),
                                           LLVM::AsmDialect::AD_ATT);
  return LLVM::InlineAsmOp::create(b.builder, b.loc(), TypeRange(type),
                                   operands, code, llvm::join(all, ","),
                                   /*has_side_effects=*/true,
                                   /*is_align_stack=*/false,
                                   LLVM::TailCallKind::None, dialect,
                                   ArrayAttr())
      .getResult(0);
}

Value Wgmma::stepped(Value descriptor, const SlotOperand &operand,
                     int64_t step) {
  int64_t offset = operand.stepOffset(step) / descriptorUnit;
  if (offset == 0)
    return descriptor;
  Value further = arith::ConstantIntOp::create(b.builder, b.loc(), offset, 64);
  return arith::AddIOp::create(b.builder, b.loc(), descriptor, further);
}

static StringRef nameOf(Type element) {
  return llvm::TypeSwitch<Type, StringRef>(element)
      .Case([](BFloat16Type) { return "bf16"; })
      .Case([](Float16Type) { return "f16"; })
      .Case([](Float32Type) { return "tf32"; })
      .Case([](Float8E4M3FNType) { return "e4m3"; })
      .Case([](Float8E5M2Type) { return "e5m2"; });
}

/// The op of the NVVM dialect has `keeps` as an attribute, so that the first
/// step of a loop would need zeros. Operands behind the sums are the left
/// one's, the right descriptor, and `keeps`.
Value Wgmma::start(Value sums, StringRef leftOperand, ValueRange leftValues,
                   StringRef leftConstraint, StringRef leftOrder, Value right,
                   Value keeps) {
  int64_t behindLeft = 2 * sumsPerThread() + leftValues.size();
  std::string outputs, constraints;
  for (int64_t i = 0; i < sumsPerThread(); ++i)
    outputs += (i ? ", $" : "$") + std::to_string(i);
  for (size_t i = 0; i < leftValues.size(); ++i)
    constraints += (leftConstraint + ",").str();
  // Operands of 8 and 32 bits have one order.
  std::string orders =
      this->right.bytesEach != 2
          ? ""
          : llvm::formatv("{0}, {1}", leftOrder, this->right.isAlongK ? 0 : 1)
                .str();
  std::string code = llvm::formatv(
      "{{ .reg .pred p; setp.ne.b32 p, ${0}, 0; "
      "wgmma.mma_async.sync.aligned.m64n{1}k{2}.f32.{3}.{4} {{{5}}, {6}, ${7}, "
      "p, 1, 1{8}; }",
      behindLeft + 1, columns, this->right.placesPerStep(), nameOf(leftElement),
      nameOf(rightElement), outputs, leftOperand, behindLeft, orders);
  SmallVector<Value> inputs(leftValues);
  inputs.append({right, keeps});
  return tied(code, sums, inputs, constraints + "l,r");
}

Value Wgmma::multiply(Value sums, Value leftDescriptor, Value rightDescriptor,
                      int64_t step, Value keeps) {
  std::string operand = "$" + std::to_string(2 * sumsPerThread());
  return start(sums, operand, stepped(leftDescriptor, left, step), "l",
               left.isAlongK ? ", 0" : ", 1",
               stepped(rightDescriptor, right, step), keeps);
}

Value Wgmma::multiply(Value sums, ArrayRef<Value> leftWords,
                      Value rightDescriptor, int64_t step, Value keeps) {
  std::string operand;
  for (size_t i = 0; i < leftWords.size(); ++i)
    operand += (i ? ", $" : "$") + std::to_string(2 * sumsPerThread() + i);
  return start(sums, "{" + operand + "}", leftWords, "r", /*leftOrder=*/"",
               stepped(rightDescriptor, right, step), keeps);
}

Value Wgmma::awaitAllBut(Value sums, int64_t groups) {
  return tied("wgmma.wait_group.sync.aligned " + std::to_string(groups) + ";",
              sums, {}, "");
}
