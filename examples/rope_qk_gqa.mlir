// Queries of 32 heads and keys of 8, rotated by one kernel with one table.
func.func @rope_qk_gqa(
    %q: tensor<?x32x128xbf16>  {fuse.dims = ["tokens"]},
    %k: tensor<?x8x128xbf16>   {fuse.dims = ["tokens"]},
    %cos: tensor<?x64xf32>     {fuse.dims = ["tokens"]},
    %sin: tensor<?x64xf32>     {fuse.dims = ["tokens"]})
    -> (tensor<?x32x128xbf16>, tensor<?x8x128xbf16>) {
  %qr = fuse.rotary half tokens_heads %q tables(%cos, %sin)
        : tensor<?x32x128xbf16>, tensor<?x64xf32>
  %kr = fuse.rotary half tokens_heads %k tables(%cos, %sin)
        : tensor<?x8x128xbf16>, tensor<?x64xf32>
  return %qr, %kr : tensor<?x32x128xbf16>, tensor<?x8x128xbf16>
}
