// RUN: fuse-crosscheck %s
// An op left a kernel whose groups were those of an only row: what it left there
// reduced groups, their rows and all of these in one launch.
// --seed 82020556
// --fill normal
// --check compiled,emulated,fused
func.func @program(%a0: tensor<1x5x3x8xf16>) -> (tensor<1x5x3xf32>, tensor<1x5xf32>, tensor<1x7x5x9xf32>) {
  %v0 = fuse.cast %a0 : tensor<1x5x3x8xf16> -> tensor<1x5x3x8xf32>
  %v1 = fuse.tanh %v0 : tensor<1x5x3x8xf32>
  %v2 = fuse.reduce sum %v0 dims = [3] : tensor<1x5x3x8xf32> -> tensor<1x5x3xf32>
  %v3 = fuse.reduce sum %v0 dims = [1, 2, 3] : tensor<1x5x3x8xf32> -> tensor<1xf32>
  %v4 = fuse.sigmoid %v1 : tensor<1x5x3x8xf32>
  %v5 = tensor.expand_shape %v3 [[0, 1, 2, 3]] output_shape [1, 1, 1, 1] : tensor<1xf32> into tensor<1x1x1x1xf32>
  %v6 = fuse.add %v1, %v5 : tensor<1x5x3x8xf32>, tensor<1x1x1x1xf32> -> tensor<1x5x3x8xf32>
  %v7 = fuse.reduce min %v4 dims = [2, 3] : tensor<1x5x3x8xf32> -> tensor<1x5xf32>
  %v8 = fuse.pad %v6 low = [0, 0, 2, 1] high = [0, 2, 0, 0] value = 0.5 : tensor<1x5x3x8xf32> -> tensor<1x7x5x9xf32>
  return %v2, %v7, %v8 : tensor<1x5x3xf32>, tensor<1x5xf32>, tensor<1x7x5x9xf32>
}
