// RUN: fuse-opt %s -split-input-file -fuse-lower-kernels | FileCheck %s

// The lanes stay together where the last dimension stays the last.
// CHECK-LABEL: gpu.func @keeps_last
// CHECK:         llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK-NOT:     llvm.load
// CHECK:         llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>
func.func @f(%x: tensor<4x6x8xf32>) -> tensor<6x4x8xf32> {
  %y = fuse.kernel "keeps_last" ins(%x : tensor<4x6x8xf32>) -> tensor<6x4x8xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<4x6x8xf32>):
    %r = fuse.transpose %a permutation = [1, 0, 2] : tensor<4x6x8xf32> -> tensor<6x4x8xf32>
    fuse.yield %r : tensor<6x4x8xf32>
  }
  return %y : tensor<6x4x8xf32>
}

// -----

// Elsewhere each lane is read on its own; a square is no exception.
// CHECK-LABEL: gpu.func @square
// CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK-NOT:     llvm.load
// CHECK:         vector.from_elements
// CHECK:         llvm.store {{.*}} : vector<4xf32>
func.func @f(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %y = fuse.kernel "square" ins(%x : tensor<8x8xf32>) -> tensor<8x8xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<8x8xf32>):
    %r = fuse.transpose %a permutation = [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
    fuse.yield %r : tensor<8x8xf32>
  }
  return %y : tensor<8x8xf32>
}

// -----

// An offset of a multiple of 16 bytes keeps the widest access; one of 8 bytes
// halves it. Of each two neighbours both are read.
// CHECK-LABEL: gpu.func @slices
// CHECK:         llvm.getelementptr inbounds %{{.*}}[16]
// CHECK-NEXT:    llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<8xbf16>
// CHECK:         llvm.getelementptr inbounds %{{.*}}[4]
// CHECK-NEXT:    llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr -> vector<8xbf16>
// CHECK:         llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<16xbf16>
// CHECK:         vector.shuffle {{.*}} [0, 2, 4, 6, 8, 10, 12, 14]
// CHECK-NOT:     llvm.load
func.func @f(%x: tensor<?x64xbf16>) -> (tensor<?x24xbf16>, tensor<?x24xbf16>, tensor<?x24xbf16>) {
  %y:3 = fuse.kernel "slices" ins(%x : tensor<?x64xbf16>) -> tensor<?x24xbf16>, tensor<?x24xbf16>, tensor<?x24xbf16>
      schedule = #fuse.pointwise<threads = 128, vector = 8, unroll = 1> {
  ^bb0(%a: tensor<?x64xbf16>):
    %r = fuse.slice %a offsets = [0, 16] sizes = [-1, 24] : tensor<?x64xbf16> -> tensor<?x24xbf16>
    %s = fuse.slice %a offsets = [0, 4] sizes = [-1, 24] : tensor<?x64xbf16> -> tensor<?x24xbf16>
    %t = fuse.slice %a offsets = [0, 8] sizes = [-1, 24] steps = [1, 2] : tensor<?x64xbf16> -> tensor<?x24xbf16>
    fuse.yield %r, %s, %t : tensor<?x24xbf16>, tensor<?x24xbf16>, tensor<?x24xbf16>
  }
  return %y#0, %y#1, %y#2 : tensor<?x24xbf16>, tensor<?x24xbf16>, tensor<?x24xbf16>
}

// -----

// One choice for a whole vector of padding, beside which the first of a row or a
// column is read: no load waits for a branch, and nothing outside is read.
// CHECK-LABEL: gpu.func @pad
// CHECK:         %[[ROW:.*]] = arith.cmpi ult
// CHECK:         %[[COLUMN:.*]] = arith.cmpi ult
// CHECK:         %[[INSIDE:.*]] = arith.andi %[[ROW]], %[[COLUMN]]
// CHECK:         arith.select %{{.*}}, %{{.*}}, %c0
// CHECK:         arith.select %{{.*}}, %{{.*}}, %c0
// CHECK:         %[[READ:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK:         arith.constant 2.0
// CHECK:         %[[PADDING:.*]] = vector.broadcast
// CHECK:         arith.select %[[INSIDE]], %[[READ]], %[[PADDING]] : vector<4xf32>
// CHECK-NOT:     llvm.load
func.func @f(%x: tensor<5x8xf32>) -> tensor<7x16xf32> {
  %y = fuse.kernel "pad" ins(%x : tensor<5x8xf32>) -> tensor<7x16xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<5x8xf32>):
    %r = fuse.pad %a low = [1, 4] high = [1, 4] value = 2.0 : tensor<5x8xf32> -> tensor<7x16xf32>
    fuse.yield %r : tensor<7x16xf32>
  }
  return %y : tensor<7x16xf32>
}

// -----

// CHECK-LABEL:   gpu.func @pad_lanes
// CHECK-COUNT-4: arith.select %{{.*}} : f32
// CHECK-NOT:     arith.select %{{.*}} : f32
func.func @f(%x: tensor<5x8xf32>) -> tensor<5x12xf32> {
  %y = fuse.kernel "pad_lanes" ins(%x : tensor<5x8xf32>) -> tensor<5x12xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<5x8xf32>):
    %r = fuse.pad %a low = [0, 1] high = [0, 3] value = 2.0 : tensor<5x8xf32> -> tensor<5x12xf32>
    fuse.yield %r : tensor<5x12xf32>
  }
  return %y : tensor<5x12xf32>
}

// -----

// Backwards: one load, one shuffle.
// CHECK-LABEL: gpu.func @reverse
// CHECK:         llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK-NEXT:    vector.shuffle %{{.*}} [3, 2, 1, 0]
func.func @f(%x: tensor<5x8xf32>) -> tensor<5x8xf32> {
  %y = fuse.kernel "reverse" ins(%x : tensor<5x8xf32>) -> tensor<5x8xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<5x8xf32>):
    %r = fuse.reverse %a dims = [0, 1] : tensor<5x8xf32>
    fuse.yield %r : tensor<5x8xf32>
  }
  return %y : tensor<5x8xf32>
}

// -----

// Where the operands meet at a multiple of the lanes, a vector is of one.
// CHECK-LABEL: gpu.func @concat
// CHECK:         %[[FIRST:.*]] = arith.cmpi slt, %{{.*}}, %c8
// CHECK-NEXT:    scf.if %[[FIRST]] -> (vector<4xf32>) {
// CHECK:           llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK:         } else {
// CHECK:           llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK-NOT:     llvm.load
func.func @f(%x: tensor<5x8xf32>, %z: tensor<5x4xf32>) -> tensor<5x12xf32> {
  %y = fuse.kernel "concat" ins(%x, %z : tensor<5x8xf32>, tensor<5x4xf32>) -> tensor<5x12xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<5x8xf32>, %b: tensor<5x4xf32>):
    %r = fuse.concat %a, %b dim = 1 : tensor<5x8xf32>, tensor<5x4xf32> -> tensor<5x12xf32>
    fuse.yield %r : tensor<5x12xf32>
  }
  return %y : tensor<5x12xf32>
}

// -----

// CHECK-LABEL: gpu.func @concat_lanes
// CHECK-COUNT-4: scf.if %{{.*}} -> (f32)
// CHECK-NOT:     scf.if
func.func @f(%x: tensor<5x6xf32>, %z: tensor<5x6xf32>) -> tensor<5x12xf32> {
  %y = fuse.kernel "concat_lanes" ins(%x, %z : tensor<5x6xf32>, tensor<5x6xf32>) -> tensor<5x12xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<5x6xf32>, %b: tensor<5x6xf32>):
    %r = fuse.concat %a, %b dim = 1 : tensor<5x6xf32>, tensor<5x6xf32> -> tensor<5x12xf32>
    fuse.yield %r : tensor<5x12xf32>
  }
  return %y : tensor<5x12xf32>
}

// -----

// The id is read once a vector, compared in 64 bits, and the table is read only
// where it has the row.
// CHECK-LABEL: gpu.func @gather
// CHECK:         %[[ID:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i32
// CHECK:         %[[WIDE:.*]] = arith.extsi %[[ID]] : i32 to i64
// CHECK:         %[[INSIDE:.*]] = arith.cmpi ult, %[[WIDE]], %{{.*}} : i64
// CHECK:         scf.if %[[INSIDE]] -> (vector<4xf32>) {
// CHECK:           llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK:         } else {
// CHECK-NEXT:      arith.constant 0x7FC00000
func.func @f(%x: tensor<5x8xf32>, %i: tensor<?xi32>) -> tensor<?x8xf32> {
  %y = fuse.kernel "gather" ins(%x, %i : tensor<5x8xf32>, tensor<?xi32>) -> tensor<?x8xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<5x8xf32>, %b: tensor<?xi32>):
    %r = fuse.gather %a, %b dim = 0 : tensor<5x8xf32>, tensor<?xi32> -> tensor<?x8xf32>
    fuse.yield %r : tensor<?x8xf32>
  }
  return %y : tensor<?x8xf32>
}

// -----

// Splitting and joining dimensions keeps lanes that stay inside the last one.
// CHECK-LABEL: gpu.func @reshapes
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK-NOT:     llvm.load
func.func @f(%x: tensor<2x24xf32>, %z: tensor<2x3x2x4xf32>) -> tensor<2x3x8xf32> {
  %y = fuse.kernel "reshapes" ins(%x, %z : tensor<2x24xf32>, tensor<2x3x2x4xf32>) -> tensor<2x3x8xf32>
      schedule = #fuse.pointwise<threads = 128, vector = 4, unroll = 1> {
  ^bb0(%a: tensor<2x24xf32>, %b: tensor<2x3x2x4xf32>):
    %c = tensor.expand_shape %a [[0], [1, 2]] output_shape [2, 3, 8] : tensor<2x24xf32> into tensor<2x3x8xf32>
    %d = tensor.collapse_shape %b [[0], [1], [2, 3]] : tensor<2x3x2x4xf32> into tensor<2x3x8xf32>
    %r = fuse.add %c, %d : tensor<2x3x8xf32>
    fuse.yield %r : tensor<2x3x8xf32>
  }
  return %y : tensor<2x3x8xf32>
}
