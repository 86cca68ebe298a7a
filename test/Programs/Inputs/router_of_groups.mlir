// A router that first takes the groups of experts whose two best are largest: DeepSeek-V3's.
func.func @router_of_groups(%logits: tensor<?x96xf32> {fuse.dims = ["t"]}, %bias: tensor<96xf32>) -> (tensor<?x8xf32>, tensor<?x8xi32>) {
  %v1 = fuse.sigmoid %logits : tensor<?x96xf32> -> tensor<?x96xf32>
  %v2 = fuse.add %v1, %bias : tensor<?x96xf32>, tensor<96xf32> -> tensor<?x96xf32>
  %v3 = arith.constant 0 : index
  %v4 = tensor.dim %logits, %v3 : tensor<?x96xf32>
  %v5 = tensor.expand_shape %v2 [[0], [1, 2]] output_shape [%v4, 8, 12] : tensor<?x96xf32> into tensor<?x8x12xf32>
  %v6, %v7 = fuse.top_k %v5 k = 2 : tensor<?x8x12xf32> -> tensor<?x8x2xf32>, tensor<?x8x2xi32>
  %v8 = fuse.reduce sum %v6 dims = [2] : tensor<?x8x2xf32> -> tensor<?x8xf32>
  %v9, %v10 = fuse.top_k %v8 k = 4 : tensor<?x8xf32> -> tensor<?x4xf32>, tensor<?x4xi32>
  %v11 = fuse.iota dim = 0 : tensor<8xi32>
  %v12 = tensor.expand_shape %v11 [[0, 1, 2]] output_shape [1, 1, 8] : tensor<8xi32> into tensor<1x1x8xi32>
  %v13 = tensor.expand_shape %v10 [[0], [1, 2]] output_shape [%v4, 4, 1] : tensor<?x4xi32> into tensor<?x4x1xi32>
  %v14 = fuse.compare eq %v13, %v12 : tensor<?x4x1xi32>, tensor<1x1x8xi32> -> tensor<?x4x8xi1>
  %v15 = fuse.reduce any %v14 dims = [1] : tensor<?x4x8xi1> -> tensor<?x8xi1>
  %v16 = tensor.expand_shape %v15 [[0], [1, 2]] output_shape [%v4, 8, 1] : tensor<?x8xi1> into tensor<?x8x1xi1>
  %v17 = fuse.constant dense<-1.0e+30> : tensor<f32>
  %v18 = fuse.select %v16, %v5, %v17 : tensor<?x8x1xi1>, tensor<?x8x12xf32>, tensor<f32> -> tensor<?x8x12xf32>
  %v19 = tensor.collapse_shape %v18 [[0], [1, 2]] : tensor<?x8x12xf32> into tensor<?x96xf32>
  %v20, %v21 = fuse.top_k %v19 k = 8 : tensor<?x96xf32> -> tensor<?x8xf32>, tensor<?x8xi32>
  %v22 = fuse.take_along %v1, %v21 dim = 1 : tensor<?x96xf32>, tensor<?x8xi32> -> tensor<?x8xf32>
  %v23 = fuse.reduce sum %v22 dims = [1] keep : tensor<?x8xf32> -> tensor<?x1xf32>
  %v24 = fuse.constant dense<1.0e-20> : tensor<f32>
  %v25 = fuse.add %v23, %v24 : tensor<?x1xf32>, tensor<f32> -> tensor<?x1xf32>
  %v26 = fuse.div %v22, %v25 : tensor<?x8xf32>, tensor<?x1xf32> -> tensor<?x8xf32>
  %v27 = fuse.constant dense<2.5> : tensor<f32>
  %v28 = fuse.mul %v26, %v27 : tensor<?x8xf32>, tensor<f32> -> tensor<?x8xf32>
  return %v28, %v21 : tensor<?x8xf32>, tensor<?x8xi32>
}
