// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels=shared-bytes=232448 | FileCheck %s

// Lanes that start between two vectors in memory come from these.

// One to the left: of a row's first vector the left one is padding. Nothing is
// read by itself.
// CHECK-LABEL: gpu.func @left
// CHECK:         scf.if
// CHECK:           llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<8xf16>
// CHECK:         scf.if
// CHECK:           llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<8xf16>
// CHECK:         vector.shuffle %{{.*}} [7, 8, 9, 10, 11, 12, 13, 14]
// CHECK-NOT:     llvm.load
// CHECK:         llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf16>
func.func @f(%x: tensor<64x1024xf16>) -> tensor<64x1024xf16> {
  %y = fuse.kernel "left" ins(%x : tensor<64x1024xf16>) -> tensor<64x1024xf16>
      schedule = #fuse.pointwise<threads = 128, vector = 8, unroll = 1> {
  ^bb0(%a: tensor<64x1024xf16>):
    %s = fuse.slice %a offsets = [0, 0] sizes = [64, 1023] : tensor<64x1024xf16> -> tensor<64x1023xf16>
    %p = fuse.pad %s low = [0, 1] high = [0, 0] value = 0.0 : tensor<64x1023xf16> -> tensor<64x1024xf16>
    fuse.yield %p : tensor<64x1024xf16>
  }
  return %y : tensor<64x1024xf16>
}

// -----

// What is sliced is all there.
// CHECK-LABEL: gpu.func @sliced
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK:         vector.shuffle %{{.*}} [3, 4, 5, 6]
// CHECK-NOT:     llvm.load
func.func @f(%x: tensor<64x1024xf32>) -> tensor<64x512xf32> {
  %y = fuse.kernel "sliced" ins(%x : tensor<64x1024xf32>) -> tensor<64x512xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<64x1024xf32>):
    %s = fuse.slice %a offsets = [0, 7] sizes = [64, 512] : tensor<64x1024xf32> -> tensor<64x512xf32>
    fuse.yield %s : tensor<64x512xf32>
  }
  return %y : tensor<64x512xf32>
}

// -----

// Where accesses of 64 bits fit, nothing is shuffled.
// CHECK-LABEL: gpu.func @halfway
// CHECK:         llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK-NOT:     vector.shuffle
func.func @f(%x: tensor<64x1024xf32>) -> tensor<64x512xf32> {
  %y = fuse.kernel "halfway" ins(%x : tensor<64x1024xf32>) -> tensor<64x512xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<64x1024xf32>):
    %s = fuse.slice %a offsets = [0, 6] sizes = [64, 512] : tensor<64x1024xf32> -> tensor<64x512xf32>
    fuse.yield %s : tensor<64x512xf32>
  }
  return %y : tensor<64x512xf32>
}
