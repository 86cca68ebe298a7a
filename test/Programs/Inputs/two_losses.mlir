// Means of what the rows of two tensors of one shape are reduced to.
func.func @two_losses(%a: tensor<?x70xbf16> {fuse.dims = ["t"]}, %b: tensor<?x70xbf16> {fuse.dims = ["t"]})
    -> (tensor<f32>, tensor<f32>) {
  %x = fuse.cast %a : tensor<?x70xbf16> -> tensor<?x70xf32>
  %y = fuse.cast %b : tensor<?x70xbf16> -> tensor<?x70xf32>
  %l = fuse.logsumexp %x dims = [1] : tensor<?x70xf32> -> tensor<?xf32>
  %k = fuse.logsumexp %y dims = [1] : tensor<?x70xf32> -> tensor<?xf32>
  %m = fuse.reduce mean %l dims = [0] : tensor<?xf32> -> tensor<f32>
  %n = fuse.reduce mean %k dims = [0] : tensor<?xf32> -> tensor<f32>
  return %m, %n : tensor<f32>, tensor<f32>
}
