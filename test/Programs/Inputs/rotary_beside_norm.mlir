// Queries are turned, keys are normed.
func.func @rotary_beside_norm(%q: tensor<?x32x128xbf16> {fuse.dims = ["n"]},
                              %k: tensor<?x8x128xbf16> {fuse.dims = ["n"]},
                              %w: tensor<128xbf16>)
    -> (tensor<?x32x128xbf16>, tensor<?x8x128xbf16>) {
  %r = fuse.rotary half tokens_heads %q base = 10000.0 : tensor<?x32x128xbf16>
  %n = fuse.rms_norm %k, %w eps = 1.0e-6 : tensor<?x8x128xbf16>, tensor<128xbf16>
  return %r, %n : tensor<?x32x128xbf16>, tensor<?x8x128xbf16>
}
