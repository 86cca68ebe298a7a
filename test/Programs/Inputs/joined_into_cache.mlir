// A norm of latents joined with rotated keys, stored where a cache has the slots of the tokens.
func.func @joined_into_cache(%kv: tensor<?x40xbf16> {fuse.dims = ["t"]}, %w: tensor<32xbf16>, %cos: tensor<?x4xf32> {fuse.dims = ["t"]}, %sin: tensor<?x4xf32> {fuse.dims = ["t"]}, %cache: tensor<16x40xbf16>, %slot: tensor<?xi64> {fuse.dims = ["t"]}) -> (tensor<16x40xbf16>) {
  %v1 = fuse.slice %kv offsets = [0, 0] sizes = [-1, 32] steps = [1, 1] : tensor<?x40xbf16> -> tensor<?x32xbf16>
  %v2 = fuse.rms_norm %v1, %w eps = 1.0e-6 : tensor<?x32xbf16>, tensor<32xbf16>
  %v3 = fuse.slice %kv offsets = [0, 32] sizes = [-1, 8] steps = [1, 1] : tensor<?x40xbf16> -> tensor<?x8xbf16>
  %v4 = fuse.cast %v3 : tensor<?x8xbf16> -> tensor<?x8xf32>
  %v5 = arith.constant 0 : index
  %v6 = tensor.dim %kv, %v5 : tensor<?x40xbf16>
  %v7 = tensor.expand_shape %v4 [[0], [1, 2]] output_shape [%v6, 4, 2] : tensor<?x8xf32> into tensor<?x4x2xf32>
  %v8 = fuse.slice %v7 offsets = [0, 0, 0] sizes = [-1, 4, 1] steps = [1, 1, 1] : tensor<?x4x2xf32> -> tensor<?x4x1xf32>
  %v9 = tensor.collapse_shape %v8 [[0], [1, 2]] : tensor<?x4x1xf32> into tensor<?x4xf32>
  %v10 = fuse.slice %v7 offsets = [0, 0, 1] sizes = [-1, 4, 1] steps = [1, 1, 1] : tensor<?x4x2xf32> -> tensor<?x4x1xf32>
  %v11 = tensor.collapse_shape %v10 [[0], [1, 2]] : tensor<?x4x1xf32> into tensor<?x4xf32>
  %v12 = fuse.mul %v9, %cos : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x4xf32>
  %v13 = fuse.mul %v11, %sin : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x4xf32>
  %v14 = fuse.sub %v12, %v13 : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x4xf32>
  %v15 = tensor.expand_shape %v14 [[0], [1, 2]] output_shape [%v6, 4, 1] : tensor<?x4xf32> into tensor<?x4x1xf32>
  %v16 = fuse.mul %v11, %cos : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x4xf32>
  %v17 = fuse.mul %v9, %sin : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x4xf32>
  %v18 = fuse.add %v16, %v17 : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x4xf32>
  %v19 = tensor.expand_shape %v18 [[0], [1, 2]] output_shape [%v6, 4, 1] : tensor<?x4xf32> into tensor<?x4x1xf32>
  %v20 = fuse.concat %v15, %v19 dim = 2 : tensor<?x4x1xf32>, tensor<?x4x1xf32> -> tensor<?x4x2xf32>
  %v21 = tensor.collapse_shape %v20 [[0], [1, 2]] : tensor<?x4x2xf32> into tensor<?x8xf32>
  %v22 = fuse.cast %v21 : tensor<?x8xf32> -> tensor<?x8xbf16>
  %v23 = fuse.concat %v2, %v22 dim = 1 : tensor<?x32xbf16>, tensor<?x8xbf16> -> tensor<?x40xbf16>
  %v24 = fuse.scatter %cache, %slot, %v23 dim = 0 : tensor<16x40xbf16>, tensor<?xi64>, tensor<?x40xbf16> -> tensor<16x40xbf16>
  return %v24 : tensor<16x40xbf16>
}
