// RUN: fuse-crosscheck %s
// Groups of an only row are rows when its dimensions have gone, and what the row is
// reduced to is reduced over all of them.
func.func @program(%a10: tensor<1x1x2xf16>, %a11: tensor<1x2x2xf16>) -> (tensor<1x1x1xf16>) {
  %v14 = fuse.matmul %a10, %a11 transpose_rhs : tensor<1x1x2xf16>, tensor<1x2x2xf16> -> tensor<1x1x2xf16>
  %v19 = fuse.logsumexp %v14 dims = [2] keep : tensor<1x1x2xf16> -> tensor<1x1x1xf16>
  return %v19 : tensor<1x1x1xf16>
}
