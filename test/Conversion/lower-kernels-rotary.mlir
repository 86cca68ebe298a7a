// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels | FileCheck %s

// A vector holds whole pairs; the partner is a shuffle. One load, one store.
// CHECK-LABEL: gpu.func @interleaved
// CHECK:         llvm.load %{{.*}} : !llvm.ptr -> vector<8xf16>
// CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr -> vector<4xf32>
// CHECK:         vector.shuffle %{{.*}} [1, 0, 3, 2, 5, 4, 7, 6]
// CHECK-NOT:     llvm.load
// CHECK:         llvm.store %{{.*}} : vector<8xf16>
func.func @interleaved(%x: tensor<?x2x64xf16>, %c: tensor<?x32xf32>, %s: tensor<?x32xf32>) -> tensor<?x2x64xf16> {
  %y = fuse.kernel "interleaved" ins(%x, %c, %s : tensor<?x2x64xf16>, tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x2x64xf16>
      schedule = #fuse.pointwise<threads = 128, vector = 8, unroll = 1> {
  ^bb0(%a: tensor<?x2x64xf16>, %b: tensor<?x32xf32>, %d: tensor<?x32xf32>):
    %r = fuse.rotary interleaved tokens_heads %a tables(%b, %d) : tensor<?x2x64xf16>, tensor<?x32xf32>
    fuse.yield %r : tensor<?x2x64xf16>
  }
  return %y : tensor<?x2x64xf16>
}

// -----

// A thread walks both halves of a pair: each element is loaded once, and both
// loads come before both stores, so that it works in place.
// CHECK-LABEL: func.func @half
// CHECK:         in_place = {{\[}}[0, 0]]
// CHECK-LABEL: gpu.func @half
// CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr -> vector<4xf32>
// CHECK-NOT:     llvm.load %{{.*}} : !llvm.ptr -> vector<4xf32>
// CHECK-COUNT-2: llvm.store %{{.*}} : vector<4xf32>
// CHECK-NOT:     llvm.store
func.func @half(%x: tensor<?x2x64xf32>) -> tensor<?x2x64xf32> {
  %y = fuse.kernel "half" ins(%x : tensor<?x2x64xf32>) -> tensor<?x2x64xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<?x2x64xf32>):
    %r = fuse.rotary half tokens_heads %a base = 1.0e4 : tensor<?x2x64xf32>
    fuse.yield %r : tensor<?x2x64xf32>
  }
  return %y : tensor<?x2x64xf32>
}

// -----

// Partial: pairs, or a vector that is copied.
// CHECK-LABEL: gpu.func @partial
// CHECK:         scf.if
// CHECK:         scf.if
// CHECK-COUNT-2:   llvm.store
// CHECK:         } else {
// CHECK-NOT:       arith.mulf
// CHECK:           llvm.store
func.func @partial(%x: tensor<?x2x64xf32>) -> tensor<?x2x64xf32> {
  %y = fuse.kernel "partial" ins(%x : tensor<?x2x64xf32>) -> tensor<?x2x64xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<?x2x64xf32>):
    %r = fuse.rotary half tokens_heads %a base = 1.0e4 dims = 32 : tensor<?x2x64xf32>
    fuse.yield %r : tensor<?x2x64xf32>
  }
  return %y : tensor<?x2x64xf32>
}
