// Two parts of packed heads, each normed and rotated by hand.
func.func @packed_rotated_by_hand(%x: tensor<?x3x4x64xbf16> {fuse.dims = ["n"]}, %w: tensor<64xbf16>, %u: tensor<64xbf16>, %cos: tensor<?x32xf32> {fuse.dims = ["n"]}, %sin: tensor<?x32xf32> {fuse.dims = ["n"]}) -> (tensor<?x4x64xbf16>, tensor<?x4x64xbf16>) {
  %v2 = arith.constant 0 : index
  %v1 = tensor.dim %x, %v2 : tensor<?x3x4x64xbf16>
  %v3 = tensor.expand_shape %cos [[0], [1, 2]] output_shape [%v1, 1, 32] : tensor<?x32xf32> into tensor<?x1x32xf32>
  %v4 = tensor.expand_shape %sin [[0], [1, 2]] output_shape [%v1, 1, 32] : tensor<?x32xf32> into tensor<?x1x32xf32>
  %v5 = fuse.slice %x offsets = [0, 0, 0, 0] sizes = [-1, 1, 4, 64] steps = [1, 1, 1, 1] : tensor<?x3x4x64xbf16> -> tensor<?x1x4x64xbf16>
  %v6 = tensor.collapse_shape %v5 [[0], [1, 2], [3]] : tensor<?x1x4x64xbf16> into tensor<?x4x64xbf16>
  %v7 = fuse.cast %v6 : tensor<?x4x64xbf16> -> tensor<?x4x64xf32>
  %v8 = fuse.mul %v7, %v7 : tensor<?x4x64xf32>, tensor<?x4x64xf32> -> tensor<?x4x64xf32>
  %v9 = fuse.reduce mean %v8 dims = [2] keep : tensor<?x4x64xf32> -> tensor<?x4x1xf32>
  %v10 = fuse.constant dense<9.999999974752427e-07> : tensor<f32>
  %v11 = fuse.add %v9, %v10 : tensor<?x4x1xf32>, tensor<f32> -> tensor<?x4x1xf32>
  %v12 = fuse.rsqrt %v11 : tensor<?x4x1xf32> -> tensor<?x4x1xf32>
  %v13 = fuse.mul %v7, %v12 : tensor<?x4x64xf32>, tensor<?x4x1xf32> -> tensor<?x4x64xf32>
  %v14 = fuse.cast %w : tensor<64xbf16> -> tensor<64xf32>
  %v15 = fuse.mul %v13, %v14 : tensor<?x4x64xf32>, tensor<64xf32> -> tensor<?x4x64xf32>
  %v16 = fuse.cast %v15 : tensor<?x4x64xf32> -> tensor<?x4x64xbf16>
  %v17 = fuse.cast %v16 : tensor<?x4x64xbf16> -> tensor<?x4x64xf32>
  %v18 = fuse.slice %v17 offsets = [0, 0, 0] sizes = [-1, 4, 32] steps = [1, 1, 1] : tensor<?x4x64xf32> -> tensor<?x4x32xf32>
  %v19 = fuse.slice %v17 offsets = [0, 0, 32] sizes = [-1, 4, 32] steps = [1, 1, 1] : tensor<?x4x64xf32> -> tensor<?x4x32xf32>
  %v20 = fuse.mul %v18, %v3 : tensor<?x4x32xf32>, tensor<?x1x32xf32> -> tensor<?x4x32xf32>
  %v21 = fuse.mul %v19, %v4 : tensor<?x4x32xf32>, tensor<?x1x32xf32> -> tensor<?x4x32xf32>
  %v22 = fuse.sub %v20, %v21 : tensor<?x4x32xf32>, tensor<?x4x32xf32> -> tensor<?x4x32xf32>
  %v23 = fuse.mul %v19, %v3 : tensor<?x4x32xf32>, tensor<?x1x32xf32> -> tensor<?x4x32xf32>
  %v24 = fuse.mul %v18, %v4 : tensor<?x4x32xf32>, tensor<?x1x32xf32> -> tensor<?x4x32xf32>
  %v25 = fuse.add %v23, %v24 : tensor<?x4x32xf32>, tensor<?x4x32xf32> -> tensor<?x4x32xf32>
  %v26 = fuse.concat %v22, %v25 dim = 2 : tensor<?x4x32xf32>, tensor<?x4x32xf32> -> tensor<?x4x64xf32>
  %v27 = fuse.cast %v26 : tensor<?x4x64xf32> -> tensor<?x4x64xbf16>
  %v28 = fuse.slice %x offsets = [0, 1, 0, 0] sizes = [-1, 1, 4, 64] steps = [1, 1, 1, 1] : tensor<?x3x4x64xbf16> -> tensor<?x1x4x64xbf16>
  %v29 = tensor.collapse_shape %v28 [[0], [1, 2], [3]] : tensor<?x1x4x64xbf16> into tensor<?x4x64xbf16>
  %v30 = fuse.cast %v29 : tensor<?x4x64xbf16> -> tensor<?x4x64xf32>
  %v31 = fuse.mul %v30, %v30 : tensor<?x4x64xf32>, tensor<?x4x64xf32> -> tensor<?x4x64xf32>
  %v32 = fuse.reduce mean %v31 dims = [2] keep : tensor<?x4x64xf32> -> tensor<?x4x1xf32>
  %v33 = fuse.add %v32, %v10 : tensor<?x4x1xf32>, tensor<f32> -> tensor<?x4x1xf32>
  %v34 = fuse.rsqrt %v33 : tensor<?x4x1xf32> -> tensor<?x4x1xf32>
  %v35 = fuse.mul %v30, %v34 : tensor<?x4x64xf32>, tensor<?x4x1xf32> -> tensor<?x4x64xf32>
  %v36 = fuse.cast %u : tensor<64xbf16> -> tensor<64xf32>
  %v37 = fuse.mul %v35, %v36 : tensor<?x4x64xf32>, tensor<64xf32> -> tensor<?x4x64xf32>
  %v38 = fuse.cast %v37 : tensor<?x4x64xf32> -> tensor<?x4x64xbf16>
  %v39 = fuse.cast %v38 : tensor<?x4x64xbf16> -> tensor<?x4x64xf32>
  %v40 = fuse.slice %v39 offsets = [0, 0, 0] sizes = [-1, 4, 32] steps = [1, 1, 1] : tensor<?x4x64xf32> -> tensor<?x4x32xf32>
  %v41 = fuse.slice %v39 offsets = [0, 0, 32] sizes = [-1, 4, 32] steps = [1, 1, 1] : tensor<?x4x64xf32> -> tensor<?x4x32xf32>
  %v42 = fuse.mul %v40, %v3 : tensor<?x4x32xf32>, tensor<?x1x32xf32> -> tensor<?x4x32xf32>
  %v43 = fuse.mul %v41, %v4 : tensor<?x4x32xf32>, tensor<?x1x32xf32> -> tensor<?x4x32xf32>
  %v44 = fuse.sub %v42, %v43 : tensor<?x4x32xf32>, tensor<?x4x32xf32> -> tensor<?x4x32xf32>
  %v45 = fuse.mul %v41, %v3 : tensor<?x4x32xf32>, tensor<?x1x32xf32> -> tensor<?x4x32xf32>
  %v46 = fuse.mul %v40, %v4 : tensor<?x4x32xf32>, tensor<?x1x32xf32> -> tensor<?x4x32xf32>
  %v47 = fuse.add %v45, %v46 : tensor<?x4x32xf32>, tensor<?x4x32xf32> -> tensor<?x4x32xf32>
  %v48 = fuse.concat %v44, %v47 dim = 2 : tensor<?x4x32xf32>, tensor<?x4x32xf32> -> tensor<?x4x64xf32>
  %v49 = fuse.cast %v48 : tensor<?x4x64xf32> -> tensor<?x4x64xbf16>
  return %v27, %v49 : tensor<?x4x64xbf16>, tensor<?x4x64xbf16>
}
