// The residual add before a norm: both the sum and its norm leave the kernel.
func.func @add_rms_norm(%x: tensor<?x4096xbf16> {fuse.dims = ["rows"]},
                        %r: tensor<?x4096xbf16> {fuse.dims = ["rows"]},
                        %w: tensor<4096xbf16>)
    -> (tensor<?x4096xbf16>, tensor<?x4096xbf16>) {
  %h = fuse.add %x, %r : tensor<?x4096xbf16>
  %y = fuse.rms_norm %h, %w eps = 1.0e-5 : tensor<?x4096xbf16>, tensor<4096xbf16>
  return %h, %y : tensor<?x4096xbf16>, tensor<?x4096xbf16>
}
