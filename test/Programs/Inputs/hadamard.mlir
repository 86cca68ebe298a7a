// Sums and differences of neighbours, then of pairs of these, each in a shape of its own.
func.func @hadamard(%x: tensor<?x128xf32> {fuse.dims = ["n"]}) -> (tensor<?x128xf32>) {
  %v2 = arith.constant 0 : index
  %v1 = tensor.dim %x, %v2 : tensor<?x128xf32>
  %v3 = tensor.expand_shape %x [[0], [1, 2, 3]] output_shape [%v1, 64, 2, 1] : tensor<?x128xf32> into tensor<?x64x2x1xf32>
  %v4 = fuse.slice %v3 offsets = [0, 0, 0, 0] sizes = [-1, 64, 1, 1] steps = [1, 1, 1, 1] : tensor<?x64x2x1xf32> -> tensor<?x64x1x1xf32>
  %v5 = fuse.slice %v3 offsets = [0, 0, 1, 0] sizes = [-1, 64, 1, 1] steps = [1, 1, 1, 1] : tensor<?x64x2x1xf32> -> tensor<?x64x1x1xf32>
  %v6 = fuse.add %v4, %v5 : tensor<?x64x1x1xf32>, tensor<?x64x1x1xf32> -> tensor<?x64x1x1xf32>
  %v7 = fuse.sub %v4, %v5 : tensor<?x64x1x1xf32>, tensor<?x64x1x1xf32> -> tensor<?x64x1x1xf32>
  %v8 = fuse.concat %v6, %v7 dim = 2 : tensor<?x64x1x1xf32>, tensor<?x64x1x1xf32> -> tensor<?x64x2x1xf32>
  %v9 = tensor.collapse_shape %v8 [[0], [1, 2, 3]] : tensor<?x64x2x1xf32> into tensor<?x128xf32>
  %v10 = tensor.collapse_shape %v8 [[0], [1], [2, 3]] : tensor<?x64x2x1xf32> into tensor<?x64x2xf32>
  %v11 = tensor.expand_shape %v10 [[0], [1, 2], [3]] output_shape [%v1, 32, 2, 2] : tensor<?x64x2xf32> into tensor<?x32x2x2xf32>
  %v12 = fuse.slice %v11 offsets = [0, 0, 0, 0] sizes = [-1, 32, 1, 2] steps = [1, 1, 1, 1] : tensor<?x32x2x2xf32> -> tensor<?x32x1x2xf32>
  %v13 = fuse.slice %v11 offsets = [0, 0, 1, 0] sizes = [-1, 32, 1, 2] steps = [1, 1, 1, 1] : tensor<?x32x2x2xf32> -> tensor<?x32x1x2xf32>
  %v14 = fuse.add %v12, %v13 : tensor<?x32x1x2xf32>, tensor<?x32x1x2xf32> -> tensor<?x32x1x2xf32>
  %v15 = fuse.sub %v12, %v13 : tensor<?x32x1x2xf32>, tensor<?x32x1x2xf32> -> tensor<?x32x1x2xf32>
  %v16 = fuse.concat %v14, %v15 dim = 2 : tensor<?x32x1x2xf32>, tensor<?x32x1x2xf32> -> tensor<?x32x2x2xf32>
  %v17 = tensor.collapse_shape %v16 [[0], [1, 2, 3]] : tensor<?x32x2x2xf32> into tensor<?x128xf32>
  return %v17 : tensor<?x128xf32>
}
