// RMSNorm with a weight.
func.func @rms_norm(%x: tensor<?x4096xbf16> {fuse.dims = ["rows"]},
                    %w: tensor<4096xbf16>) -> tensor<?x4096xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x4096xbf16>, tensor<4096xbf16>
  return %y : tensor<?x4096xbf16>
}
