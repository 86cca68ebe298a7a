// Rotary embedding of a query, pairs (2i, 2i + 1), cos and sin from tables.
func.func @rope_interleaved(
    %x: tensor<?x32x128xf16>   {fuse.dims = ["tokens"]},
    %cos: tensor<?x64xf32>     {fuse.dims = ["tokens"]},
    %sin: tensor<?x64xf32>     {fuse.dims = ["tokens"]}) -> tensor<?x32x128xf16> {
  %y = fuse.rotary interleaved tokens_heads %x tables(%cos, %sin)
       : tensor<?x32x128xf16>, tensor<?x64xf32>
  return %y : tensor<?x32x128xf16>
}
