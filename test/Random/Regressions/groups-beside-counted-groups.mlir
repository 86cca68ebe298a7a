// RUN: fuse-crosscheck %s --schedules=2
// A reduction of groups, beside rows that count others once each, was a walk of its own: no scheduler could run
// both.

func.func @program(%a0: tensor<7x8x32xf32>) -> (tensor<7xf32>, tensor<8x10x33xf32>, tensor<7xf32>) {
  %v0 = fuse.reduce min %a0 dims = [2] : tensor<7x8x32xf32> -> tensor<7x8xf32>
  %v1 = fuse.reduce max %a0 dims = [2] : tensor<7x8x32xf32> -> tensor<7x8xf32>
  %v2 = tensor.expand_shape %v0 [[0], [1, 2]] output_shape [7, 8, 1] : tensor<7x8xf32> into tensor<7x8x1xf32>
  %v3 = fuse.mul %a0, %v2 : tensor<7x8x32xf32>, tensor<7x8x1xf32> -> tensor<7x8x32xf32>
  %v4 = fuse.reduce sum %v1 dims = [1] : tensor<7x8xf32> -> tensor<7xf32>
  %v5 = fuse.neg %v1 : tensor<7x8xf32>
  %v6 = fuse.abs %v3 : tensor<7x8x32xf32>
  %v7 = fuse.reduce sum %v5 dims = [1] : tensor<7x8xf32> -> tensor<7xf32>
  %v8 = tensor.expand_shape %v5 [[0], [1, 2]] output_shape [7, 8, 1] : tensor<7x8xf32> into tensor<7x8x1xf32>
  %v9 = fuse.max %v6, %v8 : tensor<7x8x32xf32>, tensor<7x8x1xf32> -> tensor<7x8x32xf32>
  %v10 = fuse.pad %v9 low = [0, 2, 1] high = [1, 0, 0] value = 0.5 : tensor<7x8x32xf32> -> tensor<8x10x33xf32>
  return %v7, %v10, %v4 : tensor<7xf32>, tensor<8x10x33xf32>, tensor<7xf32>
}
