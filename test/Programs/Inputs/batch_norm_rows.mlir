// A batch norm of few rows, with its statistics.
func.func @batch_norm_rows(%x: tensor<64x256xf32>,
                           %w: tensor<256xf32>,
                           %b: tensor<256xf32>)
    -> (tensor<64x256xf32>, tensor<256xf32>, tensor<256xf32>) {
  %m = fuse.reduce mean %x dims = [0] : tensor<64x256xf32> -> tensor<256xf32>
  %d = fuse.sub %x, %m : tensor<64x256xf32>, tensor<256xf32> -> tensor<64x256xf32>
  %q = fuse.mul %d, %d : tensor<64x256xf32>
  %v = fuse.reduce mean %q dims = [0] : tensor<64x256xf32> -> tensor<256xf32>
  %eps = fuse.constant dense<1.0e-5> : tensor<f32>
  %ve = fuse.add %v, %eps : tensor<256xf32>, tensor<f32> -> tensor<256xf32>
  %r = fuse.rsqrt %ve : tensor<256xf32>
  %n = fuse.mul %d, %r : tensor<64x256xf32>, tensor<256xf32> -> tensor<64x256xf32>
  %s = fuse.mul %n, %w : tensor<64x256xf32>, tensor<256xf32> -> tensor<64x256xf32>
  %y = fuse.add %s, %b : tensor<64x256xf32>, tensor<256xf32> -> tensor<64x256xf32>
  return %y, %m, %v : tensor<64x256xf32>, tensor<256xf32>, tensor<256xf32>
}
