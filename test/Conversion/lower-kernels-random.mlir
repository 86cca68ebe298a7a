// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels | FileCheck %s

// Four lanes are one block of the generator: ten rounds of two products.
// CHECK-LABEL: gpu.func @aligned
// CHECK:         llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK-COUNT-20: arith.mului_extended
// CHECK-NOT:     arith.mului_extended
// CHECK:         vector.from_elements
// CHECK:         llvm.store %{{.*}} : vector<4xf32>
func.func @f(%seed: tensor<i64>) -> tensor<5x8xf32> {
  %y = fuse.kernel "aligned" ins(%seed : tensor<i64>) -> tensor<5x8xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%s: tensor<i64>):
    %r = fuse.random %s stream = 0 : tensor<i64> -> tensor<5x8xf32>
    fuse.yield %r : tensor<5x8xf32>
  }
  return %y : tensor<5x8xf32>
}

// -----

// A single lane takes one word of its block.
// CHECK-LABEL: gpu.func @single
// CHECK-COUNT-20: arith.mului_extended
// CHECK-NOT:     arith.mului_extended
// CHECK-COUNT-3: arith.select
func.func @f(%seed: tensor<i64>) -> tensor<5x7xf32> {
  %y = fuse.kernel "single" ins(%seed : tensor<i64>) -> tensor<5x7xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 1, unroll = 1> {
  ^bb0(%s: tensor<i64>):
    %r = fuse.random %s stream = 0 : tensor<i64> -> tensor<5x7xf32>
    fuse.yield %r : tensor<5x7xf32>
  }
  return %y : tensor<5x7xf32>
}

// -----

// Sliced off the start of a block, each lane computes its own.
// CHECK-LABEL: gpu.func @sliced
// CHECK-COUNT-80: arith.mului_extended
// CHECK-NOT:     arith.mului_extended
func.func @f(%seed: tensor<i64>) -> tensor<5x8xf32> {
  %y = fuse.kernel "sliced" ins(%seed : tensor<i64>) -> tensor<5x8xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%s: tensor<i64>):
    %r = fuse.random %s stream = 0 : tensor<i64> -> tensor<5x16xf32>
    %t = fuse.slice %r offsets = [0, 1] sizes = [-1, 8] : tensor<5x16xf32> -> tensor<5x8xf32>
    fuse.yield %t : tensor<5x8xf32>
  }
  return %y : tensor<5x8xf32>
}
