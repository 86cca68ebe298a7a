// Norms of queries and keys, and values as they are.
func.func @joined_heads(%q: tensor<?x8x64xbf16> {fuse.dims = ["n"]},
                        %k: tensor<?x2x64xbf16> {fuse.dims = ["n"]},
                        %v: tensor<?x2x64xbf16> {fuse.dims = ["n"]},
                        %w: tensor<64xbf16>)
    -> tensor<?x12x64xbf16> {
  %a = fuse.rms_norm %q, %w eps = 1.0e-6 : tensor<?x8x64xbf16>, tensor<64xbf16>
  %b = fuse.rms_norm %k, %w eps = 1.0e-6 : tensor<?x2x64xbf16>, tensor<64xbf16>
  %o = fuse.concat %a, %b, %v dim = 1 : tensor<?x8x64xbf16>, tensor<?x2x64xbf16>, tensor<?x2x64xbf16> -> tensor<?x12x64xbf16>
  return %o : tensor<?x12x64xbf16>
}
