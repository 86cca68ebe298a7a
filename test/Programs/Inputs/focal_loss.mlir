// Focal loss of labels.
func.func @focal_loss(%x: tensor<?x1000xf32> {fuse.dims = ["n"]}, %y: tensor<?x1xi64> {fuse.dims = ["n"]}) -> (tensor<f32>) {
  %1 = fuse.log_softmax %x dims = [1] : tensor<?x1000xf32>
  %2 = fuse.take_along %1, %y dim = 1 : tensor<?x1000xf32>, tensor<?x1xi64> -> tensor<?x1xf32>
  %3 = fuse.exp %2 : tensor<?x1xf32> -> tensor<?x1xf32>
  %4 = fuse.constant dense<1.0> : tensor<f32>
  %5 = fuse.sub %4, %3 : tensor<f32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %6 = fuse.neg %5 : tensor<?x1xf32> -> tensor<?x1xf32>
  %7 = fuse.sub %4, %3 : tensor<f32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %8 = fuse.mul %6, %7 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %9 = fuse.mul %8, %2 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x1xf32>
  %10 = fuse.reduce mean %9 dims = [0, 1] : tensor<?x1xf32> -> tensor<f32>
  return %10 : tensor<f32>
}
