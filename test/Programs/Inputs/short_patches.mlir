// Rows of a patch are 28 bytes: vectors go on in the next row of the patch where
// they are written, and in the next patch where they are read; and back.
func.func @short_patches(%x: tensor<?x3x28x56xbf16> {fuse.dims = ["n"]},
                         %p: tensor<?x8x588xbf16> {fuse.dims = ["n"]})
    -> (tensor<?x8x588xbf16>, tensor<?x3x28x56xbf16>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3x28x56xbf16>
  %e = tensor.expand_shape %x [[0], [1], [2, 3], [4, 5]] output_shape [%n, 3, 2, 14, 4, 14]
      : tensor<?x3x28x56xbf16> into tensor<?x3x2x14x4x14xbf16>
  %t = fuse.transpose %e permutation = [0, 2, 4, 1, 3, 5]
      : tensor<?x3x2x14x4x14xbf16> -> tensor<?x2x4x3x14x14xbf16>
  %y = tensor.collapse_shape %t [[0], [1, 2], [3, 4, 5]]
      : tensor<?x2x4x3x14x14xbf16> into tensor<?x8x588xbf16>
  %q = tensor.expand_shape %p [[0], [1, 2], [3, 4, 5]] output_shape [%n, 2, 4, 3, 14, 14]
      : tensor<?x8x588xbf16> into tensor<?x2x4x3x14x14xbf16>
  %u = fuse.transpose %q permutation = [0, 3, 1, 4, 2, 5]
      : tensor<?x2x4x3x14x14xbf16> -> tensor<?x3x2x14x4x14xbf16>
  %z = tensor.collapse_shape %u [[0], [1], [2, 3], [4, 5]]
      : tensor<?x3x2x14x4x14xbf16> into tensor<?x3x28x56xbf16>
  return %y, %z : tensor<?x8x588xbf16>, tensor<?x3x28x56xbf16>
}
