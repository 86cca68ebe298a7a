// %x over its maximum, which a reshape gives its dimension back.
func.func @unsqueezed_maximum(%x: tensor<?x4096xf32> {fuse.dims = ["n"]})
    -> tensor<?x4096xf32> {
  %m = fuse.reduce max %x dims = [1] : tensor<?x4096xf32> -> tensor<?xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4096xf32>
  %u = tensor.expand_shape %m [[0, 1]] output_shape [%n, 1] : tensor<?xf32> into tensor<?x1xf32>
  %y = fuse.div %x, %u : tensor<?x4096xf32>, tensor<?x1xf32> -> tensor<?x4096xf32>
  return %y : tensor<?x4096xf32>
}
