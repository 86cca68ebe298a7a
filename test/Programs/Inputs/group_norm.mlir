// Groups of 10 channels of an image; weights of each channel.
func.func @group_norm(%x: tensor<2x320x16x16xf16>,
                      %w: tensor<320xf16>,
                      %b: tensor<320xf16>)
    -> tensor<2x320x16x16xf16> {
  %g = tensor.expand_shape %x [[0], [1, 2], [3], [4]] output_shape [2, 32, 10, 16, 16] : tensor<2x320x16x16xf16> into tensor<2x32x10x16x16xf16>
  %f = fuse.cast %g : tensor<2x32x10x16x16xf16> -> tensor<2x32x10x16x16xf32>
  %m = fuse.reduce mean %f dims = [2, 3, 4] keep : tensor<2x32x10x16x16xf32> -> tensor<2x32x1x1x1xf32>
  %d = fuse.sub %f, %m : tensor<2x32x10x16x16xf32>, tensor<2x32x1x1x1xf32> -> tensor<2x32x10x16x16xf32>
  %q = fuse.mul %d, %d : tensor<2x32x10x16x16xf32>
  %v = fuse.reduce mean %q dims = [2, 3, 4] keep : tensor<2x32x10x16x16xf32> -> tensor<2x32x1x1x1xf32>
  %eps = fuse.constant dense<1.0e-5> : tensor<f32>
  %ve = fuse.add %v, %eps : tensor<2x32x1x1x1xf32>, tensor<f32> -> tensor<2x32x1x1x1xf32>
  %r = fuse.rsqrt %ve : tensor<2x32x1x1x1xf32>
  %n = fuse.mul %d, %r : tensor<2x32x10x16x16xf32>, tensor<2x32x1x1x1xf32> -> tensor<2x32x10x16x16xf32>
  %c = tensor.collapse_shape %n [[0], [1, 2], [3], [4]] : tensor<2x32x10x16x16xf32> into tensor<2x320x16x16xf32>
  %wf = fuse.cast %w : tensor<320xf16> -> tensor<320xf32>
  %bf = fuse.cast %b : tensor<320xf16> -> tensor<320xf32>
  %we = tensor.expand_shape %wf [[0, 1, 2]] output_shape [320, 1, 1] : tensor<320xf32> into tensor<320x1x1xf32>
  %be = tensor.expand_shape %bf [[0, 1, 2]] output_shape [320, 1, 1] : tensor<320xf32> into tensor<320x1x1xf32>
  %s = fuse.mul %c, %we : tensor<2x320x16x16xf32>, tensor<320x1x1xf32> -> tensor<2x320x16x16xf32>
  %y = fuse.add %s, %be : tensor<2x320x16x16xf32>, tensor<320x1x1xf32> -> tensor<2x320x16x16xf32>
  %o = fuse.cast %y : tensor<2x320x16x16xf32> -> tensor<2x320x16x16xf16>
  return %o : tensor<2x320x16x16xf16>
}
