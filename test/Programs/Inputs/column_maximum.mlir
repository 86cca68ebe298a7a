// Columns over their maximum.
func.func @column_maximum(%x: tensor<256x?xf32> {fuse.dims = ["n"]})
    -> tensor<256x?xf32> {
  %m = fuse.reduce max %x dims = [0] : tensor<256x?xf32> -> tensor<?xf32>
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<256x?xf32>
  %u = tensor.expand_shape %m [[0, 1]] output_shape [1, %n] : tensor<?xf32> into tensor<1x?xf32>
  %y = fuse.div %x, %u : tensor<256x?xf32>, tensor<1x?xf32> -> tensor<256x?xf32>
  return %y : tensor<256x?xf32>
}
