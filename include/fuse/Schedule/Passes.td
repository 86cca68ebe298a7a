//===- Passes.td - The schedule passes ---------------------*- tablegen -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_PASSES_TD
#define FUSE_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def AssignSchedules : Pass<"fuse-assign-schedules", "::mlir::func::FuncOp"> {
  let summary = "Give every kernel a schedule";
  let description = [{
    Asks the schedulers in turn (contraction, rows, columns, transpose,
    pointwise); the first that applies to the kernel proposes its schedule. A
    kernel that has a schedule keeps it.

    Before:
    ```mlir
    fuse.kernel "f" ins(%x : tensor<?x4096xf32>) -> tensor<?x4096xf32> {
    ```
    After, for a GPU:
    ```mlir
    fuse.kernel "f" ins(%x : tensor<?x4096xf32>) -> tensor<?x4096xf32>
        schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90\"",
           "The GPU to schedule for, or cpu for the host">,
    Option<"divisible", "divisible", "bool", "false",
           "Dynamic last dimensions are multiples of 16 bytes">
  ];
}

#endif // FUSE_SCHEDULE_PASSES_TD
