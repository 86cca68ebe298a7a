// RUN: fuse-crosscheck %s
// Two walks of equal reshapes were one when kernels were formed, but only one of
// them had its reshape in the kernel.
// --seed 82037189
// --fill rare
// --check compiled,emulated,fused
func.func @program(%a0: tensor<2x8x3x31x5xf32>, %a1: tensor<f64>, %a2: tensor<2x4x1xf64>) -> (tensor<2x4x1xf64>, tensor<2x1x1xf64>, tensor<8x1xf64>, tensor<2x4x1xf64>, tensor<2x1x1xf64>) {
  %v0 = fuse.reduce mean %a0 dims = [0, 2, 4] : tensor<2x8x3x31x5xf32> -> tensor<8x31xf32>
  %v1 = fuse.gelu erf %v0 : tensor<8x31xf32>
  %v2 = fuse.iota dim = 0 from_end like %v1 : tensor<8x31xf32> -> tensor<8x31xf64>
  %v3 = tensor.expand_shape %v2 [[0], [1]] output_shape [8, 31] : tensor<8x31xf64> into tensor<8x31xf64>
  %v4 = fuse.reduce max %v3 dims = [1] keep : tensor<8x31xf64> -> tensor<8x1xf64>
  %v5 = fuse.mul %v3, %v4 : tensor<8x31xf64>, tensor<8x1xf64> -> tensor<8x31xf64>
  %v6 = tensor.expand_shape %v5 [[0, 1], [2]] output_shape [2, 4, 31] : tensor<8x31xf64> into tensor<2x4x31xf64>
  %v7 = fuse.transpose %v6 permutation = [0, 1, 2] : tensor<2x4x31xf64> -> tensor<2x4x31xf64>
  %v8 = fuse.add %a1, %v4 : tensor<f64>, tensor<8x1xf64> -> tensor<8x1xf64>
  %v9 = fuse.div %a2, %v7 : tensor<2x4x1xf64>, tensor<2x4x31xf64> -> tensor<2x4x31xf64>
  %v10 = fuse.reduce max %v9 dims = [2] keep : tensor<2x4x31xf64> -> tensor<2x4x1xf64>
  %v11 = fuse.softmax %a2 dims = [0, 2] : tensor<2x4x1xf64>
  %v12 = fuse.reduce max %v7 dims = [2] keep : tensor<2x4x31xf64> -> tensor<2x4x1xf64>
  %v13 = fuse.reduce max %v12 dims = [1] keep : tensor<2x4x1xf64> -> tensor<2x1x1xf64>
  return %v10, %v13, %v8, %v11, %v13 : tensor<2x4x1xf64>, tensor<2x1x1xf64>, tensor<8x1xf64>, tensor<2x4x1xf64>, tensor<2x1x1xf64>
}
