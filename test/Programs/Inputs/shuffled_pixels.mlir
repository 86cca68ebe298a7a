// Pixel shuffle by 2: channels become neighbours.
func.func @shuffled_pixels(%x: tensor<?x12x10x16xf16> {fuse.dims = ["n"]}) -> tensor<?x3x20x32xf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x12x10x16xf16>
  %s = tensor.expand_shape %x [[0], [1, 2, 3], [4], [5]] output_shape [%n, 3, 2, 2, 10, 16] : tensor<?x12x10x16xf16> into tensor<?x3x2x2x10x16xf16>
  %t = fuse.transpose %s permutation = [0, 1, 4, 2, 5, 3] : tensor<?x3x2x2x10x16xf16> -> tensor<?x3x10x2x16x2xf16>
  %y = tensor.collapse_shape %t [[0], [1], [2, 3], [4, 5]] : tensor<?x3x10x2x16x2xf16> into tensor<?x3x20x32xf16>
  return %y : tensor<?x3x20x32xf16>
}
