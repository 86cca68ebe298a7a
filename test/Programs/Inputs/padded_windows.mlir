// Swin: a norm of an image whose sides are no multiples of the windows', padded and cut into these.
func.func @padded_windows(%x: tensor<?x12x10x96xf16> {fuse.dims = ["n"]}, %w: tensor<96xf16>)
    -> tensor<?x2x2x7x7x96xf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x12x10x96xf16>
  %y = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x12x10x96xf16>, tensor<96xf16>
  %p = fuse.pad %y low = [0, 0, 1, 0] high = [0, 2, 3, 0] value = 0.0 : tensor<?x12x10x96xf16> -> tensor<?x14x14x96xf16>
  %e = tensor.expand_shape %p [[0], [1, 2], [3, 4], [5]] output_shape [%n, 2, 7, 2, 7, 96] : tensor<?x14x14x96xf16> into tensor<?x2x7x2x7x96xf16>
  %t = fuse.transpose %e permutation = [0, 1, 3, 2, 4, 5] : tensor<?x2x7x2x7x96xf16> -> tensor<?x2x2x7x7x96xf16>
  return %t : tensor<?x2x2x7x7x96xf16>
}
