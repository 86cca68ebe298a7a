// Parts of one input, of which one is normed and one turned.
func.func @split_norm_rotary(%c: tensor<?x576xbf16> {fuse.dims = ["n"]},
                             %w: tensor<512xbf16>)
    -> tensor<?x576xbf16> {
  %n0 = fuse.slice %c offsets = [0, 0] sizes = [-1, 512] : tensor<?x576xbf16> -> tensor<?x512xbf16>
  %k = fuse.slice %c offsets = [0, 512] sizes = [-1, 64] : tensor<?x576xbf16> -> tensor<?x64xbf16>
  %n = fuse.rms_norm %n0, %w eps = 1.0e-6 : tensor<?x512xbf16>, tensor<512xbf16>
  %r = fuse.rotary interleaved heads_tokens %k base = 10000.0 : tensor<?x64xbf16>
  %o = fuse.concat %n, %r dim = 1 : tensor<?x512xbf16>, tensor<?x64xbf16> -> tensor<?x576xbf16>
  return %o : tensor<?x576xbf16>
}
