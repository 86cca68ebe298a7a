// Few tiles with a long K, for which the model chooses a schedule.

func.func @few(%x: tensor<16x14336xbf16>, %w: tensor<4096x14336xbf16>, %r: tensor<16x4096xbf16>) -> tensor<16x4096xbf16> {
  %p = fuse.matmul %x, %w transpose_rhs : tensor<16x14336xbf16>, tensor<4096x14336xbf16> -> tensor<16x4096xbf16>
  %y = fuse.add %p, %r : tensor<16x4096xbf16>
  return %y : tensor<16x4096xbf16>
}

func.func @small(%x: tensor<8x4096xbf16>, %w: tensor<136x4096xbf16>, %r: tensor<8x136xbf16>) -> tensor<8x136xbf16> {
  %p = fuse.matmul %x, %w transpose_rhs : tensor<8x4096xbf16>, tensor<136x4096xbf16> -> tensor<8x136xbf16>
  %y = fuse.add %p, %r : tensor<8x136xbf16>
  return %y : tensor<8x136xbf16>
}
