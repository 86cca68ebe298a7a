//===- OpForms.cpp - How ops are written ----------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpForms.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace fuse::jit {

/// Ops with more than operands before the colon.
static constexpr StringLiteral examples[] = {
    "fuse.argmax %x dim = 1 : tensor<4x8xf32> -> tensor<4xi32>",
    "fuse.argmin %x dim = 1 : tensor<4x8xf32> -> tensor<4xi32>",
    "fuse.attention tokens_heads causal %q, %k, %v : "
    "tensor<2x16x8x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>",
    "fuse.broadcast %x : tensor<4x1xf32> -> tensor<4x8xf32>",
    "fuse.cast %x : tensor<4xbf16> -> tensor<4xf32>",
    "fuse.compare lt %x, %y : tensor<4xf32>",
    "fuse.concat %x, %y dim = 0 : tensor<4x8xf32>, tensor<2x8xf32> -> "
    "tensor<6x8xf32>",
    "fuse.constant dense<0.5> : tensor<f32>",
    "fuse.contract \"mk,kn->mn\" %x, %y : tensor<4x8xf32>, tensor<8x6xf32> -> "
    "tensor<4x6xf32>",
    "fuse.dropout %x, %seed p = 0.1 stream = 0 : tensor<4x8xf32>, tensor<i64>",
    "fuse.dynamic_slice %x, %start dim = 0 size = 2 : tensor<4x8xf32>, "
    "tensor<i64> -> tensor<2x8xf32>",
    "fuse.gather %table, %ids dim = 0 : tensor<100x8xf32>, tensor<4xi32> -> "
    "tensor<4x8xf32>",
    "fuse.geglu tanh %x, %y : tensor<4x8xf32>",
    "fuse.gelu tanh %x : tensor<4x8xf32>",
    "fuse.iota dim = 1 : tensor<4x8xi32>",
    "fuse.layer_norm %x, %weight, %bias eps = 1.0e-5 : tensor<4x8xf32>, "
    "tensor<8xf32>, tensor<8xf32>",
    "fuse.log_softmax %x dims = [1] : tensor<4x8xf32>",
    "fuse.logsumexp %x dims = [1] : tensor<4x8xf32> -> tensor<4xf32>",
    "fuse.matmul %x, %y : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>",
    "fuse.pad %x low = [0, 1] high = [0, 2] value = 0.0 : tensor<4x8xf32> -> "
    "tensor<4x11xf32>",
    "fuse.random %seed stream = 0 : tensor<i64> -> tensor<4x8xf32>",
    "fuse.reduce sum %x dims = [1] : tensor<4x8xf32> -> tensor<4xf32>",
    "fuse.reverse %x dims = [1] : tensor<4x8xf32>",
    "fuse.rms_norm %x, %weight eps = 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>",
    "fuse.rotary half tokens_heads %x positions(%p) base = 1.0e4 : "
    "tensor<4x2x64xf32>, tensor<4xi32>",
    "fuse.scan sum %x : tensor<4x8xf32>",
    "fuse.scatter %into, %ids, %updates dim = 0 : tensor<100x8xf32>, "
    "tensor<4xi32>, tensor<4x8xf32> -> tensor<100x8xf32>",
    "fuse.segment_sum %x, %offsets : tensor<9x8xf32>, tensor<5xi32> -> "
    "tensor<4x8xf32>",
    "fuse.select %condition, %x, %y : tensor<4xi1>, tensor<4xf32>, "
    "tensor<4xf32>",
    "fuse.slice %x offsets = [0, 2] sizes = [-1, 4] : tensor<4x8xf32> -> "
    "tensor<4x4xf32>",
    "fuse.softmax %x dims = [1] : tensor<4x8xf32>",
    "fuse.take_along %table, %ids dim = 1 : tensor<4x8xf32>, tensor<4x1xi32> "
    "-> tensor<4x1xf32>",
    "fuse.top_k %x k = 2 : tensor<4x8xf32> -> tensor<4x2xf32>, tensor<4x2xi32>",
    "fuse.transpose %x permutation = [1, 0] : tensor<4x8xf32> -> "
    "tensor<8x4xf32>",
    "fuse.unpack %x : tensor<4x8xi8> -> tensor<4x16xi8>",
    "tensor.collapse_shape %x [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>",
    "tensor.expand_shape %x [[0, 1]] output_shape [4, 8] : tensor<32xf32> into "
    "tensor<4x8xf32>",
};

std::string exampleOf(StringRef op, mlir::MLIRContext &context) {
  for (StringRef example : examples)
    if (example.split(' ').first == op)
      return example.str();
  auto known = mlir::RegisteredOperationName::lookup(op, &context);
  if (!known || !known->hasTrait<mlir::fuse::OpTrait::Pointwise>())
    return "";
  bool isLogical = op == "fuse.and" || op == "fuse.or" || op == "fuse.xor" ||
                   op == "fuse.not";
  bool isOfBits = op == "fuse.shl" || op == "fuse.shr";
  StringRef values = known->hasTrait<mlir::OpTrait::OneOperand>() ? "%x"
                     : known->hasTrait<mlir::OpTrait::NOperands<2>::Impl>()
                         ? "%x, %y"
                         : "%x, %y, %z";
  return formatv("{0} {1} : tensor<4x{2}>", op, values,
                 isLogical  ? "i1"
                 : isOfBits ? "i32"
                            : "f32");
}

} // namespace fuse::jit
