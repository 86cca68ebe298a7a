// Normed heads, rotated by hand, then written before tokens.
func.func @normed_rotated_first(%x: tensor<?x4x64xbf16> {fuse.dims = ["n"]}, %w: tensor<64xbf16>, %cos: tensor<?x32xf32> {fuse.dims = ["n"]}, %sin: tensor<?x32xf32> {fuse.dims = ["n"]}) -> (tensor<4x?x64xbf16>) {
  %v13 = arith.constant 0 : index
  %v1 = fuse.cast %x : tensor<?x4x64xbf16> -> tensor<?x4x64xf32>
  %v2 = fuse.mul %v1, %v1 : tensor<?x4x64xf32>, tensor<?x4x64xf32> -> tensor<?x4x64xf32>
  %v3 = fuse.reduce mean %v2 dims = [2] keep : tensor<?x4x64xf32> -> tensor<?x4x1xf32>
  %v4 = fuse.constant dense<9.999999974752427e-07> : tensor<f32>
  %v5 = fuse.add %v3, %v4 : tensor<?x4x1xf32>, tensor<f32> -> tensor<?x4x1xf32>
  %v6 = fuse.rsqrt %v5 : tensor<?x4x1xf32> -> tensor<?x4x1xf32>
  %v7 = fuse.mul %v1, %v6 : tensor<?x4x64xf32>, tensor<?x4x1xf32> -> tensor<?x4x64xf32>
  %v8 = fuse.cast %w : tensor<64xbf16> -> tensor<64xf32>
  %v9 = fuse.mul %v7, %v8 : tensor<?x4x64xf32>, tensor<64xf32> -> tensor<?x4x64xf32>
  %v10 = fuse.cast %v9 : tensor<?x4x64xf32> -> tensor<?x4x64xbf16>
  %v11 = fuse.cast %v10 : tensor<?x4x64xbf16> -> tensor<?x4x64xf32>
  %v12 = tensor.dim %x, %v13 : tensor<?x4x64xbf16>
  %v14 = tensor.expand_shape %cos [[0], [1, 2]] output_shape [%v12, 1, 32] : tensor<?x32xf32> into tensor<?x1x32xf32>
  %v15 = tensor.expand_shape %sin [[0], [1, 2]] output_shape [%v12, 1, 32] : tensor<?x32xf32> into tensor<?x1x32xf32>
  %v16 = fuse.slice %v11 offsets = [0, 0, 0] sizes = [-1, 4, 32] steps = [1, 1, 1] : tensor<?x4x64xf32> -> tensor<?x4x32xf32>
  %v17 = fuse.slice %v11 offsets = [0, 0, 32] sizes = [-1, 4, 32] steps = [1, 1, 1] : tensor<?x4x64xf32> -> tensor<?x4x32xf32>
  %v18 = fuse.mul %v16, %v14 : tensor<?x4x32xf32>, tensor<?x1x32xf32> -> tensor<?x4x32xf32>
  %v19 = fuse.mul %v17, %v15 : tensor<?x4x32xf32>, tensor<?x1x32xf32> -> tensor<?x4x32xf32>
  %v20 = fuse.sub %v18, %v19 : tensor<?x4x32xf32>, tensor<?x4x32xf32> -> tensor<?x4x32xf32>
  %v21 = fuse.mul %v17, %v14 : tensor<?x4x32xf32>, tensor<?x1x32xf32> -> tensor<?x4x32xf32>
  %v22 = fuse.mul %v16, %v15 : tensor<?x4x32xf32>, tensor<?x1x32xf32> -> tensor<?x4x32xf32>
  %v23 = fuse.add %v21, %v22 : tensor<?x4x32xf32>, tensor<?x4x32xf32> -> tensor<?x4x32xf32>
  %v24 = fuse.concat %v20, %v23 dim = 2 : tensor<?x4x32xf32>, tensor<?x4x32xf32> -> tensor<?x4x64xf32>
  %v25 = fuse.cast %v24 : tensor<?x4x64xf32> -> tensor<?x4x64xbf16>
  %v26 = fuse.transpose %v25 permutation = [1, 0, 2] : tensor<?x4x64xbf16> -> tensor<4x?x64xbf16>
  return %v26 : tensor<4x?x64xbf16>
}
