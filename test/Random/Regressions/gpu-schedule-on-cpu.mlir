// A block is one thread on the CPU: the rest of the result was not written.
// RUN: not fuse run %s --target cpu 2>&1 | FileCheck %s
// RUN: fuse run %s --target emu --verify
// CHECK: expected a schedule of threads = 1 for the CPU, but got 128; schedule for chip=cpu

func.func @program(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %0 = fuse.kernel "program" ins(%x : tensor<1000xf32>) -> tensor<1000xf32> schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<1000xf32>):
    %y = fuse.exp %a : tensor<1000xf32>
    fuse.yield %y : tensor<1000xf32>
  }
  return %0 : tensor<1000xf32>
}
