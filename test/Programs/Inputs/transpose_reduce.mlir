// A 5-D transpose (windows of an image to the front) and the mean of each.
func.func @transpose_reduce(%x: tensor<2x16x4x16x4xf32>) -> (tensor<2x16x16xf32>, tensor<2x16x16x4x4xf32>) {
  %t = fuse.transpose %x permutation = [0, 1, 3, 2, 4] : tensor<2x16x4x16x4xf32> -> tensor<2x16x16x4x4xf32>
  %m = fuse.reduce mean %t dims = [3, 4] : tensor<2x16x16x4x4xf32> -> tensor<2x16x16xf32>
  %k = fuse.reduce mean %t dims = [3, 4] keep : tensor<2x16x16x4x4xf32> -> tensor<2x16x16x1x1xf32>
  %d = fuse.sub %t, %k : tensor<2x16x16x4x4xf32>, tensor<2x16x16x1x1xf32> -> tensor<2x16x16x4x4xf32>
  return %m, %d : tensor<2x16x16xf32>, tensor<2x16x16x4x4xf32>
}
