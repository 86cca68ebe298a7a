// Norms of two inputs, one after the other in each image.
func.func @joined_in_batch(%x: tensor<2x?x256xf32> {fuse.dims = ["n"]},
                           %y: tensor<2x7x256xf32>,
                           %w: tensor<256xf32>)
    -> tensor<2x?x256xf32> {
  %a = fuse.rms_norm %x, %w eps = 1.0e-6 : tensor<2x?x256xf32>, tensor<256xf32>
  %b = fuse.layer_norm %y, %w eps = 1.0e-6 : tensor<2x7x256xf32>, tensor<256xf32>
  %o = fuse.concat %b, %a dim = 1 : tensor<2x7x256xf32>, tensor<2x?x256xf32> -> tensor<2x?x256xf32>
  return %o : tensor<2x?x256xf32>
}
