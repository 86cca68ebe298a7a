// Groups by their largest shares of a softmax, which is reduced in the shape of the groups.
func.func @router_of_shares(%l: tensor<?x160xf32> {fuse.dims = ["t"]}) -> (tensor<?x6xf32>, tensor<?x6xi32>) {
  %v1 = fuse.softmax %l dims = [1] : tensor<?x160xf32>
  %v2 = arith.constant 0 : index
  %v3 = tensor.dim %l, %v2 : tensor<?x160xf32>
  %v4 = tensor.expand_shape %v1 [[0], [1, 2]] output_shape [%v3, 8, 20] : tensor<?x160xf32> into tensor<?x8x20xf32>
  %v5 = fuse.reduce max %v4 dims = [2] : tensor<?x8x20xf32> -> tensor<?x8xf32>
  %v6, %v7 = fuse.top_k %v5 k = 3 : tensor<?x8xf32> -> tensor<?x3xf32>, tensor<?x3xi32>
  %v8 = tensor.expand_shape %v7 [[0], [1, 2]] output_shape [%v3, 3, 1] : tensor<?x3xi32> into tensor<?x3x1xi32>
  %v9 = fuse.iota dim = 0 : tensor<8xi32>
  %v10 = fuse.compare eq %v8, %v9 : tensor<?x3x1xi32>, tensor<8xi32> -> tensor<?x3x8xi1>
  %v11 = fuse.reduce any %v10 dims = [1] : tensor<?x3x8xi1> -> tensor<?x8xi1>
  %v12 = tensor.expand_shape %v11 [[0], [1, 2]] output_shape [%v3, 8, 1] : tensor<?x8xi1> into tensor<?x8x1xi1>
  %v13 = fuse.constant dense<0.0> : tensor<f32>
  %v14 = fuse.select %v12, %v4, %v13 : tensor<?x8x1xi1>, tensor<?x8x20xf32>, tensor<f32> -> tensor<?x8x20xf32>
  %v15 = tensor.collapse_shape %v14 [[0], [1, 2]] : tensor<?x8x20xf32> into tensor<?x160xf32>
  %v16, %v17 = fuse.top_k %v15 k = 6 : tensor<?x160xf32> -> tensor<?x6xf32>, tensor<?x6xi32>
  return %v16, %v17 : tensor<?x6xf32>, tensor<?x6xi32>
}
