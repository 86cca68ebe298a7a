// A norm of each head, then of all.
func.func @heads_then_row(%x: tensor<?x4x64xf16> {fuse.dims = ["n"]},
                          %w: tensor<64xf16>,
                          %v: tensor<4x64xf16>)
    -> tensor<?x4x64xf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-6 : tensor<?x4x64xf16>, tensor<64xf16>
  %f = fuse.cast %y : tensor<?x4x64xf16> -> tensor<?x4x64xf32>
  %q = fuse.mul %f, %f : tensor<?x4x64xf32>
  %m = fuse.reduce mean %q dims = [1, 2] keep : tensor<?x4x64xf32> -> tensor<?x1x1xf32>
  %e = fuse.rsqrt %m : tensor<?x1x1xf32>
  %z = fuse.mul %f, %e : tensor<?x4x64xf32>, tensor<?x1x1xf32> -> tensor<?x4x64xf32>
  %o = fuse.cast %z : tensor<?x4x64xf32> -> tensor<?x4x64xf16>
  return %o : tensor<?x4x64xf16>
}
