// Softmaxes and maxima of the groups of a norm.
func.func @groups_of_norm(%x: tensor<?x1024xf32> {fuse.dims = ["n"]},
                          %w: tensor<1024xf32>)
    -> (tensor<?x8x128xf32>, tensor<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x1024xf32>
  %y = fuse.layer_norm %x, %w eps = 1.0e-6 : tensor<?x1024xf32>, tensor<1024xf32>
  %g = tensor.expand_shape %y [[0], [1, 2]] output_shape [%n, 8, 128] : tensor<?x1024xf32> into tensor<?x8x128xf32>
  %s = fuse.softmax %g dims = [2] : tensor<?x8x128xf32>
  %m = fuse.reduce max %g dims = [2] : tensor<?x8x128xf32> -> tensor<?x8xf32>
  return %s, %m : tensor<?x8x128xf32>, tensor<?x8xf32>
}
