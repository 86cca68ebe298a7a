// Rows too short for vectors that edges precede and follow had one proposed for
// few threads.
// RUN: fuse-crosscheck --check emulated-schedules --schedules=64 %s | FileCheck %s
// CHECK: right

func.func @program(%a0: tensor<1025xi1>) -> (tensor<1025xi32>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<f64>) {
  %v0 = fuse.cast %a0 : tensor<1025xi1> -> tensor<1025xf64>
  %v1 = fuse.reduce mean %v0 dims = [0] keep : tensor<1025xf64> -> tensor<1xf64>
  %v5 = fuse.gelu erf %v1 : tensor<1xf64>
  %v6 = fuse.sign %v0 : tensor<1025xf64>
  %v7 = fuse.constant dense<0.0> : tensor<1xf64>
  %v8 = fuse.sub %v1, %v7 : tensor<1xf64>, tensor<1xf64> -> tensor<1xf64>
  %v9 = fuse.reduce sum %v6 dims = [0] : tensor<1025xf64> -> tensor<f64>
  %v10 = fuse.iota dim = 0 : tensor<1025xi32>
  return %v10, %v5, %v8, %v8, %v9 : tensor<1025xi32>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<f64>
}
