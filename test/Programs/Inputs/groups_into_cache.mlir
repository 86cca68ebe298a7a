// The norm of latents, of 8 bits with a scale for each group, stored in the slots of two caches.
func.func @groups_into_cache(%kv: tensor<?x40xbf16> {fuse.dims = ["t"]}, %w: tensor<32xbf16>, %cache: tensor<16x32xf8E4M3FN>, %scs: tensor<16x4xf32>, %slot: tensor<?xi64> {fuse.dims = ["t"]}) -> (tensor<16x32xf8E4M3FN>, tensor<16x4xf32>) {
  %v1 = fuse.slice %kv offsets = [0, 0] sizes = [-1, 32] steps = [1, 1] : tensor<?x40xbf16> -> tensor<?x32xbf16>
  %v2 = fuse.rms_norm %v1, %w eps = 1.0e-6 : tensor<?x32xbf16>, tensor<32xbf16>
  %v3 = fuse.cast %v2 : tensor<?x32xbf16> -> tensor<?x32xf32>
  %v4 = arith.constant 0 : index
  %v5 = tensor.dim %kv, %v4 : tensor<?x40xbf16>
  %v6 = tensor.expand_shape %v3 [[0], [1, 2]] output_shape [%v5, 4, 8] : tensor<?x32xf32> into tensor<?x4x8xf32>
  %v7 = fuse.abs %v6 : tensor<?x4x8xf32> -> tensor<?x4x8xf32>
  %v8 = fuse.reduce max %v7 dims = [2] keep : tensor<?x4x8xf32> -> tensor<?x4x1xf32>
  %v9 = fuse.constant dense<0.0001> : tensor<f32>
  %v10 = fuse.max %v8, %v9 : tensor<?x4x1xf32>, tensor<f32> -> tensor<?x4x1xf32>
  %v11 = fuse.constant dense<448.0> : tensor<f32>
  %v12 = fuse.div %v10, %v11 : tensor<?x4x1xf32>, tensor<f32> -> tensor<?x4x1xf32>
  %v13 = fuse.div %v6, %v12 : tensor<?x4x8xf32>, tensor<?x4x1xf32> -> tensor<?x4x8xf32>
  %v14 = fuse.cast %v13 : tensor<?x4x8xf32> -> tensor<?x4x8xf8E4M3FN>
  %v15 = tensor.collapse_shape %v14 [[0], [1, 2]] : tensor<?x4x8xf8E4M3FN> into tensor<?x32xf8E4M3FN>
  %v16 = fuse.scatter %cache, %slot, %v15 dim = 0 : tensor<16x32xf8E4M3FN>, tensor<?xi64>, tensor<?x32xf8E4M3FN> -> tensor<16x32xf8E4M3FN>
  %v17 = tensor.collapse_shape %v12 [[0], [1, 2]] : tensor<?x4x1xf32> into tensor<?x4xf32>
  %v18 = fuse.scatter %scs, %slot, %v17 dim = 0 : tensor<16x4xf32>, tensor<?xi64>, tensor<?x4xf32> -> tensor<16x4xf32>
  return %v16, %v18 : tensor<16x32xf8E4M3FN>, tensor<16x4xf32>
}
