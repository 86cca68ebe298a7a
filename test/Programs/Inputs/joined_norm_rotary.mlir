// A norm and rotated features, side by side.
func.func @joined_norm_rotary(%c: tensor<?x512xbf16> {fuse.dims = ["n"]},
                              %k: tensor<?x64xbf16> {fuse.dims = ["n"]},
                              %w: tensor<512xbf16>)
    -> tensor<?x576xbf16> {
  %n = fuse.rms_norm %c, %w eps = 1.0e-6 : tensor<?x512xbf16>, tensor<512xbf16>
  %r = fuse.rotary half heads_tokens %k base = 10000.0 : tensor<?x64xbf16>
  %o = fuse.concat %n, %r dim = 1 : tensor<?x512xbf16>, tensor<?x64xbf16> -> tensor<?x576xbf16>
  return %o : tensor<?x576xbf16>
}
