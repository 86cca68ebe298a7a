// A lane past a row of one element read past the end of the tensor: its index was 0, but
// its flat position was not.
// RUN: fuse run %s --target emu --verify | FileCheck %s
// CHECK: ok

func.func @program(%arg0: tensor<1xi64>) -> (tensor<1xf64>, tensor<1xf64>) {
  %0:2 = fuse.kernel "program" ins(%arg0 : tensor<1xi64>) -> tensor<1xf64>, tensor<1xf64> schedule = #fuse.rows<threads = 256, vector = 1, rows_per_block = 128, hold = registers> {
  ^bb0(%arg1: tensor<1xi64>):
    %1 = fuse.cast %arg1 : tensor<1xi64> -> tensor<1xf64>
    %2 = fuse.mul %1, %1 : tensor<1xf64>
    %3 = fuse.reduce mean %2 dims = [0] keep : tensor<1xf64> -> tensor<1xf64>
    %4 = fuse.constant dense<0.000000e+00> : tensor<f64>
    %5 = fuse.add %3, %4 : tensor<1xf64>, tensor<f64>
    %6 = fuse.rsqrt %5 : tensor<1xf64>
    %7 = fuse.mul %1, %6 : tensor<1xf64>
    %8 = fuse.sub %1, %1 : tensor<1xf64>
    %9 = fuse.exp %8 : tensor<1xf64>
    %10 = fuse.reduce sum %9 dims = [0] keep : tensor<1xf64> -> tensor<1xf64>
    %11 = fuse.div %9, %10 : tensor<1xf64>
    fuse.yield %7, %11 : tensor<1xf64>, tensor<1xf64>
  }
  return %0#0, %0#1 : tensor<1xf64>, tensor<1xf64>
}
