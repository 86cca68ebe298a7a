// The mean squared error of the frames that a mask keeps.
func.func @masked_error(%a: tensor<?x?x80xf32> {fuse.dims = ["n", "t"]}, %y: tensor<?x?x80xf32> {fuse.dims = ["n", "t"]}, %m: tensor<?x?xi1> {fuse.dims = ["n", "t"]}) -> (tensor<f32>) {
  %v6 = arith.constant 1 : index
  %v4 = arith.constant 0 : index
  %v1 = fuse.sub %a, %y : tensor<?x?x80xf32>, tensor<?x?x80xf32> -> tensor<?x?x80xf32>
  %v2 = fuse.cast %m : tensor<?x?xi1> -> tensor<?x?xf32>
  %v3 = tensor.dim %a, %v4 : tensor<?x?x80xf32>
  %v5 = tensor.dim %a, %v6 : tensor<?x?x80xf32>
  %v7 = tensor.expand_shape %v2 [[0], [1, 2]] output_shape [%v3, %v5, 1] : tensor<?x?xf32> into tensor<?x?x1xf32>
  %v8 = fuse.mul %v1, %v1 : tensor<?x?x80xf32>, tensor<?x?x80xf32> -> tensor<?x?x80xf32>
  %v9 = fuse.mul %v8, %v7 : tensor<?x?x80xf32>, tensor<?x?x1xf32> -> tensor<?x?x80xf32>
  %v10 = fuse.reduce sum %v9 dims = [0, 1, 2] : tensor<?x?x80xf32> -> tensor<f32>
  %v11 = fuse.reduce sum %v7 dims = [0, 1, 2] : tensor<?x?x1xf32> -> tensor<f32>
  %v12 = fuse.constant dense<80.0> : tensor<f32>
  %v13 = fuse.mul %v11, %v12 : tensor<f32>, tensor<f32> -> tensor<f32>
  %v14 = fuse.div %v10, %v13 : tensor<f32>, tensor<f32> -> tensor<f32>
  return %v14 : tensor<f32>
}
