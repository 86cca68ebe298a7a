// The mean of the tokens that a mask keeps.
func.func @mean_of_tokens(%x: tensor<?x?x64xf32> {fuse.dims = ["n", "k"]}, %m: tensor<?x?xi1> {fuse.dims = ["n", "k"]}) -> (tensor<?x64xf32>) {
  %v5 = arith.constant 1 : index
  %v3 = arith.constant 0 : index
  %v1 = fuse.cast %m : tensor<?x?xi1> -> tensor<?x?xf32>
  %v2 = tensor.dim %x, %v3 : tensor<?x?x64xf32>
  %v4 = tensor.dim %x, %v5 : tensor<?x?x64xf32>
  %v6 = tensor.expand_shape %v1 [[0], [1, 2]] output_shape [%v2, %v4, 1] : tensor<?x?xf32> into tensor<?x?x1xf32>
  %v7 = fuse.mul %x, %v6 : tensor<?x?x64xf32>, tensor<?x?x1xf32> -> tensor<?x?x64xf32>
  %v8 = fuse.reduce sum %v7 dims = [1] : tensor<?x?x64xf32> -> tensor<?x64xf32>
  %v9 = fuse.reduce sum %v6 dims = [1] : tensor<?x?x1xf32> -> tensor<?x1xf32>
  %v10 = fuse.constant dense<9.999999717180685e-10> : tensor<f32>
  %v11 = fuse.max %v9, %v10 : tensor<?x1xf32>, tensor<f32> -> tensor<?x1xf32>
  %v12 = fuse.div %v8, %v11 : tensor<?x64xf32>, tensor<?x1xf32> -> tensor<?x64xf32>
  return %v12 : tensor<?x64xf32>
}
