// The oracle took numbers that cancel to either sign for a certain maximum.
// RUN: fuse-crosscheck %s --check=fused
// --seed 35007606
// --fill special
func.func @program(%a0: tensor<8x4x7x31xi64>, %a1: tensor<31x3xbf16>, %a2: tensor<8xi32>) -> (tensor<7x8x4x31x1xbf16>, tensor<0x4x7x4xi64>, tensor<8x4x8x3xbf16>, tensor<7x8x4x31x1xbf16>) {
  %v0 = fuse.slice %a0 offsets = [8, 0, 0, 16] sizes = [0, -1, -1, 4] steps = [2, 1, 1, 1] : tensor<8x4x7x31xi64> -> tensor<0x4x7x4xi64>
  %v1 = fuse.cast %a0 : tensor<8x4x7x31xi64> -> tensor<8x4x7x31xbf16>
  %v2 = fuse.reduce mean %v1 dims = [3] keep : tensor<8x4x7x31xbf16> -> tensor<8x4x7x1xbf16>
  %v3 = fuse.mul %v1, %v2 : tensor<8x4x7x31xbf16>, tensor<8x4x7x1xbf16> -> tensor<8x4x7x31xbf16>
  %v4 = fuse.matmul %v3, %a1 : tensor<8x4x7x31xbf16>, tensor<31x3xbf16> -> tensor<8x4x7x3xbf16>
  %v5 = fuse.gather %v4, %a2 dim = 2 : tensor<8x4x7x3xbf16>, tensor<8xi32> -> tensor<8x4x8x3xbf16>
  %v6 = fuse.pow %v5, %v5 : tensor<8x4x8x3xbf16>, tensor<8x4x8x3xbf16> -> tensor<8x4x8x3xbf16>
  %v7 = fuse.softmax %v3 dims = [3] : tensor<8x4x7x31xbf16>
  %v8 = tensor.expand_shape %v7 [[0], [1], [2], [3, 4]] output_shape [8, 4, 7, 31, 1] : tensor<8x4x7x31xbf16> into tensor<8x4x7x31x1xbf16>
  %v9 = fuse.transpose %v8 permutation = [2, 0, 1, 3, 4] : tensor<8x4x7x31x1xbf16> -> tensor<7x8x4x31x1xbf16>
  return %v9, %v0, %v6, %v9 : tensor<7x8x4x31x1xbf16>, tensor<0x4x7x4xi64>, tensor<8x4x8x3xbf16>, tensor<7x8x4x31x1xbf16>
}

