// Three reshapes stand between a kernel's result and the view that it is returned as.
// RUN: fuse-crosscheck %s
// --seed 39007120
// --fill masked
// --check emulated,fused,strict,strided,twins
func.func @program(%a0: tensor<1x8x7xi32>) -> (tensor<8x1x1x7xbf16>, tensor<1x8x7xi32>, tensor<2x4x1x1xbf16>) {
  %v0 = fuse.mul %a0, %a0 : tensor<1x8x7xi32>, tensor<1x8x7xi32> -> tensor<1x8x7xi32>
  %v1 = fuse.cast %a0 : tensor<1x8x7xi32> -> tensor<1x8x7xbf16>
  %v2 = fuse.reduce sum %v1 dims = [2] keep : tensor<1x8x7xbf16> -> tensor<1x8x1xbf16>
  %v3 = fuse.mul %v1, %v2 : tensor<1x8x7xbf16>, tensor<1x8x1xbf16> -> tensor<1x8x7xbf16>
  %v4 = tensor.expand_shape %v3 [[0], [1], [2, 3]] output_shape [1, 8, 1, 7] : tensor<1x8x7xbf16> into tensor<1x8x1x7xbf16>
  %v5 = fuse.transpose %v4 permutation = [1, 2, 0, 3] : tensor<1x8x1x7xbf16> -> tensor<8x1x1x7xbf16>
  %v6 = fuse.reduce max %v2 dims = [2] keep : tensor<1x8x1xbf16> -> tensor<1x8x1xbf16>
  %v7 = fuse.mul %v2, %v6 : tensor<1x8x1xbf16>, tensor<1x8x1xbf16> -> tensor<1x8x1xbf16>
  %v8 = tensor.expand_shape %v7 [[0], [1, 2], [3]] output_shape [1, 2, 4, 1] : tensor<1x8x1xbf16> into tensor<1x2x4x1xbf16>
  %v9 = fuse.transpose %v8 permutation = [1, 2, 0, 3] : tensor<1x2x4x1xbf16> -> tensor<2x4x1x1xbf16>
  return %v5, %v0, %v9 : tensor<8x1x1x7xbf16>, tensor<1x8x7xi32>, tensor<2x4x1x1xbf16>
}

