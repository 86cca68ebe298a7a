// Keys as bytes, with a scale for each head, in the slots of a cache.
func.func @appended_bytes(%k: tensor<?x8x128xbf16> {fuse.dims = ["t"]}, %cache: tensor<?x8x128xi8> {fuse.dims = ["s"]}, %scales: tensor<?x8xf32> {fuse.dims = ["s"]}, %slots: tensor<?xi64> {fuse.dims = ["t"]}) -> (tensor<?x8x128xi8>, tensor<?x8xf32>) {
  %1 = fuse.cast %k : tensor<?x8x128xbf16> -> tensor<?x8x128xf32>
  %2 = fuse.abs %1 : tensor<?x8x128xf32> -> tensor<?x8x128xf32>
  %3 = fuse.reduce max %2 dims = [2] keep : tensor<?x8x128xf32> -> tensor<?x8x1xf32>
  %4 = fuse.constant dense<9.99999993922529e-09> : tensor<f32>
  %5 = fuse.max %3, %4 : tensor<?x8x1xf32>, tensor<f32> -> tensor<?x8x1xf32>
  %6 = fuse.constant dense<127.0> : tensor<f32>
  %7 = fuse.div %5, %6 : tensor<?x8x1xf32>, tensor<f32> -> tensor<?x8x1xf32>
  %8 = fuse.div %1, %7 : tensor<?x8x128xf32>, tensor<?x8x1xf32> -> tensor<?x8x128xf32>
  %9 = fuse.round %8 : tensor<?x8x128xf32> -> tensor<?x8x128xf32>
  %10 = fuse.constant dense<-127.0> : tensor<f32>
  %11 = fuse.max %9, %10 : tensor<?x8x128xf32>, tensor<f32> -> tensor<?x8x128xf32>
  %12 = fuse.min %11, %6 : tensor<?x8x128xf32>, tensor<f32> -> tensor<?x8x128xf32>
  %13 = fuse.cast %12 : tensor<?x8x128xf32> -> tensor<?x8x128xi8>
  %14 = fuse.scatter %cache, %slots, %13 dim = 0 : tensor<?x8x128xi8>, tensor<?xi64>, tensor<?x8x128xi8> -> tensor<?x8x128xi8>
  %15 = tensor.collapse_shape %7 [[0], [1, 2]] : tensor<?x8x1xf32> into tensor<?x8xf32>
  %16 = fuse.scatter %scales, %slots, %15 dim = 0 : tensor<?x8xf32>, tensor<?xi64>, tensor<?x8xf32> -> tensor<?x8xf32>
  return %14, %16 : tensor<?x8x128xi8>, tensor<?x8xf32>
}
