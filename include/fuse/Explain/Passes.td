//===- Passes.td - The explaining pass ---------------------*- tablegen -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_EXPLAIN_PASSES_TD
#define FUSE_EXPLAIN_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseExplain : Pass<"fuse-explain", "::mlir::ModuleOp"> {
  let summary = "Say what was fused, and why the rest was not";
  let description = [{
    Emits optimization remarks about scheduled kernels and changes nothing. Show
    them with `--remarks-filter=fuse` or write them to a file with
    `--remark-format=yaml --remarks-output-file=FILE`.

    - `passed`, category `fuse-kernel`, for each kernel: its ops, the bytes that
      it moves and those that it saves, and its schedule with the reason for it.
      For a GPU also the time that the model predicts, in microseconds, what it
      consists of most, and the next best schedule with its time; a dynamic
      dimension is taken for 4096.
      The bytes saved are against a kernel for each op; what an op of the
      program was decomposed into counts as one.
    - `missed`, category `fuse-edge`, for each entry of `fuse.missed` with a
      producer: the reason, what the edge costs, and what to change.
    - `missed`, category `fuse-launch`, for each entry with a neighbour: why two
      independent kernels do not share a launch, what both read, and what to
      change.
    - `missed`, category `fuse-copy`, for each kernel that makes a dense copy of a
      view: what needs it, and what it costs.

    ```
    $ fuse-opt -fuse-form -fuse-schedule softmax.mlir --remarks-filter=fuse
    softmax.mlir:5:8: remark: [Passed] Kernel | Category:fuse-kernel | ...
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90\"",
           "The GPU that kernels are scheduled for, or cpu">,
    Option<"aligned", "aligned", "bool", "true",
           "Tensors start at multiples of 16 bytes">,
    Option<"divisible", "divisible", "bool", "false",
           "Dynamic last dimensions are multiples of 16 bytes">,
    Option<"strict", "strict", "bool", "false",
           "Tensor cores, which round no product of f64, multiply none">
  ];
}

#endif // FUSE_EXPLAIN_PASSES_TD
