// Each vector of a held row is code of its own: 16383 of them did not end.
// RUN: not fuse-opt -fuse-lower=chip=cpu %s 2>&1 | FileCheck %s
// CHECK: expected at most 256 vectors a thread with hold = registers, but got 16383; use more threads or hold = loop

func.func @program(%x: tensor<127x129xf32>) -> tensor<1x1xf32> {
  %0 = fuse.kernel "program" ins(%x : tensor<127x129xf32>) -> tensor<1x1xf32> schedule = #fuse.rows<threads = 1, vector = 1, rows_per_block = 1, hold = registers> {
  ^bb0(%a: tensor<127x129xf32>):
    %m = fuse.reduce max %a dims = [0, 1] keep : tensor<127x129xf32> -> tensor<1x1xf32>
    fuse.yield %m : tensor<1x1xf32>
  }
  return %0 : tensor<1x1xf32>
}
