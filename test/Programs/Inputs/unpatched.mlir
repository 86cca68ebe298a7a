// Patches of 4 x 4 pixels of 4 channels become an image again.
func.func @unpatched(%x: tensor<?x24x64xf16> {fuse.dims = ["n"]}) -> tensor<?x4x16x24xf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x24x64xf16>
  %s = tensor.expand_shape %x [[0], [1, 2], [3, 4, 5]] output_shape [%n, 4, 6, 4, 4, 4] : tensor<?x24x64xf16> into tensor<?x4x6x4x4x4xf16>
  %t = fuse.transpose %s permutation = [0, 5, 1, 3, 2, 4] : tensor<?x4x6x4x4x4xf16> -> tensor<?x4x4x4x6x4xf16>
  %y = tensor.collapse_shape %t [[0], [1], [2, 3], [4, 5]] : tensor<?x4x4x4x6x4xf16> into tensor<?x4x16x24xf16>
  return %y : tensor<?x4x16x24xf16>
}
