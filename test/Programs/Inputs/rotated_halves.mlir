// What is normed in all, whose heads are rotated by halves and stored heads first.
func.func @rotated_halves(%q: tensor<?x5x16xbf16> {fuse.dims = ["b"]}, %w: tensor<16xbf16>, %cos: tensor<5x1x4xf32>, %sin: tensor<5x1x4xf32>) -> (tensor<?x2x5x8xbf16>) {
  %v1 = fuse.rms_norm %q, %w eps = 1.0e-6 : tensor<?x5x16xbf16>, tensor<16xbf16>
  %v2 = fuse.cast %v1 : tensor<?x5x16xbf16> -> tensor<?x5x16xf32>
  %v3 = arith.constant 0 : index
  %v4 = tensor.dim %q, %v3 : tensor<?x5x16xbf16>
  %v5 = tensor.expand_shape %v2 [[0], [1], [2, 3]] output_shape [%v4, 5, 2, 8] : tensor<?x5x16xf32> into tensor<?x5x2x8xf32>
  %v6 = fuse.slice %v5 offsets = [0, 0, 0, 0] sizes = [-1, 5, 2, 4] steps = [1, 1, 1, 1] : tensor<?x5x2x8xf32> -> tensor<?x5x2x4xf32>
  %v7 = fuse.slice %v5 offsets = [0, 0, 0, 4] sizes = [-1, 5, 2, 4] steps = [1, 1, 1, 1] : tensor<?x5x2x8xf32> -> tensor<?x5x2x4xf32>
  %v8 = fuse.mul %v6, %cos : tensor<?x5x2x4xf32>, tensor<5x1x4xf32> -> tensor<?x5x2x4xf32>
  %v9 = fuse.mul %v7, %sin : tensor<?x5x2x4xf32>, tensor<5x1x4xf32> -> tensor<?x5x2x4xf32>
  %v10 = fuse.sub %v8, %v9 : tensor<?x5x2x4xf32>, tensor<?x5x2x4xf32> -> tensor<?x5x2x4xf32>
  %v11 = fuse.mul %v7, %cos : tensor<?x5x2x4xf32>, tensor<5x1x4xf32> -> tensor<?x5x2x4xf32>
  %v12 = fuse.mul %v6, %sin : tensor<?x5x2x4xf32>, tensor<5x1x4xf32> -> tensor<?x5x2x4xf32>
  %v13 = fuse.add %v11, %v12 : tensor<?x5x2x4xf32>, tensor<?x5x2x4xf32> -> tensor<?x5x2x4xf32>
  %v14 = fuse.concat %v10, %v13 dim = 3 : tensor<?x5x2x4xf32>, tensor<?x5x2x4xf32> -> tensor<?x5x2x8xf32>
  %v15 = fuse.cast %v14 : tensor<?x5x2x8xf32> -> tensor<?x5x2x8xbf16>
  %v16 = fuse.transpose %v15 permutation = [0, 2, 1, 3] : tensor<?x5x2x8xbf16> -> tensor<?x2x5x8xbf16>
  return %v16 : tensor<?x2x5x8xbf16>
}
