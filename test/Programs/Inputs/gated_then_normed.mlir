// What is computed for each head is normed over all of them.
func.func @gated_then_normed(%x: tensor<?x16x64xf16> {fuse.dims = ["T"]}, %gate: tensor<?x16x1xf16> {fuse.dims = ["T"]}, %w: tensor<1024xf16>) -> tensor<?x1024xf16> {
  %g = fuse.sigmoid %gate : tensor<?x16x1xf16>
  %y = fuse.mul %x, %g : tensor<?x16x64xf16>, tensor<?x16x1xf16> -> tensor<?x16x64xf16>
  %flat = tensor.collapse_shape %y [[0], [1, 2]] : tensor<?x16x64xf16> into tensor<?x1024xf16>
  %n = fuse.rms_norm %flat, %w eps = 1.0e-6 : tensor<?x1024xf16>, tensor<1024xf16>
  return %n : tensor<?x1024xf16>
}
