// Rows of a patch are 14 bytes: vectors go on in the next row of the patch where
// they are written, and in the next patch where they are read; and back.
func.func @short_patches(%x: tensor<?x3x28x56xi8> {fuse.dims = ["n"]},
                         %p: tensor<?x8x588xi8> {fuse.dims = ["n"]})
    -> (tensor<?x8x588xi8>, tensor<?x3x28x56xi8>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3x28x56xi8>
  %e = tensor.expand_shape %x [[0], [1], [2, 3], [4, 5]] output_shape [%n, 3, 2, 14, 4, 14]
      : tensor<?x3x28x56xi8> into tensor<?x3x2x14x4x14xi8>
  %t = fuse.transpose %e permutation = [0, 2, 4, 1, 3, 5]
      : tensor<?x3x2x14x4x14xi8> -> tensor<?x2x4x3x14x14xi8>
  %y = tensor.collapse_shape %t [[0], [1, 2], [3, 4, 5]]
      : tensor<?x2x4x3x14x14xi8> into tensor<?x8x588xi8>
  %q = tensor.expand_shape %p [[0], [1, 2], [3, 4, 5]] output_shape [%n, 2, 4, 3, 14, 14]
      : tensor<?x8x588xi8> into tensor<?x2x4x3x14x14xi8>
  %u = fuse.transpose %q permutation = [0, 3, 1, 4, 2, 5]
      : tensor<?x2x4x3x14x14xi8> -> tensor<?x3x2x14x4x14xi8>
  %z = tensor.collapse_shape %u [[0], [1], [2, 3], [4, 5]]
      : tensor<?x3x2x14x4x14xi8> into tensor<?x3x28x56xi8>
  return %y, %z : tensor<?x8x588xi8>, tensor<?x3x28x56xi8>
}
