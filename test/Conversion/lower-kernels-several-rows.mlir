// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels | FileCheck %s

// Two rows of each thread, eight rows apart: both are loaded before the first shuffle,
// at a constant distance, the weights are loaded once, and the rows exchange before either
// is stored. A block that has fewer rows takes them one by one.
// CHECK-LABEL: gpu.func @weighed
// CHECK:         scf.if %{{.*}} {
// CHECK:           llvm.load {{.*}} -> vector<4xf32>
// CHECK-NOT:       arith.maximumf
// CHECK:           llvm.load {{.*}} -> vector<4xf32>
// CHECK-NOT:       llvm.load
// CHECK-COUNT-8:   gpu.shuffle
// CHECK-COUNT-1:   llvm.load {{.*}} -> vector<4xf32>
// CHECK-NOT:       llvm.load
// CHECK-COUNT-2:   llvm.store {{.*}} : vector<4xf32>
// CHECK-NOT:       llvm.store
// CHECK:         } else {
// CHECK:           scf.for
// CHECK-COUNT-1:     llvm.load {{.*}} -> vector<4xf32>
// CHECK-COUNT-4:     gpu.shuffle
// CHECK-COUNT-1:     llvm.load {{.*}} -> vector<4xf32>
// CHECK:             scf.if
// CHECK-COUNT-1:       llvm.store {{.*}} : vector<4xf32>
func.func @weighed(%x: tensor<?x64xf32>, %w: tensor<64xf32>) -> tensor<?x64xf32> {
  %0 = fuse.kernel "weighed" ins(%x, %w : tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
      schedule = #fuse.rows<threads = 128, vector = 4, rows_per_block = 16, hold = registers<rows_per_thread = 2>> {
  ^bb0(%a: tensor<?x64xf32>, %b: tensor<64xf32>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x64xf32> -> tensor<?x1xf32>
    %d = fuse.sub %a, %m : tensor<?x64xf32>, tensor<?x1xf32> -> tensor<?x64xf32>
    %p = fuse.mul %d, %b : tensor<?x64xf32>, tensor<64xf32> -> tensor<?x64xf32>
    fuse.yield %p : tensor<?x64xf32>
  }
  return %0 : tensor<?x64xf32>
}

// -----

// Of a number of rows that the block's divide, no block has fewer.
// CHECK-LABEL: gpu.func @known
// CHECK-NOT:     scf.for
// CHECK-COUNT-2: llvm.load {{.*}} -> vector<4xf32>
// CHECK-COUNT-8: gpu.shuffle
// CHECK-NOT:     scf.for
func.func @known(%x: tensor<160x64xf32>) -> tensor<160x64xf32> {
  %0 = fuse.kernel "known" ins(%x : tensor<160x64xf32>) -> tensor<160x64xf32>
      schedule = #fuse.rows<threads = 128, vector = 4, rows_per_block = 16, hold = registers<rows_per_thread = 2>> {
  ^bb0(%a: tensor<160x64xf32>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<160x64xf32> -> tensor<160x1xf32>
    %d = fuse.sub %a, %m : tensor<160x64xf32>, tensor<160x1xf32> -> tensor<160x64xf32>
    fuse.yield %d : tensor<160x64xf32>
  }
  return %0 : tensor<160x64xf32>
}

// -----

// Sixteen odd rows apart, vectors start at the same columns, which are looked for once.
// CHECK-LABEL: gpu.func @one_head
// CHECK:         scf.if
// CHECK-COUNT-2:   arith.remui
// CHECK-NOT:       arith.remui
// CHECK:           gpu.shuffle
func.func @one_head(%x: tensor<?x77xbf16>) -> tensor<?x77xbf16> {
  %0 = fuse.kernel "one_head" ins(%x : tensor<?x77xbf16>) -> tensor<?x77xbf16>
      schedule = #fuse.rows<threads = 128, vector = 2, rows_per_block = 32, hold = registers<rows_per_thread = 2>> {
  ^bb0(%a: tensor<?x77xbf16>):
    %m = fuse.reduce max %a dims = [1] keep : tensor<?x77xbf16> -> tensor<?x1xbf16>
    %d = fuse.sub %a, %m : tensor<?x77xbf16>, tensor<?x1xbf16> -> tensor<?x77xbf16>
    fuse.yield %d : tensor<?x77xbf16>
  }
  return %0 : tensor<?x77xbf16>
}

// -----

// Four rows of two warps: in a warp two lanes exchange half of what they have,
// two sums, then one, and then a quarter of the lanes has all of one row.
// CHECK-LABEL: gpu.func @warps
// CHECK-COUNT-6: gpu.shuffle
// CHECK-NOT:     gpu.shuffle
// CHECK-COUNT-1: memref.store
// CHECK-NOT:     memref.store
// CHECK:         gpu.barrier
// CHECK-COUNT-8: memref.load
// CHECK:         gpu.return
func.func @warps(%x: tensor<64x512xf32>) -> tensor<64x1xf32> {
  %0 = fuse.kernel "warps" ins(%x : tensor<64x512xf32>) -> tensor<64x1xf32>
      schedule = #fuse.rows<threads = 64, vector = 4, rows_per_block = 4, hold = registers<rows_per_thread = 4>> {
  ^bb0(%a: tensor<64x512xf32>):
    %m = fuse.reduce sum %a dims = [1] keep : tensor<64x512xf32> -> tensor<64x1xf32>
    fuse.yield %m : tensor<64x1xf32>
  }
  return %0 : tensor<64x1xf32>
}
