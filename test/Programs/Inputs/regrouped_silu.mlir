// Heads are regrouped after their softmax.
func.func @regrouped_silu(%x: tensor<?x8x128xbf16> {fuse.dims = ["n"]})
    -> tensor<?x2x512xbf16> {
  %f = fuse.softmax %x dims = [2] : tensor<?x8x128xbf16>
  %c = tensor.collapse_shape %f [[0], [1, 2]] : tensor<?x8x128xbf16> into tensor<?x1024xbf16>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8x128xbf16>
  %e = tensor.expand_shape %c [[0], [1, 2]] output_shape [%n, 2, 512] : tensor<?x1024xbf16> into tensor<?x2x512xbf16>
  %g = fuse.silu %e : tensor<?x2x512xbf16>
  return %g : tensor<?x2x512xbf16>
}
