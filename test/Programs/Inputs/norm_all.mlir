// A norm over all elements, with a weight a column: two reductions that depend on
// each other, and a third.
func.func @norm_all(%x: tensor<?x?xf16> {fuse.dims = ["A", "B"]}, %w: tensor<?xf16> {fuse.dims = ["B"]})
    -> (tensor<?x?xf16>, tensor<f32>, tensor<1x1xf16>) {
  %f = fuse.cast %x : tensor<?x?xf16> -> tensor<?x?xf32>
  %mean = fuse.reduce mean %f dims = [0, 1] keep : tensor<?x?xf32> -> tensor<1x1xf32>
  %c = fuse.sub %f, %mean : tensor<?x?xf32>, tensor<1x1xf32> -> tensor<?x?xf32>
  %q = fuse.mul %c, %c : tensor<?x?xf32>
  %var = fuse.reduce mean %q dims = [0, 1] : tensor<?x?xf32> -> tensor<f32>
  %r = fuse.rsqrt %var : tensor<f32>
  %n = fuse.mul %c, %r : tensor<?x?xf32>, tensor<f32> -> tensor<?x?xf32>
  %h = fuse.cast %n : tensor<?x?xf32> -> tensor<?x?xf16>
  %y = fuse.mul %h, %w : tensor<?x?xf16>, tensor<?xf16> -> tensor<?x?xf16>
  %m = fuse.reduce max %x dims = [0, 1] keep : tensor<?x?xf16> -> tensor<1x1xf16>
  return %y, %var, %m : tensor<?x?xf16>, tensor<f32>, tensor<1x1xf16>
}
