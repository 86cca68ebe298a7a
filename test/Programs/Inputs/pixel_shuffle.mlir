// Four channels become two rows of pairs: pairs of neighbours come from two channels.
func.func @pixel_shuffle(%x: tensor<2x16x8x8xf16>) -> tensor<2x4x16x16xf16> {
  %1 = tensor.expand_shape %x [[0], [1, 2, 3], [4], [5]] output_shape [2, 4, 2, 2, 8, 8] : tensor<2x16x8x8xf16> into tensor<2x4x2x2x8x8xf16>
  %2 = fuse.transpose %1 permutation = [0, 1, 4, 2, 5, 3] : tensor<2x4x2x2x8x8xf16> -> tensor<2x4x8x2x8x2xf16>
  %3 = tensor.collapse_shape %2 [[0], [1], [2, 3], [4, 5]] : tensor<2x4x8x2x8x2xf16> into tensor<2x4x16x16xf16>
  return %3 : tensor<2x4x16x16xf16>
}
