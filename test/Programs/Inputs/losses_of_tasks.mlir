// Losses of several tasks, weighted and added up.
func.func @losses_of_tasks(%a: tensor<?x10xf32> {fuse.dims = ["n"]}, %at: tensor<?x10xf32> {fuse.dims = ["n"]}, %b: tensor<?x7x9xbf16> {fuse.dims = ["m"]}, %c: tensor<?xf32> {fuse.dims = ["k"]}, %w: tensor<f32>) -> tensor<f32> {
  %da = fuse.sub %a, %at : tensor<?x10xf32>
  %qa = fuse.mul %da, %da : tensor<?x10xf32>
  %x = fuse.reduce mean %qa dims = [0, 1] : tensor<?x10xf32> -> tensor<f32>
  %bw = fuse.cast %b : tensor<?x7x9xbf16> -> tensor<?x7x9xf32>
  %ab = fuse.abs %bw : tensor<?x7x9xf32>
  %y = fuse.reduce mean %ab dims = [0, 1, 2] : tensor<?x7x9xf32> -> tensor<f32>
  %z = fuse.reduce max %c dims = [0] : tensor<?xf32> -> tensor<f32>
  %wy = fuse.mul %y, %w : tensor<f32>
  %s = fuse.add %x, %wy : tensor<f32>
  %t = fuse.add %s, %z : tensor<f32>
  return %t : tensor<f32>
}
