// The maximum of each group of a row, and the sum of the maxima.
func.func @groups_counted(%x: tensor<?x256xf32> {fuse.dims = ["n"]}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x256xf32>
  %g = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 8, 32] : tensor<?x256xf32> into tensor<?x8x32xf32>
  %m = fuse.reduce max %g dims = [2] : tensor<?x8x32xf32> -> tensor<?x8xf32>
  %s = fuse.reduce sum %m dims = [1] : tensor<?x8xf32> -> tensor<?xf32>
  return %s : tensor<?xf32>
}
