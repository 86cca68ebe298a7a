// The mean of the rows that ids take and a mask keeps; the count is of the mask itself.
func.func @mean_of_bags(%t: tensor<100x32xf32>, %ids: tensor<?x8xi32> {fuse.dims = ["n"]}, %m: tensor<?x8xf32> {fuse.dims = ["n"]}) -> (tensor<?x32xf32>) {
  %3 = arith.constant 0 : index
  %1 = fuse.gather %t, %ids dim = 0 : tensor<100x32xf32>, tensor<?x8xi32> -> tensor<?x8x32xf32>
  %2 = tensor.dim %ids, %3 : tensor<?x8xi32>
  %4 = tensor.expand_shape %m [[0], [1, 2]] output_shape [%2, 8, 1] : tensor<?x8xf32> into tensor<?x8x1xf32>
  %5 = fuse.mul %1, %4 : tensor<?x8x32xf32>, tensor<?x8x1xf32> -> tensor<?x8x32xf32>
  %6 = fuse.reduce sum %5 dims = [1] : tensor<?x8x32xf32> -> tensor<?x32xf32>
  %7 = fuse.reduce sum %m dims = [1] keep : tensor<?x8xf32> -> tensor<?x1xf32>
  %8 = fuse.constant dense<1.0> : tensor<f32>
  %9 = fuse.max %7, %8 : tensor<?x1xf32>, tensor<f32> -> tensor<?x1xf32>
  %10 = fuse.div %6, %9 : tensor<?x32xf32>, tensor<?x1xf32> -> tensor<?x32xf32>
  return %10 : tensor<?x32xf32>
}
