//===- Passes.td - The conversion passes -------------------*- tablegen -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_CONVERSION_PASSES_TD
#define FUSE_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandMath : Pass<"fuse-expand-math"> {
  let summary = "Expand math functions, so that no math library is needed";
  let description = [{
    Rewrites exp, exp2, expm1, log, log2, log1p, rsqrt, sin, cos, tanh, erf and
    powf of the math dialect, on f32 and f64 scalars and fixed 1-D vectors, into
    arith ops and the math ops that every target has as instructions (fma,
    floor, absf, copysign, sqrt). On CUDA it also uses the approximate
    instructions where their error is small enough. docs/math.md has the error
    of each.

    An op with the fast-math flag `afn` has to be good to one f16 ULP only, and
    to one bf16 ULP if it also has the unit attribute `fuse.bf16`. On CUDA, f32
    divisions with `afn` or `arcp` become `div.full`.

    Before:
    ```mlir
    %y = math.exp %x fastmath<afn> : f32
    ```
    After, with `target=cuda`:
    ```mlir
    %log2e = arith.constant 1.44269502 : f32
    %t = arith.mulf %x, %log2e : f32
    %y = llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"(%t) : (f32) -> f32
    ```
  }];
  let options = [
    Option<"target", "target", "::mlir::fuse::MathTarget",
           "::mlir::fuse::MathTarget::Cpu", "The machine that runs the result",
           [{llvm::cl::values(
              clEnumValN(::mlir::fuse::MathTarget::Cpu, "cpu", "The host"),
              clEnumValN(::mlir::fuse::MathTarget::Cuda, "cuda",
                         "An NVIDIA GPU, through NVVM"))}]>
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // FUSE_CONVERSION_PASSES_TD
