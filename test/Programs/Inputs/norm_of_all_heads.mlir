// One norm over the features of all heads, then a rotary embedding of each.
func.func @norm_of_all_heads(%x: tensor<?x1024xbf16> {fuse.dims = ["T"]}, %w: tensor<1024xbf16>) -> tensor<?x16x64xbf16> {
  %y = fuse.rms_norm %x, %w eps = 1.0e-6 : tensor<?x1024xbf16>, tensor<1024xbf16>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x1024xbf16>
  %heads = tensor.expand_shape %y [[0], [1, 2]] output_shape [%n, 16, 64] : tensor<?x1024xbf16> into tensor<?x16x64xbf16>
  %r = fuse.rotary half tokens_heads %heads base = 1.0e4 : tensor<?x16x64xbf16>
  return %r : tensor<?x16x64xbf16>
}
