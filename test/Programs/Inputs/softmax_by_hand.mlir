// Reductions that keep nothing, unsqueezed by reshapes.
func.func @softmax_by_hand(%x: tensor<4x?x1024xf16> {fuse.dims = ["n"]})
    -> tensor<4x?x1024xf16> {
  %f = fuse.cast %x : tensor<4x?x1024xf16> -> tensor<4x?x1024xf32>
  %m = fuse.reduce max %f dims = [2] : tensor<4x?x1024xf32> -> tensor<4x?xf32>
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<4x?x1024xf16>
  %um = tensor.expand_shape %m [[0], [1, 2]] output_shape [4, %n, 1] : tensor<4x?xf32> into tensor<4x?x1xf32>
  %s = fuse.sub %f, %um : tensor<4x?x1024xf32>, tensor<4x?x1xf32> -> tensor<4x?x1024xf32>
  %e = fuse.exp %s : tensor<4x?x1024xf32>
  %z = fuse.reduce sum %e dims = [2] : tensor<4x?x1024xf32> -> tensor<4x?xf32>
  %uz = tensor.expand_shape %z [[0], [1, 2]] output_shape [4, %n, 1] : tensor<4x?xf32> into tensor<4x?x1xf32>
  %y = fuse.div %e, %uz : tensor<4x?x1024xf32>, tensor<4x?x1xf32> -> tensor<4x?x1024xf32>
  %o = fuse.cast %y : tensor<4x?x1024xf32> -> tensor<4x?x1024xf16>
  return %o : tensor<4x?x1024xf16>
}
