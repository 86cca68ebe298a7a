// Mamba 2: a gate, then a norm over all heads of a token.
func.func @gated_norm_of_heads(%y: tensor<?x4x64xbf16> {fuse.dims = ["t"]}, %z: tensor<?x4x64xbf16> {fuse.dims = ["t"]}, %w: tensor<256xbf16>) -> (tensor<?x4x64xbf16>) {
  %1 = fuse.cast %y : tensor<?x4x64xbf16> -> tensor<?x4x64xf32>
  %2 = fuse.cast %z : tensor<?x4x64xbf16> -> tensor<?x4x64xf32>
  %3 = fuse.silu %2 : tensor<?x4x64xf32> -> tensor<?x4x64xf32>
  %4 = fuse.mul %1, %3 : tensor<?x4x64xf32>, tensor<?x4x64xf32> -> tensor<?x4x64xf32>
  %5 = fuse.mul %4, %4 : tensor<?x4x64xf32>, tensor<?x4x64xf32> -> tensor<?x4x64xf32>
  %6 = fuse.reduce mean %5 dims = [1, 2] keep : tensor<?x4x64xf32> -> tensor<?x1x1xf32>
  %7 = fuse.constant dense<9.999999747378752e-06> : tensor<f32>
  %8 = fuse.add %6, %7 : tensor<?x1x1xf32>, tensor<f32> -> tensor<?x1x1xf32>
  %9 = fuse.rsqrt %8 : tensor<?x1x1xf32> -> tensor<?x1x1xf32>
  %10 = fuse.mul %4, %9 : tensor<?x4x64xf32>, tensor<?x1x1xf32> -> tensor<?x4x64xf32>
  %11 = fuse.cast %w : tensor<256xbf16> -> tensor<256xf32>
  %12 = tensor.expand_shape %11 [[0, 1]] output_shape [4, 64] : tensor<256xf32> into tensor<4x64xf32>
  %13 = fuse.mul %10, %12 : tensor<?x4x64xf32>, tensor<4x64xf32> -> tensor<?x4x64xf32>
  %14 = fuse.cast %13 : tensor<?x4x64xf32> -> tensor<?x4x64xbf16>
  return %14 : tensor<?x4x64xbf16>
}
