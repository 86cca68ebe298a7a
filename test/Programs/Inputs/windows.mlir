// A layer norm of an image's pixels, and the windows of 4 x 4 pixels that a Swin
// transformer attends to.
func.func @windows(%x: tensor<2x16x16x96xbf16>, %w: tensor<96xbf16>, %b: tensor<96xbf16>) -> tensor<32x16x96xbf16> {
  %n = fuse.layer_norm %x, %w, %b eps = 1.0e-5 : tensor<2x16x16x96xbf16>, tensor<96xbf16>, tensor<96xbf16>
  %e = tensor.expand_shape %n [[0], [1, 2], [3, 4], [5]] output_shape [2, 4, 4, 4, 4, 96] : tensor<2x16x16x96xbf16> into tensor<2x4x4x4x4x96xbf16>
  %t = fuse.transpose %e permutation = [0, 1, 3, 2, 4, 5] : tensor<2x4x4x4x4x96xbf16> -> tensor<2x4x4x4x4x96xbf16>
  %c = tensor.collapse_shape %t [[0, 1, 2], [3, 4], [5]] : tensor<2x4x4x4x4x96xbf16> into tensor<32x16x96xbf16>
  return %c : tensor<32x16x96xbf16>
}
