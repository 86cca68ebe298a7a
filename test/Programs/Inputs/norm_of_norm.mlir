// A norm of each head of what is normed in all, stored heads first.
func.func @norm_of_norm(%x: tensor<?x16xbf16> {fuse.dims = ["t"]}, %w: tensor<16xbf16>, %hw: tensor<2x8xf32>) -> (tensor<2x?x8xbf16>) {
  %v1 = fuse.rms_norm %x, %w eps = 1.0e-6 : tensor<?x16xbf16>, tensor<16xbf16>
  %v2 = fuse.cast %v1 : tensor<?x16xbf16> -> tensor<?x16xf32>
  %v3 = arith.constant 0 : index
  %v4 = tensor.dim %x, %v3 : tensor<?x16xbf16>
  %v5 = tensor.expand_shape %v2 [[0], [1, 2]] output_shape [%v4, 2, 8] : tensor<?x16xf32> into tensor<?x2x8xf32>
  %v6 = fuse.reduce mean %v5 dims = [2] : tensor<?x2x8xf32> -> tensor<?x2xf32>
  %v7 = tensor.expand_shape %v6 [[0], [1, 2]] output_shape [%v4, 2, 1] : tensor<?x2xf32> into tensor<?x2x1xf32>
  %v8 = fuse.sub %v5, %v7 : tensor<?x2x8xf32>, tensor<?x2x1xf32> -> tensor<?x2x8xf32>
  %v9 = fuse.mul %v8, %v8 : tensor<?x2x8xf32>, tensor<?x2x8xf32> -> tensor<?x2x8xf32>
  %v10 = fuse.reduce mean %v9 dims = [2] : tensor<?x2x8xf32> -> tensor<?x2xf32>
  %v11 = tensor.expand_shape %v10 [[0], [1, 2]] output_shape [%v4, 2, 1] : tensor<?x2xf32> into tensor<?x2x1xf32>
  %v12 = fuse.constant dense<1.0e-05> : tensor<f32>
  %v13 = fuse.add %v11, %v12 : tensor<?x2x1xf32>, tensor<f32> -> tensor<?x2x1xf32>
  %v14 = fuse.rsqrt %v13 : tensor<?x2x1xf32> -> tensor<?x2x1xf32>
  %v15 = fuse.mul %v8, %v14 : tensor<?x2x8xf32>, tensor<?x2x1xf32> -> tensor<?x2x8xf32>
  %v16 = fuse.mul %v15, %hw : tensor<?x2x8xf32>, tensor<2x8xf32> -> tensor<?x2x8xf32>
  %v17 = fuse.cast %v16 : tensor<?x2x8xf32> -> tensor<?x2x8xbf16>
  %v18 = fuse.transpose %v17 permutation = [1, 0, 2] : tensor<?x2x8xbf16> -> tensor<2x?x8xbf16>
  return %v18 : tensor<2x?x8xbf16>
}
