// The same where images are flattened before and after.
func.func @group_norm_flat(%x: tensor<2x320x16x16xf16>,
                           %w: tensor<320xf16>,
                           %b: tensor<320xf16>)
    -> tensor<2x320x16x16xf16> {
  %f = fuse.cast %x : tensor<2x320x16x16xf16> -> tensor<2x320x16x16xf32>
  %k = tensor.collapse_shape %f [[0], [1, 2, 3]] : tensor<2x320x16x16xf32> into tensor<2x81920xf32>
  %g = tensor.expand_shape %k [[0], [1, 2]] output_shape [2, 32, 2560] : tensor<2x81920xf32> into tensor<2x32x2560xf32>
  %m = fuse.reduce mean %g dims = [2] keep : tensor<2x32x2560xf32> -> tensor<2x32x1xf32>
  %d = fuse.sub %g, %m : tensor<2x32x2560xf32>, tensor<2x32x1xf32> -> tensor<2x32x2560xf32>
  %q = fuse.mul %d, %d : tensor<2x32x2560xf32>
  %v = fuse.reduce mean %q dims = [2] keep : tensor<2x32x2560xf32> -> tensor<2x32x1xf32>
  %eps = fuse.constant dense<1.0e-5> : tensor<f32>
  %ve = fuse.add %v, %eps : tensor<2x32x1xf32>, tensor<f32> -> tensor<2x32x1xf32>
  %r = fuse.rsqrt %ve : tensor<2x32x1xf32>
  %n = fuse.mul %d, %r : tensor<2x32x2560xf32>, tensor<2x32x1xf32> -> tensor<2x32x2560xf32>
  %c = tensor.collapse_shape %n [[0], [1, 2]] : tensor<2x32x2560xf32> into tensor<2x81920xf32>
  %h = tensor.expand_shape %c [[0], [1, 2, 3]] output_shape [2, 320, 16, 16] : tensor<2x81920xf32> into tensor<2x320x16x16xf32>
  %wf = fuse.cast %w : tensor<320xf16> -> tensor<320xf32>
  %bf = fuse.cast %b : tensor<320xf16> -> tensor<320xf32>
  %we = tensor.expand_shape %wf [[0, 1, 2, 3]] output_shape [1, 320, 1, 1] : tensor<320xf32> into tensor<1x320x1x1xf32>
  %be = tensor.expand_shape %bf [[0, 1, 2, 3]] output_shape [1, 320, 1, 1] : tensor<320xf32> into tensor<1x320x1x1xf32>
  %s = fuse.mul %h, %we : tensor<2x320x16x16xf32>, tensor<1x320x1x1xf32> -> tensor<2x320x16x16xf32>
  %y = fuse.add %s, %be : tensor<2x320x16x16xf32>, tensor<1x320x1x1xf32> -> tensor<2x320x16x16xf32>
  %o = fuse.cast %y : tensor<2x320x16x16xf32> -> tensor<2x320x16x16xf16>
  return %o : tensor<2x320x16x16xf16>
}
