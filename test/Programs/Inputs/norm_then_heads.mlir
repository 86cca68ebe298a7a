// A norm of all features, then of each head.
func.func @norm_then_heads(%x: tensor<?x4096xbf16> {fuse.dims = ["n"]},
                           %w: tensor<4096xbf16>,
                           %v: tensor<128xbf16>)
    -> tensor<?x32x128xbf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4096xbf16>
  %y = fuse.rms_norm %x, %w eps = 1.0e-6 : tensor<?x4096xbf16>, tensor<4096xbf16>
  %g = tensor.expand_shape %y [[0], [1, 2]] output_shape [%n, 32, 128] : tensor<?x4096xbf16> into tensor<?x32x128xbf16>
  %z = fuse.rms_norm %g, %v eps = 1.0e-6 : tensor<?x32x128xbf16>, tensor<128xbf16>
  return %z : tensor<?x32x128xbf16>
}
