// RUN: fuse-opt %s -fuse-lower-kernels | FileCheck %s

// Vectors go on in the next row: what has the results' shape is loaded and
// stored whole, what is repeated for each row lane by lane, each with a column
// of its own.
// CHECK-LABEL: gpu.func @bias
// CHECK:         llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK:         arith.addf %{{.*}} : vector<4xf32>
// CHECK:         llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr
func.func @bias(%x: tensor<4x6xf32>, %b: tensor<6xf32>) -> tensor<4x6xf32> {
  %y = fuse.kernel "bias" ins(%x, %b : tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
      schedule = #fuse.pointwise<threads = 32, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<4x6xf32>, %c: tensor<6xf32>):
    %e = fuse.add %a, %c : tensor<4x6xf32>, tensor<6xf32> -> tensor<4x6xf32>
    fuse.yield %e : tensor<4x6xf32>
  }
  return %y : tensor<4x6xf32>
}
