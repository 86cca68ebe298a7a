// Queries that are normed in all, and then rotated heads first.
func.func @heads_of_norm(%q: tensor<?x5x16xbf16> {fuse.dims = ["b"]}, %w: tensor<16xbf16>, %cos: tensor<?x5x8xf32> {fuse.dims = ["b"]}, %sin: tensor<?x5x8xf32> {fuse.dims = ["b"]}) -> (tensor<?x2x5x8xbf16>) {
  %v1 = fuse.rms_norm %q, %w eps = 1.0e-6 : tensor<?x5x16xbf16>, tensor<16xbf16>
  %v2 = arith.constant 0 : index
  %v3 = tensor.dim %q, %v2 : tensor<?x5x16xbf16>
  %v4 = tensor.expand_shape %v1 [[0], [1], [2, 3]] output_shape [%v3, 5, 2, 8] : tensor<?x5x16xbf16> into tensor<?x5x2x8xbf16>
  %v5 = fuse.transpose %v4 permutation = [0, 2, 1, 3] : tensor<?x5x2x8xbf16> -> tensor<?x2x5x8xbf16>
  %v6 = fuse.cast %v5 : tensor<?x2x5x8xbf16> -> tensor<?x2x5x8xf32>
  %v7 = tensor.expand_shape %cos [[0], [1, 2], [3]] output_shape [%v3, 1, 5, 8] : tensor<?x5x8xf32> into tensor<?x1x5x8xf32>
  %v8 = tensor.expand_shape %sin [[0], [1, 2], [3]] output_shape [%v3, 1, 5, 8] : tensor<?x5x8xf32> into tensor<?x1x5x8xf32>
  %v9 = fuse.slice %v6 offsets = [0, 0, 0, 4] sizes = [-1, 2, 5, 4] steps = [1, 1, 1, 1] : tensor<?x2x5x8xf32> -> tensor<?x2x5x4xf32>
  %v10 = fuse.neg %v9 : tensor<?x2x5x4xf32> -> tensor<?x2x5x4xf32>
  %v11 = fuse.slice %v6 offsets = [0, 0, 0, 0] sizes = [-1, 2, 5, 4] steps = [1, 1, 1, 1] : tensor<?x2x5x8xf32> -> tensor<?x2x5x4xf32>
  %v12 = fuse.concat %v10, %v11 dim = 3 : tensor<?x2x5x4xf32>, tensor<?x2x5x4xf32> -> tensor<?x2x5x8xf32>
  %v13 = fuse.mul %v6, %v7 : tensor<?x2x5x8xf32>, tensor<?x1x5x8xf32> -> tensor<?x2x5x8xf32>
  %v14 = fuse.mul %v12, %v8 : tensor<?x2x5x8xf32>, tensor<?x1x5x8xf32> -> tensor<?x2x5x8xf32>
  %v15 = fuse.add %v13, %v14 : tensor<?x2x5x8xf32>, tensor<?x2x5x8xf32> -> tensor<?x2x5x8xf32>
  %v16 = fuse.cast %v15 : tensor<?x2x5x8xf32> -> tensor<?x2x5x8xbf16>
  return %v16 : tensor<?x2x5x8xbf16>
}
