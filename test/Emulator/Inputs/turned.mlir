// Queries and keys whose pairs of features attention turns as it reads them.

// By tables; several heads share a head of keys.
func.func @decode(%q: tensor<2x1x6x64xbf16>, %k: tensor<2x?x2x64xbf16>, %v: tensor<2x?x2x64xbf16>, %cos: tensor<512x32xf32>, %sin: tensor<512x32xf32>, %at: tensor<1xi32>, %key_at: tensor<?xi32>) -> tensor<2x1x6x64xbf16> {
  %r = fuse.rotary half tokens_heads %q tables(%cos, %sin) positions(%at) : tensor<2x1x6x64xbf16>, tensor<512x32xf32>, tensor<1xi32>
  %t = fuse.rotary half tokens_heads %k tables(%cos, %sin) positions(%key_at) : tensor<2x?x2x64xbf16>, tensor<512x32xf32>, tensor<?xi32>
  %o = fuse.attention tokens_heads %r, %t, %v : tensor<2x1x6x64xbf16>, tensor<2x?x2x64xbf16>, tensor<2x?x2x64xbf16>
  return %o : tensor<2x1x6x64xbf16>
}

// Without tables, pairs of neighbours, rows that tiles do not divide.
func.func @few(%q: tensor<1x2x5x128xf16>, %k: tensor<1x2x?x128xf16>, %v: tensor<1x2x?x128xf16>) -> tensor<1x2x5x128xf16> {
  %r = fuse.rotary interleaved heads_tokens %q base = 1.0e4 : tensor<1x2x5x128xf16>
  %t = fuse.rotary interleaved heads_tokens %k base = 1.0e4 : tensor<1x2x?x128xf16>
  %o = fuse.attention heads_tokens %r, %t, %v : tensor<1x2x5x128xf16>, tensor<1x2x?x128xf16>, tensor<1x2x?x128xf16>
  return %o : tensor<1x2x5x128xf16>
}

// Many queries, whose tiles would turn all keys again and again.
func.func @many(%q: tensor<1x32x4096x128xbf16>, %k: tensor<1x32x4096x128xbf16>, %v: tensor<1x32x4096x128xbf16>) -> tensor<1x32x4096x128xbf16> {
  %r = fuse.rotary half heads_tokens %q base = 1.0e4 : tensor<1x32x4096x128xbf16>
  %t = fuse.rotary half heads_tokens %k base = 1.0e4 : tensor<1x32x4096x128xbf16>
  %o = fuse.attention heads_tokens %r, %t, %v : tensor<1x32x4096x128xbf16>, tensor<1x32x4096x128xbf16>, tensor<1x32x4096x128xbf16>
  return %o : tensor<1x32x4096x128xbf16>
}
