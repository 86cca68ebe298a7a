// 20 of 80 features are rotated, as in StableLM 3B.
func.func @cut_pairs(%x: tensor<2x?x12x80xbf16> {fuse.dims = ["tokens"]}) -> tensor<2x?x12x80xbf16> {
  %y = fuse.rotary half tokens_heads %x base = 10000.0 dims = 20 : tensor<2x?x12x80xbf16>
  return %y : tensor<2x?x12x80xbf16>
}
