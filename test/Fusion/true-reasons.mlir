// RUN: fuse-opt %s -split-input-file -fuse-form=chip=sm_90 | FileCheck %s

// Reasons are of the groups as they are in the end, and true of them.

// The reductions of a group norm leave one element a block, and their kernel,
// which shares them among many blocks, no element of the shape.
// CHECK-LABEL: func.func @few_blocks
// CHECK-SAME:    reason = {{.*}}kind = "fewBlocks"
// CHECK-COUNT-2: fuse.kernel
func.func @few_blocks(%x: tensor<2x4096x32x10xf32>) -> tensor<2x4096x32x10xf32> {
  %m = fuse.reduce mean %x dims = [1, 3] keep : tensor<2x4096x32x10xf32> -> tensor<2x1x32x1xf32>
  %d = fuse.sub %x, %m : tensor<2x4096x32x10xf32>, tensor<2x1x32x1xf32> -> tensor<2x4096x32x10xf32>
  %q = fuse.mul %d, %d : tensor<2x4096x32x10xf32>
  %v = fuse.reduce mean %q dims = [1, 3] keep : tensor<2x4096x32x10xf32> -> tensor<2x1x32x1xf32>
  %r = fuse.rsqrt %v : tensor<2x1x32x1xf32>
  %y = fuse.mul %d, %r : tensor<2x4096x32x10xf32>, tensor<2x1x32x1xf32> -> tensor<2x4096x32x10xf32>
  return %y : tensor<2x4096x32x10xf32>
}

// -----

// A product lies between what leaves rows and what needs them again.
// CHECK-LABEL: func.func @between
// CHECK-SAME:    consumer = "between_2", producer = "between_0", reason = {{.*}}kind = "kernelBetween"
// CHECK-COUNT-3: fuse.kernel
func.func @between(%q: tensor<64x128xf32>, %w: tensor<128x128xf32>) -> tensor<64x128xf32> {
  %m = fuse.reduce max %q dims = [1] keep : tensor<64x128xf32> -> tensor<64x1xf32>
  %d = fuse.sub %q, %m : tensor<64x128xf32>, tensor<64x1xf32> -> tensor<64x128xf32>
  %p = fuse.matmul %d, %w : tensor<64x128xf32>, tensor<128x128xf32> -> tensor<64x128xf32>
  %e = fuse.softmax %p dims = [1] : tensor<64x128xf32>
  %y = fuse.mul %e, %d : tensor<64x128xf32>
  return %y : tensor<64x128xf32>
}

// -----

// Two reshapes between two ops are no kernel.
// CHECK-LABEL: func.func @reshapes
// CHECK-NOT:     fuse.missed
// CHECK-COUNT-1: fuse.kernel
// CHECK-NOT:     fuse.kernel
func.func @reshapes(%x: tensor<?x64xf32>) -> tensor<?x64x2xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %a = fuse.exp %x : tensor<?x64xf32>
  %b = fuse.neg %a : tensor<?x64xf32>
  %ea = tensor.expand_shape %a [[0], [1, 2]] output_shape [%n, 64, 1] : tensor<?x64xf32> into tensor<?x64x1xf32>
  %eb = tensor.expand_shape %b [[0], [1, 2]] output_shape [%n, 64, 1] : tensor<?x64xf32> into tensor<?x64x1xf32>
  %c = fuse.concat %ea, %eb dim = 2 : tensor<?x64x1xf32>, tensor<?x64x1xf32> -> tensor<?x64x2xf32>
  return %c : tensor<?x64x2xf32>
}
