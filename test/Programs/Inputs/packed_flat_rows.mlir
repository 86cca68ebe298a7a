// A row in 4 bits by groups of 32, written as a flat row whose neighbours share a
// byte.
func.func @packed_flat_rows(%x: tensor<33x256xf32>)
    -> (tensor<33x128xui8>, tensor<33x8xf32>) {
  %g = tensor.expand_shape %x [[0], [1, 2]] output_shape [33, 8, 32] : tensor<33x256xf32> into tensor<33x8x32xf32>
  %a = fuse.abs %g : tensor<33x8x32xf32>
  %m = fuse.reduce max %a dims = [2] keep : tensor<33x8x32xf32> -> tensor<33x8x1xf32>
  %c7 = fuse.constant dense<7.0> : tensor<f32>
  %s = fuse.div %m, %c7 : tensor<33x8x1xf32>, tensor<f32> -> tensor<33x8x1xf32>
  %d = fuse.div %g, %s : tensor<33x8x32xf32>, tensor<33x8x1xf32> -> tensor<33x8x32xf32>
  %flat = tensor.collapse_shape %d [[0], [1, 2]] : tensor<33x8x32xf32> into tensor<33x256xf32>
  %r = fuse.round %flat : tensor<33x256xf32>
  %c8 = fuse.constant dense<8.0> : tensor<f32>
  %o = fuse.add %r, %c8 : tensor<33x256xf32>, tensor<f32> -> tensor<33x256xf32>
  %q = fuse.cast %o : tensor<33x256xf32> -> tensor<33x256xi32>
  %p = tensor.expand_shape %q [[0], [1, 2]] output_shape [33, 128, 2] : tensor<33x256xi32> into tensor<33x128x2xi32>
  %l = fuse.slice %p offsets = [0, 0, 0] sizes = [33, 128, 1] steps = [1, 1, 1] : tensor<33x128x2xi32> -> tensor<33x128x1xi32>
  %low = tensor.collapse_shape %l [[0], [1, 2]] : tensor<33x128x1xi32> into tensor<33x128xi32>
  %h = fuse.slice %p offsets = [0, 0, 1] sizes = [33, 128, 1] steps = [1, 1, 1] : tensor<33x128x2xi32> -> tensor<33x128x1xi32>
  %high = tensor.collapse_shape %h [[0], [1, 2]] : tensor<33x128x1xi32> into tensor<33x128xi32>
  %c4 = fuse.constant dense<4> : tensor<i32>
  %hs = fuse.shl %high, %c4 : tensor<33x128xi32>, tensor<i32> -> tensor<33x128xi32>
  %both = fuse.or %low, %hs : tensor<33x128xi32>
  %b = fuse.cast %both : tensor<33x128xi32> -> tensor<33x128xui8>
  %scales = tensor.collapse_shape %s [[0], [1, 2]] : tensor<33x8x1xf32> into tensor<33x8xf32>
  return %b, %scales : tensor<33x128xui8>, tensor<33x8xf32>
}
