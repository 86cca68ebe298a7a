// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels | FileCheck %s

// Vectors along the input's rows into shared memory, a barrier, vectors along
// the result's rows out of it. The residual is read where it is needed.
// CHECK-LABEL: func.func @f
// 3 tiles of the last dimension, 2 of the other, 5 matrices.
// CHECK:         fuse.launch @turn::@turn blocks(%c30{{.*}}) threads(128)
// CHECK-LABEL: gpu.func @turn
// CHECK-SAME:    workgroup(%[[TILE:.*]] : memref<1024xf32, #gpu.address_space<workgroup>>)
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK-NOT:     llvm.load
// CHECK-COUNT-2: vector.store %{{.*}}, %[[TILE]]{{.*}} {alignment = 16 : i64}
// CHECK:         gpu.barrier
// CHECK-COUNT-4: memref.load %[[TILE]]
// CHECK-NOT:     memref.load
// CHECK:         llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK:         arith.addf %{{.*}} : vector<4xf32>
// CHECK:         llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>
// CHECK-COUNT-4: memref.load %[[TILE]]
// CHECK-NOT:     memref.load
// CHECK:         llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>
// CHECK-NOT:     llvm.store
func.func @f(%x: tensor<5x96x64xf32>, %r: tensor<5x64x96xf32>) -> tensor<5x64x96xf32> {
  %y = fuse.kernel "turn" ins(%x, %r : tensor<5x96x64xf32>, tensor<5x64x96xf32>) -> tensor<5x64x96xf32>
      schedule = #fuse.transpose<threads = 128, tile = 32, vector = 4> {
  ^bb0(%a: tensor<5x96x64xf32>, %b: tensor<5x64x96xf32>):
    %t = fuse.transpose %a permutation = [0, 2, 1] : tensor<5x96x64xf32> -> tensor<5x64x96xf32>
    %s = fuse.add %t, %b : tensor<5x64x96xf32>
    fuse.yield %s : tensor<5x64x96xf32>
  }
  return %y : tensor<5x64x96xf32>
}

// -----

// The last tile is not whole: reads and writes have a guard, the barrier none.
// CHECK-LABEL: gpu.func @edge
// CHECK:         arith.cmpi slt, %{{.*}}, %c40
// CHECK:         scf.if
// CHECK:           llvm.load
// CHECK:       {{^}}      gpu.barrier
// CHECK:         scf.if
// CHECK:           memref.load
// CHECK:           llvm.store
func.func @f(%x: tensor<64x40xf32>) -> tensor<40x64xf32> {
  %y = fuse.kernel "edge" ins(%x : tensor<64x40xf32>) -> tensor<40x64xf32>
      schedule = #fuse.transpose<threads = 256, tile = 32, vector = 4> {
  ^bb0(%a: tensor<64x40xf32>):
    %t = fuse.transpose %a permutation = [1, 0] : tensor<64x40xf32> -> tensor<40x64xf32>
    fuse.yield %t : tensor<40x64xf32>
  }
  return %y : tensor<40x64xf32>
}

// -----

// Two slices of one input are two tiles; what is between them and the transpose
// is computed from the tiles, and the bias is read once an element.
// CHECK-LABEL: gpu.func @gate
// CHECK-SAME:    workgroup(%[[A:.*]] : memref<1024xbf16{{.*}}, %[[B:.*]] : memref<1024xbf16
// CHECK:         llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr -> vector<4xbf16>
// CHECK:         llvm.getelementptr inbounds %{{.*}}[64]
// CHECK:         llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr -> vector<4xbf16>
// CHECK:         gpu.barrier
// CHECK:         memref.load %[[A]]
// CHECK:         memref.load %[[B]]
// CHECK:         arith.mulf
// CHECK:         llvm.load %{{.*}} : !llvm.ptr -> bf16
// CHECK:         arith.addf
func.func @f(%x: tensor<32x128xbf16>, %w: tensor<64xbf16>) -> tensor<64x32xf32> {
  %y = fuse.kernel "gate" ins(%x, %w : tensor<32x128xbf16>, tensor<64xbf16>) -> tensor<64x32xf32>
      schedule = #fuse.transpose<threads = 256, tile = 32, vector = 4> {
  ^bb0(%a: tensor<32x128xbf16>, %b: tensor<64xbf16>):
    %c = fuse.slice %a offsets = [0, 0] sizes = [-1, 64] : tensor<32x128xbf16> -> tensor<32x64xbf16>
    %d = fuse.slice %a offsets = [0, 64] sizes = [-1, 64] : tensor<32x128xbf16> -> tensor<32x64xbf16>
    %e = fuse.mul %c, %d : tensor<32x64xbf16>
    %g = fuse.add %e, %b : tensor<32x64xbf16>, tensor<64xbf16> -> tensor<32x64xbf16>
    %t = fuse.transpose %g permutation = [1, 0] : tensor<32x64xbf16> -> tensor<64x32xbf16>
    %r = fuse.cast %t : tensor<64x32xbf16> -> tensor<64x32xf32>
    fuse.yield %r : tensor<64x32xf32>
  }
  return %y : tensor<64x32xf32>
}

// -----

// The same input is also read along its rows, and that from memory.
// CHECK-LABEL: gpu.func @antisymmetric
// CHECK:         gpu.barrier
// CHECK-COUNT-4: memref.load
// CHECK:         llvm.load %{{.*}} : !llvm.ptr -> vector<4xf32>
// CHECK:         arith.subf %{{.*}} : vector<4xf32>
func.func @f(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %y = fuse.kernel "antisymmetric" ins(%x : tensor<32x32xf32>) -> tensor<32x32xf32>
      schedule = #fuse.transpose<threads = 256, tile = 32, vector = 4> {
  ^bb0(%a: tensor<32x32xf32>):
    %t = fuse.transpose %a permutation = [1, 0] : tensor<32x32xf32> -> tensor<32x32xf32>
    %s = fuse.sub %t, %a : tensor<32x32xf32>
    fuse.yield %s : tensor<32x32xf32>
  }
  return %y : tensor<32x32xf32>
}

// -----

// Heads that were split off a row: the tile's rows are features of one head.
// CHECK-LABEL: gpu.func @heads
// CHECK:         llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<8xf16>
// CHECK:         gpu.barrier
// CHECK-COUNT-8: memref.load
func.func @f(%x: tensor<64x192xf16>) -> tensor<3x64x64xf16> {
  %y = fuse.kernel "heads" ins(%x : tensor<64x192xf16>) -> tensor<3x64x64xf16>
      schedule = #fuse.transpose<threads = 512, tile = 64, vector = 8> {
  ^bb0(%a: tensor<64x192xf16>):
    %h = tensor.expand_shape %a [[0], [1, 2]] output_shape [64, 3, 64] : tensor<64x192xf16> into tensor<64x3x64xf16>
    %t = fuse.transpose %h permutation = [1, 2, 0] : tensor<64x3x64xf16> -> tensor<3x64x64xf16>
    fuse.yield %t : tensor<3x64x64xf16>
  }
  return %y : tensor<3x64x64xf16>
}

// -----

// A gathered row is staged like any other, and nothing outside is read.
// CHECK-LABEL: gpu.func @rows
// CHECK:         %[[INSIDE:.*]] = arith.cmpi ult
// CHECK:         scf.if %[[INSIDE]] -> (vector<4xf32>)
// CHECK:           llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK:         vector.store
// CHECK:         gpu.barrier
// CHECK-NOT:     llvm.load
func.func @f(%x: tensor<100x32xf32>, %i: tensor<32xi32>) -> tensor<32x32xf32> {
  %y = fuse.kernel "rows" ins(%x, %i : tensor<100x32xf32>, tensor<32xi32>) -> tensor<32x32xf32>
      schedule = #fuse.transpose<threads = 256, tile = 32, vector = 4> {
  ^bb0(%a: tensor<100x32xf32>, %b: tensor<32xi32>):
    %g = fuse.gather %a, %b dim = 0 : tensor<100x32xf32>, tensor<32xi32> -> tensor<32x32xf32>
    %t = fuse.transpose %g permutation = [1, 0] : tensor<32x32xf32> -> tensor<32x32xf32>
    fuse.yield %t : tensor<32x32xf32>
  }
  return %y : tensor<32x32xf32>
}

// -----

// One thread walks the tile in loops.
// CHECK-LABEL: gpu.func @one_thread
// CHECK:         scf.for
// CHECK:           memref.store
// CHECK:         gpu.barrier
// CHECK:         scf.for
// CHECK:           memref.load
func.func @f(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = fuse.kernel "one_thread" ins(%x : tensor<?x?xf32>) -> tensor<?x?xf32>
      schedule = #fuse.transpose<threads = 1, tile = 32, vector = 1> {
  ^bb0(%a: tensor<?x?xf32>):
    %t = fuse.transpose %a permutation = [1, 0] : tensor<?x?xf32> -> tensor<?x?xf32>
    fuse.yield %t : tensor<?x?xf32>
  }
  return %y : tensor<?x?xf32>
}

// -----

// Of a view whose rows are not contiguous the lanes of a vector are read one by
// one, along the dimension before the last.
// CHECK-LABEL: gpu.func @view
// CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK-NOT:     llvm.load
// CHECK:         gpu.barrier
// CHECK-COUNT-4: memref.load
// CHECK:         llvm.load %{{.*}} : !llvm.ptr -> vector<4xf32>
func.func @f(%x: tensor<32x32xf32> {fuse.strided = "any"}, %z: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %y = fuse.kernel "view" ins(%x, %z : tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
      schedule = #fuse.transpose<threads = 256, tile = 32, vector = 4> {
  ^bb0(%a: tensor<32x32xf32>, %b: tensor<32x32xf32>):
    %t = fuse.add %a, %b : tensor<32x32xf32>
    fuse.yield %t : tensor<32x32xf32>
  }
  return %y : tensor<32x32xf32>
}
