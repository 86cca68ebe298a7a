// Norms of queries and keys, each head then rotated: one kernel still, since a
// block has the whole head at hand.
func.func @qk_norm_rope(
    %q: tensor<?x32x128xbf16>  {fuse.dims = ["tokens"]},
    %k: tensor<?x8x128xbf16>   {fuse.dims = ["tokens"]},
    %wq: tensor<128xbf16>, %wk: tensor<128xbf16>,
    %cos: tensor<?x64xf32>     {fuse.dims = ["tokens"]},
    %sin: tensor<?x64xf32>     {fuse.dims = ["tokens"]})
    -> (tensor<?x32x128xbf16>, tensor<?x8x128xbf16>) {
  %qn = fuse.rms_norm %q, %wq eps = 1.0e-6 : tensor<?x32x128xbf16>, tensor<128xbf16>
  %kn = fuse.rms_norm %k, %wk eps = 1.0e-6 : tensor<?x8x128xbf16>, tensor<128xbf16>
  %qr = fuse.rotary half tokens_heads %qn tables(%cos, %sin)
        : tensor<?x32x128xbf16>, tensor<?x64xf32>
  %kr = fuse.rotary half tokens_heads %kn tables(%cos, %sin)
        : tensor<?x8x128xbf16>, tensor<?x64xf32>
  return %qr, %kr : tensor<?x32x128xbf16>, tensor<?x8x128xbf16>
}
