// A norm with zeros after it.
func.func @padded_norm(%x: tensor<?x1000xbf16> {fuse.dims = ["n"]},
                       %w: tensor<1000xbf16>)
    -> tensor<?x1024xbf16> {
  %n = fuse.rms_norm %x, %w eps = 1.0e-6 : tensor<?x1000xbf16>, tensor<1000xbf16>
  %o = fuse.pad %n low = [0, 0] high = [0, 24] value = 0.0 : tensor<?x1000xbf16> -> tensor<?x1024xbf16>
  return %o : tensor<?x1024xbf16>
}
