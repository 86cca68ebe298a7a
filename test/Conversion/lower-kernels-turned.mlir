// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels=shared-bytes=232448 | FileCheck %s

// Where an input is read across dimensions that are too short for tiles, a thread
// has a box of whole vectors of both and turns it in registers.

// Pixels of three bytes become planes.
// CHECK-LABEL: gpu.func @planes
// CHECK-COUNT-3: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<16xi8>
// CHECK-NOT:     llvm.load
// CHECK-COUNT-3: llvm.store %{{.*}} {alignment = 16 : i64} : vector<16xi8>
// CHECK-NOT:     llvm.store
func.func @f(%x: tensor<?x64x64x3xui8>) -> tensor<?x3x64x64xui8> {
  %y = fuse.kernel "planes" ins(%x : tensor<?x64x64x3xui8>) -> tensor<?x3x64x64xui8>
      schedule = #fuse.pointwise<threads = 128, vector = 16, unroll = 1> {
  ^bb0(%a: tensor<?x64x64x3xui8>):
    %t = fuse.transpose %a permutation = [0, 3, 1, 2] : tensor<?x64x64x3xui8> -> tensor<?x3x64x64xui8>
    fuse.yield %t : tensor<?x3x64x64xui8>
  }
  return %y : tensor<?x3x64x64xui8>
}

// -----

// A residual of the result's shape is read in vectors, too; a bias of three
// elements one by one.
// CHECK-LABEL: gpu.func @residual
// CHECK-COUNT-6: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<8xbf16>
// CHECK-NOT:     llvm.load %{{.*}} -> vector
// CHECK-COUNT-3: llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK-NOT:     llvm.load
// CHECK-COUNT-3: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xbf16>
// CHECK-NOT:     llvm.store
func.func @f(%x: tensor<5x3x64xbf16>, %r: tensor<5x64x3xbf16>, %b: tensor<3xf32>) -> tensor<5x64x3xbf16> {
  %y = fuse.kernel "residual" ins(%x, %r, %b : tensor<5x3x64xbf16>, tensor<5x64x3xbf16>, tensor<3xf32>) -> tensor<5x64x3xbf16>
      schedule = #fuse.pointwise<threads = 128, vector = 8, unroll = 1> {
  ^bb0(%a: tensor<5x3x64xbf16>, %c: tensor<5x64x3xbf16>, %d: tensor<3xf32>):
    %t = fuse.transpose %a permutation = [0, 2, 1] : tensor<5x3x64xbf16> -> tensor<5x64x3xbf16>
    %s = fuse.add %t, %c : tensor<5x64x3xbf16>
    %w = fuse.cast %s : tensor<5x64x3xbf16> -> tensor<5x64x3xf32>
    %e = fuse.add %w, %d : tensor<5x64x3xf32>, tensor<3xf32> -> tensor<5x64x3xf32>
    %o = fuse.cast %e : tensor<5x64x3xf32> -> tensor<5x64x3xbf16>
    fuse.yield %o : tensor<5x64x3xbf16>
  }
  return %y : tensor<5x64x3xbf16>
}

// -----

// Vectors of one element are no box.
// CHECK-LABEL: gpu.func @single
// CHECK:         llvm.load %{{.*}} : !llvm.ptr -> i8
// CHECK-NOT:     vector<
func.func @f(%x: tensor<64x3xui8>) -> tensor<3x64xui8> {
  %y = fuse.kernel "single" ins(%x : tensor<64x3xui8>) -> tensor<3x64xui8>
      schedule = #fuse.pointwise<threads = 128, vector = 1, unroll = 1> {
  ^bb0(%a: tensor<64x3xui8>):
    %t = fuse.transpose %a permutation = [1, 0] : tensor<64x3xui8> -> tensor<3x64xui8>
    fuse.yield %t : tensor<3x64xui8>
  }
  return %y : tensor<3x64xui8>
}

// -----

// Ten pairs are five vectors of four elements or, of eight, three with four
// features that are copied: one thread has them, the others have the rest.
// CHECK-LABEL: gpu.func @pairs
// CHECK:         scf.if
// CHECK-COUNT-3:   llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<8xbf16>
// CHECK-COUNT-3:   llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xbf16>
// CHECK:         } else {
// CHECK-COUNT-1:   llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<8xbf16>
// CHECK-COUNT-1:   llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xbf16>
// CHECK-NOT:     llvm.load %{{.*}} -> bf16
func.func @f(%x: tensor<?x12x80xbf16>) -> tensor<?x12x80xbf16> {
  %y = fuse.kernel "pairs" ins(%x : tensor<?x12x80xbf16>) -> tensor<?x12x80xbf16>
      schedule = #fuse.pointwise<threads = 128, vector = 8, unroll = 1> {
  ^bb0(%a: tensor<?x12x80xbf16>):
    %r = fuse.rotary half tokens_heads %a base = 1.0e4 dims = 20 : tensor<?x12x80xbf16>
    fuse.yield %r : tensor<?x12x80xbf16>
  }
  return %y : tensor<?x12x80xbf16>
}
