// A batch norm over as many rows as a call has, whose deviations are written as
// often as they are used.
func.func @deviations_twice(%x: tensor<?x256xf32> {fuse.dims = ["n"]},
                            %w: tensor<256xf32>)
    -> (tensor<?x256xf32>, tensor<256xf32>) {
  %m = fuse.reduce mean %x dims = [0] : tensor<?x256xf32> -> tensor<256xf32>
  %a = fuse.sub %x, %m : tensor<?x256xf32>, tensor<256xf32> -> tensor<?x256xf32>
  %b = fuse.sub %x, %m : tensor<?x256xf32>, tensor<256xf32> -> tensor<?x256xf32>
  %q = fuse.mul %a, %b : tensor<?x256xf32>
  %v = fuse.reduce mean %q dims = [0] : tensor<?x256xf32> -> tensor<256xf32>
  %eps = fuse.constant dense<1.0e-5> : tensor<f32>
  %ve = fuse.add %v, %eps : tensor<256xf32>, tensor<f32> -> tensor<256xf32>
  %r = fuse.rsqrt %ve : tensor<256xf32>
  %d = fuse.sub %x, %m : tensor<?x256xf32>, tensor<256xf32> -> tensor<?x256xf32>
  %n = fuse.mul %d, %r : tensor<?x256xf32>, tensor<256xf32> -> tensor<?x256xf32>
  %y = fuse.mul %n, %w : tensor<?x256xf32>, tensor<256xf32> -> tensor<?x256xf32>
  return %y, %m : tensor<?x256xf32>, tensor<256xf32>
}
