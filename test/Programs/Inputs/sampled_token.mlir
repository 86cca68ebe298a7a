// A token that is sampled of the logits by Gumbel noise, and its logarithm.
func.func @sampled_token(%l: tensor<?x130xf16> {fuse.dims = ["b"]}, %temp: tensor<?xf32> {fuse.dims = ["b"]}, %seed: tensor<i64>) -> (tensor<?xi64>, tensor<?xf32>) {
  %v1 = fuse.cast %l : tensor<?x130xf16> -> tensor<?x130xf32>
  %v2 = fuse.abs %temp : tensor<?xf32> -> tensor<?xf32>
  %v3 = fuse.constant dense<0.1> : tensor<f32>
  %v4 = fuse.add %v2, %v3 : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %v5 = arith.constant 0 : index
  %v6 = tensor.dim %l, %v5 : tensor<?x130xf16>
  %v7 = tensor.expand_shape %v4 [[0, 1]] output_shape [%v6, 1] : tensor<?xf32> into tensor<?x1xf32>
  %v8 = fuse.div %v1, %v7 : tensor<?x130xf32>, tensor<?x1xf32> -> tensor<?x130xf32>
  %v9 = fuse.random %seed stream = 0 like %v8 : tensor<i64>, tensor<?x130xf32> -> tensor<?x130xf32>
  %v10 = fuse.constant dense<1.0e-10> : tensor<f32>
  %v11 = fuse.max %v9, %v10 : tensor<?x130xf32>, tensor<f32> -> tensor<?x130xf32>
  %v12 = fuse.log %v11 : tensor<?x130xf32> -> tensor<?x130xf32>
  %v13 = fuse.neg %v12 : tensor<?x130xf32> -> tensor<?x130xf32>
  %v14 = fuse.log %v13 : tensor<?x130xf32> -> tensor<?x130xf32>
  %v15 = fuse.sub %v8, %v14 : tensor<?x130xf32>, tensor<?x130xf32> -> tensor<?x130xf32>
  %v16 = fuse.argmax %v15 dim = 1 : tensor<?x130xf32> -> tensor<?xi64>
  %v17 = fuse.log_softmax %v8 dims = [1] : tensor<?x130xf32>
  %v18 = tensor.expand_shape %v16 [[0, 1]] output_shape [%v6, 1] : tensor<?xi64> into tensor<?x1xi64>
  %v19 = fuse.take_along %v17, %v18 dim = 1 : tensor<?x130xf32>, tensor<?x1xi64> -> tensor<?x1xf32>
  %v20 = tensor.collapse_shape %v19 [[0, 1]] : tensor<?x1xf32> into tensor<?xf32>
  return %v16, %v20 : tensor<?xi64>, tensor<?xf32>
}
