// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels | FileCheck %s

// Vectors along the summed axis: 2 x 2 accumulators of 4 lanes, whole vectors
// first, their lanes added up, then the last 2 terms one by one. The bias is
// added to the finished sums.
// CHECK-LABEL: gpu.func @linear
// CHECK:         %[[V:.*]]:4 = scf.for {{.*}} -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>)
// CHECK-COUNT-4:   llvm.load %{{.*}} : !llvm.ptr -> vector<4xf32>
// CHECK-NOT:       llvm.load
// CHECK:           scf.yield
// CHECK:         vector.extract %[[V]]#0[0]
// CHECK:         scf.for {{.*}} -> (f32, f32, f32, f32)
// CHECK-COUNT-4:   llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK:           scf.yield
// CHECK-COUNT-4: llvm.store %{{.*}} : f32
// CHECK-NOT:     llvm.store
func.func @linear(%x: tensor<4x10xf32>, %w: tensor<6x10xf32>, %b: tensor<6xf32>) -> tensor<4x6xf32> {
  %y = fuse.kernel "linear" ins(%x, %w, %b : tensor<4x10xf32>, tensor<6x10xf32>, tensor<6xf32>) -> tensor<4x6xf32>
      schedule = #fuse.contraction<threads = 32, tile_m = 2, tile_n = 2, vector = 4, along = k> {
  ^bb0(%a: tensor<4x10xf32>, %c: tensor<6x10xf32>, %d: tensor<6xf32>):
    %p = fuse.contract "mk,nk->mn" %a, %c : tensor<4x10xf32>, tensor<6x10xf32> -> tensor<4x6xf32>
    %s = fuse.add %p, %d : tensor<4x6xf32>, tensor<6xf32> -> tensor<4x6xf32>
    fuse.yield %s : tensor<4x6xf32>
  }
  return %y : tensor<4x6xf32>
}

// -----

// Vectors along the result: one load of the right operand serves all rows.
// Rows past the end are read again, not written.
// CHECK-LABEL: gpu.func @product
// CHECK:         arith.minsi
// CHECK:         scf.for
// CHECK-COUNT-1:   llvm.load %{{.*}} : !llvm.ptr -> vector<4xf32>
// CHECK-NOT:       -> vector<4xf32>{{$}}
// CHECK:           scf.yield
// CHECK:         scf.if
// CHECK:           llvm.store %{{.*}} : vector<4xf32>
func.func @product(%x: tensor<?x10xf32>, %w: tensor<10x8xf32>) -> tensor<?x8xf32> {
  %y = fuse.kernel "product" ins(%x, %w : tensor<?x10xf32>, tensor<10x8xf32>) -> tensor<?x8xf32>
      schedule = #fuse.contraction<threads = 32, tile_m = 2, tile_n = 1, vector = 4, along = n> {
  ^bb0(%a: tensor<?x10xf32>, %c: tensor<10x8xf32>):
    %p = fuse.contract "mk,kn->mn" %a, %c : tensor<?x10xf32>, tensor<10x8xf32> -> tensor<?x8xf32>
    fuse.yield %p : tensor<?x8xf32>
  }
  return %y : tensor<?x8xf32>
}
