// What a critic says of two batches, of other sizes.
func.func @critic_loss(%fake: tensor<?x1xf32> {fuse.dims = ["n"]}, %real: tensor<?x1xbf16> {fuse.dims = ["m"]}) -> tensor<f32> {
  %wide = fuse.cast %real : tensor<?x1xbf16> -> tensor<?x1xf32>
  %f = fuse.reduce mean %fake dims = [0, 1] : tensor<?x1xf32> -> tensor<f32>
  %r = fuse.reduce mean %wide dims = [0, 1] : tensor<?x1xf32> -> tensor<f32>
  %y = fuse.sub %f, %r : tensor<f32>
  return %y : tensor<f32>
}
