// The best 8 of all beams by their scores, with a penalty of length.
func.func @beam_scores(%x: tensor<?x4x128xf32> {fuse.dims = ["b"]}, %s: tensor<?x4xf32> {fuse.dims = ["b"]}, %len: tensor<?x4xf32> {fuse.dims = ["b"]}) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xi32>) {
  %3 = arith.constant 0 : index
  %1 = fuse.log_softmax %x dims = [2] : tensor<?x4x128xf32>
  %2 = tensor.dim %x, %3 : tensor<?x4x128xf32>
  %4 = tensor.expand_shape %s [[0], [1, 2]] output_shape [%2, 4, 1] : tensor<?x4xf32> into tensor<?x4x1xf32>
  %5 = fuse.add %1, %4 : tensor<?x4x128xf32>, tensor<?x4x1xf32> -> tensor<?x4x128xf32>
  %6 = fuse.constant dense<5.0> : tensor<f32>
  %7 = fuse.add %6, %len : tensor<f32>, tensor<?x4xf32> -> tensor<?x4xf32>
  %8 = fuse.constant dense<6.0> : tensor<f32>
  %9 = fuse.div %7, %8 : tensor<?x4xf32>, tensor<f32> -> tensor<?x4xf32>
  %10 = fuse.constant dense<0.6000000238418579> : tensor<f32>
  %11 = fuse.pow %9, %10 : tensor<?x4xf32>, tensor<f32> -> tensor<?x4xf32>
  %12 = tensor.expand_shape %11 [[0], [1, 2]] output_shape [%2, 4, 1] : tensor<?x4xf32> into tensor<?x4x1xf32>
  %13 = fuse.div %5, %12 : tensor<?x4x128xf32>, tensor<?x4x1xf32> -> tensor<?x4x128xf32>
  %14 = tensor.collapse_shape %13 [[0], [1, 2]] : tensor<?x4x128xf32> into tensor<?x512xf32>
  %15, %16 = fuse.top_k %14 k = 8 : tensor<?x512xf32> -> tensor<?x8xf32>, tensor<?x8xi64>
  %17 = fuse.cast %16 : tensor<?x8xi64> -> tensor<?x8xi32>
  return %15, %15, %17 : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xi32>
}
