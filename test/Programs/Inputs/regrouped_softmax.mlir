// Eight heads of 128 as two of 512, after a cast.
func.func @regrouped_softmax(%x: tensor<6x8x128xbf16>)
    -> tensor<6x2x512xf32> {
  %f = fuse.cast %x : tensor<6x8x128xbf16> -> tensor<6x8x128xf32>
  %c = tensor.collapse_shape %f [[0], [1, 2]] : tensor<6x8x128xf32> into tensor<6x1024xf32>
  %e = tensor.expand_shape %c [[0], [1, 2]] output_shape [6, 2, 512] : tensor<6x1024xf32> into tensor<6x2x512xf32>
  %y = fuse.softmax %e dims = [2] : tensor<6x2x512xf32>
  return %y : tensor<6x2x512xf32>
}
