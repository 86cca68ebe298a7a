//===- PlanBuilder.h - A lowered program's plan for the runtime -*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host function that lowering leaves behind is straight-line code on
// tensors: launches, reshapes and index arithmetic. For
//
//   func.func @f(%x: tensor<?x64xf32> {fuse.name = "x", fuse.dims = ["T"]})
//       -> (tensor<?x8x8xf32> {fuse.name = "y"}) {
//     %c0 = arith.constant 0 : index
//     %c4 = arith.constant 4 : index
//     %T = tensor.dim %x, %c0 : tensor<?x64xf32>
//     %g = arith.ceildivui %T, %c4 : index
//     %h = fuse.launch @a::@a blocks(%g) threads(256) ins(%x : ..) sizes(%T)
//          result_dims(%T) -> tensor<?x64xf32>
//     %y = tensor.expand_shape %h [[0], [1, 2]] output_shape [%T, 8, 8] ...
//     return %y
//   }
//
// the plan has symbol T, input x [T, 64], output y [T, 8, 8] and one step: @a
// with grid ceildiv(T, 4) that writes y directly, since a reshape is the same
// buffer. A launch result that is not returned becomes a temp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_COMPILER_PLANBUILDER_H
#define FUSE_COMPILER_PLANBUILDER_H

#include "fuse/Compiler/Plan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fuse::jit {

/// The runtime's name of an element type that the dialect knows.
runtime::DType toDType(mlir::Type elementType);

/// Builds the plan of a lowered `entry`, whose arguments carry `fuse.name` and
/// `fuse.dims`. Fails if an op is none of those above, if a reshape's sizes are
/// not provably those of its source, or if `fuse.in_place` is not proven.
llvm::Expected<Plan> buildPlan(mlir::func::FuncOp entry);

} // namespace fuse::jit

#endif // FUSE_COMPILER_PLANBUILDER_H
