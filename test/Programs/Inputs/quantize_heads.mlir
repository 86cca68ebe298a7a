// Scales without the reduced dimension, returned and unsqueezed.
func.func @quantize_heads(%x: tensor<64x16x512xbf16>)
    -> (tensor<64x16x512xi8>, tensor<64x16xf32>) {
  %f = fuse.cast %x : tensor<64x16x512xbf16> -> tensor<64x16x512xf32>
  %a = fuse.abs %f : tensor<64x16x512xf32>
  %m = fuse.reduce max %a dims = [2] : tensor<64x16x512xf32> -> tensor<64x16xf32>
  %c = fuse.constant dense<127.0> : tensor<f32>
  %s = fuse.div %m, %c : tensor<64x16xf32>, tensor<f32> -> tensor<64x16xf32>
  %u = tensor.expand_shape %s [[0], [1, 2]] output_shape [64, 16, 1] : tensor<64x16xf32> into tensor<64x16x1xf32>
  %y = fuse.div %f, %u : tensor<64x16x512xf32>, tensor<64x16x1xf32> -> tensor<64x16x512xf32>
  %r = fuse.round %y : tensor<64x16x512xf32>
  %q = fuse.cast %r : tensor<64x16x512xf32> -> tensor<64x16x512xi8>
  return %q, %s : tensor<64x16x512xi8>, tensor<64x16xf32>
}
