// Weights of tokens: a softmax along another dimension than the last, of any
// length.
func.func @softmax_over_tokens(%x: tensor<2x?x64xbf16> {fuse.dims = ["n"]}) -> tensor<2x?x64xbf16> {
  %y = fuse.softmax %x dims = [1] : tensor<2x?x64xbf16>
  return %y : tensor<2x?x64xbf16>
}
