// RUN: fuse-opt %s -split-input-file -fuse-form-kernels | FileCheck %s

// A kernel that reduces rows does not read columns to do so.
// CHECK-LABEL: func.func @rows
// CHECK-SAME:    {consumer = "rows_1", producer = "rows_0", reason = {{.*}}kind = "transposedNeighbours"}}
// CHECK:         fuse.kernel "rows_0"
// CHECK:           fuse.transpose
// CHECK:         fuse.kernel "rows_1"
// CHECK:           fuse.reduce
func.func @rows(%x: tensor<1024x2048xf32>) -> tensor<2048x1xf32> {
  %t = fuse.transpose %x permutation = [1, 0] : tensor<1024x2048xf32> -> tensor<2048x1024xf32>
  %y = fuse.reduce max %t dims = [1] keep : tensor<2048x1024xf32> -> tensor<2048x1xf32>
  return %y : tensor<2048x1xf32>
}

// -----

// Nor do tiles of one shape turn while those of another are walked.
// CHECK-LABEL: func.func @shapes
// CHECK:         fuse.kernel "shapes_0"
// CHECK:         fuse.kernel "shapes_1"
func.func @shapes(%x: tensor<1024x2048xf32>) -> (tensor<2048x1024xf32>, tensor<1024x2048xf32>) {
  %t = fuse.transpose %x permutation = [1, 0] : tensor<1024x2048xf32> -> tensor<2048x1024xf32>
  %y = fuse.exp %x : tensor<1024x2048xf32>
  return %t, %y : tensor<2048x1024xf32>, tensor<1024x2048xf32>
}

// -----

// Pointwise ops on both sides are one kernel with the transpose.
// CHECK-LABEL: func.func @pointwise
// CHECK-COUNT-1: fuse.kernel
// CHECK-NOT:     fuse.kernel
func.func @pointwise(%x: tensor<1024x2048xf32>, %z: tensor<2048x1024xf32>) -> tensor<2048x1024xf32> {
  %e = fuse.exp %x : tensor<1024x2048xf32>
  %t = fuse.transpose %e permutation = [1, 0] : tensor<1024x2048xf32> -> tensor<2048x1024xf32>
  %y = fuse.add %t, %z : tensor<2048x1024xf32>
  return %y : tensor<2048x1024xf32>
}

// -----

// The last dimension stays: rows are read as rows.
// CHECK-LABEL: func.func @heads
// CHECK-COUNT-1: fuse.kernel
// CHECK-NOT:     fuse.kernel
func.func @heads(%x: tensor<64x32x128xf32>) -> tensor<32x64x1xf32> {
  %t = fuse.transpose %x permutation = [1, 0, 2] : tensor<64x32x128xf32> -> tensor<32x64x128xf32>
  %y = fuse.reduce max %t dims = [2] keep : tensor<32x64x128xf32> -> tensor<32x64x1xf32>
  return %y : tensor<32x64x1xf32>
}

// -----

// Three channels are too few for tiles.
// CHECK-LABEL: func.func @channels
// CHECK-COUNT-1: fuse.kernel
// CHECK-NOT:     fuse.kernel
func.func @channels(%x: tensor<4096x3xf32>) -> (tensor<3x4096xf32>, tensor<3x1xf32>) {
  %t = fuse.transpose %x permutation = [1, 0] : tensor<4096x3xf32> -> tensor<3x4096xf32>
  %e = fuse.exp %t : tensor<3x4096xf32>
  %y = fuse.reduce max %e dims = [1] keep : tensor<3x4096xf32> -> tensor<3x1xf32>
  return %e, %y : tensor<3x4096xf32>, tensor<3x1xf32>
}

// -----

// What a scatter writes into may be its buffer: nothing else reads it.
// CHECK-LABEL: func.func @scatter
// CHECK-SAME:    reason = {{.*}}kind = "scatterRead"
// CHECK-COUNT-2: fuse.kernel
func.func @scatter(%into: tensor<64x8xf32>, %ids: tensor<4xi32>, %u: tensor<4x8xf32>) -> tensor<64x8xf32> {
  %g = fuse.gather %into, %ids dim = 0 : tensor<64x8xf32>, tensor<4xi32> -> tensor<4x8xf32>
  %a = fuse.add %g, %u : tensor<4x8xf32>
  %s = fuse.scatter %into, %ids, %a dim = 0 : tensor<64x8xf32>, tensor<4xi32>, tensor<4x8xf32> -> tensor<64x8xf32>
  return %s : tensor<64x8xf32>
}

// -----

// A reshape of it is the same memory.
// CHECK-LABEL: func.func @scatter_reshaped
// CHECK-SAME:    reason = {{.*}}kind = "scatterRead"
// CHECK-COUNT-2: fuse.kernel
func.func @scatter_reshaped(%into: tensor<64x8xf32>, %ids: tensor<4xi32>, %u: tensor<4x8xf32>) -> tensor<64x8xf32> {
  %r = tensor.expand_shape %into [[0, 1], [2]] output_shape [32, 2, 8] : tensor<64x8xf32> into tensor<32x2x8xf32>
  %e = fuse.slice %r offsets = [4, 0, 0] sizes = [2, 2, 8] : tensor<32x2x8xf32> -> tensor<2x2x8xf32>
  %f = tensor.collapse_shape %e [[0, 1], [2]] : tensor<2x2x8xf32> into tensor<4x8xf32>
  %a = fuse.add %f, %u : tensor<4x8xf32>
  %s = fuse.scatter %into, %ids, %a dim = 0 : tensor<64x8xf32>, tensor<4xi32>, tensor<4x8xf32> -> tensor<64x8xf32>
  return %s : tensor<64x8xf32>
}
