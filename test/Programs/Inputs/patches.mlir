// Patches of 16 x 16 pixels, channels last in each.
func.func @patches(%x: tensor<?x3x32x48xbf16> {fuse.dims = ["n"]}) -> tensor<?x6x768xbf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3x32x48xbf16>
  %s = tensor.expand_shape %x [[0], [1], [2, 3], [4, 5]] output_shape [%n, 3, 2, 16, 3, 16] : tensor<?x3x32x48xbf16> into tensor<?x3x2x16x3x16xbf16>
  %t = fuse.transpose %s permutation = [0, 2, 4, 3, 5, 1] : tensor<?x3x2x16x3x16xbf16> -> tensor<?x2x3x16x16x3xbf16>
  %y = tensor.collapse_shape %t [[0], [1, 2], [3, 4, 5]] : tensor<?x2x3x16x16x3xbf16> into tensor<?x6x768xbf16>
  return %y : tensor<?x6x768xbf16>
}
