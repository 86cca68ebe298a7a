// A norm, scaled by groups whose size is no power of two.
func.func @groups_of_96(%x: tensor<?x960xbf16> {fuse.dims = ["n"]})
    -> (tensor<?x10x96xbf16>, tensor<?x10xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x960xbf16>
  %f = fuse.cast %x : tensor<?x960xbf16> -> tensor<?x960xf32>
  %w = fuse.constant dense<1.0> : tensor<960xf32>
  %y = fuse.rms_norm %f, %w eps = 1.0e-6 : tensor<?x960xf32>, tensor<960xf32>
  %g = tensor.expand_shape %y [[0], [1, 2]] output_shape [%n, 10, 96] : tensor<?x960xf32> into tensor<?x10x96xf32>
  %a = fuse.abs %g : tensor<?x10x96xf32>
  %m = fuse.reduce max %a dims = [2] : tensor<?x10x96xf32> -> tensor<?x10xf32>
  %k = tensor.expand_shape %m [[0], [1, 2]] output_shape [%n, 10, 1] : tensor<?x10xf32> into tensor<?x10x1xf32>
  %q = fuse.div %g, %k : tensor<?x10x96xf32>, tensor<?x10x1xf32> -> tensor<?x10x96xf32>
  %z = fuse.cast %q : tensor<?x10x96xf32> -> tensor<?x10x96xbf16>
  return %z, %m : tensor<?x10x96xbf16>, tensor<?x10xf32>
}
