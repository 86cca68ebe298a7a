// RUN: fuse-crosscheck %s --schedules=2
// A tensor that is reduced over all rows was taken for one row with groups, and its blocks did not wait for
// each other.

func.func @program(%a0: tensor<127x4xf32>, %a1: tensor<8x4xf32>, %a2: tensor<3x1xf32>) -> (tensor<127x4xf32>, tensor<1x1xf32>, tensor<4x127x1xf32>) {
  %v0 = fuse.sqrt %a0 : tensor<127x4xf32>
  %v1 = fuse.reduce max %v0 dims = [1] keep : tensor<127x4xf32> -> tensor<127x1xf32>
  %v2 = fuse.mul %v0, %v1 : tensor<127x4xf32>, tensor<127x1xf32> -> tensor<127x4xf32>
  %v3 = tensor.expand_shape %v2 [[0], [1, 2]] output_shape [127, 4, 1] : tensor<127x4xf32> into tensor<127x4x1xf32>
  %v4 = fuse.transpose %v3 permutation = [1, 0, 2] : tensor<127x4x1xf32> -> tensor<4x127x1xf32>
  %v5 = fuse.reverse %v0 dims = [0, 1] : tensor<127x4xf32>
  %v6 = fuse.logsumexp %v1 dims = [0, 1] keep : tensor<127x1xf32> -> tensor<1x1xf32>
  return %v5, %v6, %v4 : tensor<127x4xf32>, tensor<1x1xf32>, tensor<4x127x1xf32>
}
