// Cross entropy whose classes have weights: the weights of the labels are gathered, and summed themselves.
func.func @class_weights(%x: tensor<?x100xf32> {fuse.dims = ["n"]}, %t: tensor<?xi64> {fuse.dims = ["n"]}, %w: tensor<100xf32>) -> (tensor<f32>) {
  %v3 = arith.constant 0 : index
  %v1 = fuse.logsumexp %x dims = [1] : tensor<?x100xf32> -> tensor<?xf32>
  %v2 = tensor.dim %x, %v3 : tensor<?x100xf32>
  %v4 = tensor.expand_shape %t [[0, 1]] output_shape [%v2, 1] : tensor<?xi64> into tensor<?x1xi64>
  %v5 = fuse.take_along %x, %v4 dim = 1 : tensor<?x100xf32>, tensor<?x1xi64> -> tensor<?x1xf32>
  %v6 = tensor.collapse_shape %v5 [[0, 1]] : tensor<?x1xf32> into tensor<?xf32>
  %v7 = fuse.gather %w, %t dim = 0 : tensor<100xf32>, tensor<?xi64> -> tensor<?xf32>
  %v8 = fuse.sub %v1, %v6 : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
  %v9 = fuse.mul %v8, %v7 : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
  %v10 = fuse.reduce sum %v9 dims = [0] : tensor<?xf32> -> tensor<f32>
  %v11 = fuse.reduce sum %v7 dims = [0] : tensor<?xf32> -> tensor<f32>
  %v12 = fuse.div %v10, %v11 : tensor<f32>, tensor<f32> -> tensor<f32>
  return %v12 : tensor<f32>
}
