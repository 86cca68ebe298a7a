// The mean of an argument's rows, and the maxima of their groups.
func.func @row_beside_groups(%x: tensor<?x1024xf32> {fuse.dims = ["n"]})
    -> (tensor<?x32xf32>, tensor<?xf32>) {
  %a = fuse.abs %x : tensor<?x1024xf32>
  %s = fuse.reduce mean %a dims = [1] : tensor<?x1024xf32> -> tensor<?xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x1024xf32>
  %g = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 32, 32] : tensor<?x1024xf32> into tensor<?x32x32xf32>
  %m = fuse.reduce max %g dims = [2] : tensor<?x32x32xf32> -> tensor<?x32xf32>
  return %m, %s : tensor<?x32xf32>, tensor<?xf32>
}
