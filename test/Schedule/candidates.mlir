// RUN: split-file %s %t
// RUN: fuse-opt %t/program.mlir -fuse-assign-schedules="chip=sm_90 divisible=true" | FileCheck %s --check-prefix=CHOICE
// RUN: fuse-opt %t/program.mlir -fuse-assign-schedules="chip=sm_90 divisible=true candidate=1" | FileCheck %s --check-prefix=OTHER
// RUN: fuse-opt %t/program.mlir -fuse-assign-schedules="chip=sm_90 divisible=true candidate=9999" | FileCheck %s --check-prefix=CHOICE
// RUN: fuse-opt %t/program.mlir -fuse-assign-schedules="chip=cpu candidate=1" | FileCheck %s --check-prefix=CPU

// CHOICE: #fuse.pointwise<threads = 128, vector = 4, unroll = 1>
// OTHER: schedule = #fuse.pointwise<
// OTHER-NOT: threads = 128, vector = 4, unroll = 1>
// CPU: #fuse.pointwise<threads = 1,

// What was measured goes before the choice, and a number before both.
// RUN: fuse-opt %t/program.mlir -fuse-assign-schedules="chip=sm_90 divisible=true tuning=%t/tuned.json" | FileCheck %s --check-prefix=TUNED
// RUN: fuse-opt %t/program.mlir -fuse-assign-schedules="chip=sm_90 divisible=true tuning=%t/tuned.json candidate=1" | FileCheck %s --check-prefix=OTHER
// TUNED: #fuse.pointwise<threads = 512, vector = 4, unroll = 2>

// Not for another chip, for other facts, or from a file that is not there.
// RUN: fuse-opt %t/program.mlir -fuse-assign-schedules="chip=sm_80 divisible=true tuning=%t/tuned.json" | FileCheck %s --check-prefix=CHOICE
// RUN: fuse-opt %t/program.mlir -fuse-assign-schedules="chip=sm_90 tuning=%t/tuned.json" | FileCheck %s --check-prefix=ANY
// RUN: fuse-opt %t/program.mlir -fuse-assign-schedules="chip=sm_90 divisible=true tuning=%t/absent.json" | FileCheck %s --check-prefix=CHOICE
// ANY: #fuse.pointwise<threads = 128,

// A schedule that is none of the candidates is left alone.
// RUN: fuse-opt %t/program.mlir -fuse-assign-schedules="chip=sm_90 divisible=true tuning=%t/illegal.json" | FileCheck %s --check-prefix=CHOICE

// RUN: not fuse-opt %t/program.mlir -fuse-assign-schedules="chip=sm_90 tuning=%t/damaged.json" 2>&1 | FileCheck %s --check-prefix=DAMAGED
// DAMAGED: error: expected '{{.*}}damaged.json' to be a tuning file, but entry 0 has not all of its fields; remove the file, or name another one in the option tuning or in FUSE_TUNING
// RUN: not fuse-opt %t/program.mlir -fuse-assign-schedules="chip=sm_90 tuning=%t/other.json" 2>&1 | FileCheck %s --check-prefix=VERSION
// VERSION: error: expected '{{.*}}other.json' to be a tuning file, but got version 2 instead of 1

//--- program.mlir
func.func @f(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = fuse.kernel "k" ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>):
    %s = fuse.add %a, %b : tensor<?x?xf32>
    fuse.yield %s : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}

//--- tuned.json
{"fuse-tuning": 1, "entries": [
  {"chip": "sm_90", "kernel": "dc1923dad24af788986fb459e7c53272", "log2_bytes": 28,
   "schedule": "#fuse.pointwise<threads = 512, vector = 4, unroll = 2>", "seconds": 1e-4}]}

//--- illegal.json
{"fuse-tuning": 1, "entries": [
  {"chip": "sm_90", "kernel": "dc1923dad24af788986fb459e7c53272", "log2_bytes": 28,
   "schedule": "#fuse.pointwise<threads = 96, vector = 64, unroll = 2>", "seconds": 1e-4}]}

//--- damaged.json
{"fuse-tuning": 1, "entries": [{"chip": "sm_90"}]}

//--- other.json
{"fuse-tuning": 2, "entries": []}
