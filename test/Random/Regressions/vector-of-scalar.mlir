// A schedule with vectors for a result of rank 0 crashed the lowering.
// RUN: not fuse-opt -fuse-lower %s 2>&1 | FileCheck %s
// CHECK: expected a schedule whose vector divides the last dimension, but got vector = 4 for a last dimension of 1; use vector = 1

func.func @program(%x: tensor<1xf32>, %i: tensor<i32>) -> tensor<f32> {
  %0 = fuse.kernel "program" ins(%x, %i : tensor<1xf32>, tensor<i32>) -> tensor<f32> schedule = #fuse.pointwise<threads = 32, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<1xf32>, %b: tensor<i32>):
    %y = fuse.gather %a, %b dim = 0 : tensor<1xf32>, tensor<i32> -> tensor<f32>
    fuse.yield %y : tensor<f32>
  }
  return %0 : tensor<f32>
}
