// A batch norm of channels that come last.
func.func @channels_last(%x: tensor<2x28x28x64xf16>, %w: tensor<64xf32>, %b: tensor<64xf32>) -> (tensor<2x28x28x64xf16>) {
  %1 = fuse.cast %x : tensor<2x28x28x64xf16> -> tensor<2x28x28x64xf32>
  %2 = fuse.reduce mean %1 dims = [0, 1, 2] keep : tensor<2x28x28x64xf32> -> tensor<1x1x1x64xf32>
  %3 = fuse.sub %1, %2 : tensor<2x28x28x64xf32>, tensor<1x1x1x64xf32> -> tensor<2x28x28x64xf32>
  %4 = fuse.mul %3, %3 : tensor<2x28x28x64xf32>, tensor<2x28x28x64xf32> -> tensor<2x28x28x64xf32>
  %5 = fuse.reduce mean %4 dims = [0, 1, 2] keep : tensor<2x28x28x64xf32> -> tensor<1x1x1x64xf32>
  %6 = fuse.sub %1, %2 : tensor<2x28x28x64xf32>, tensor<1x1x1x64xf32> -> tensor<2x28x28x64xf32>
  %7 = fuse.constant dense<9.999999747378752e-06> : tensor<f32>
  %8 = fuse.add %5, %7 : tensor<1x1x1x64xf32>, tensor<f32> -> tensor<1x1x1x64xf32>
  %9 = fuse.rsqrt %8 : tensor<1x1x1x64xf32> -> tensor<1x1x1x64xf32>
  %10 = fuse.mul %6, %9 : tensor<2x28x28x64xf32>, tensor<1x1x1x64xf32> -> tensor<2x28x28x64xf32>
  %11 = fuse.mul %10, %w : tensor<2x28x28x64xf32>, tensor<64xf32> -> tensor<2x28x28x64xf32>
  %12 = fuse.add %11, %b : tensor<2x28x28x64xf32>, tensor<64xf32> -> tensor<2x28x28x64xf32>
  %13 = fuse.relu %12 : tensor<2x28x28x64xf32> -> tensor<2x28x28x64xf32>
  %14 = fuse.cast %13 : tensor<2x28x28x64xf32> -> tensor<2x28x28x64xf16>
  return %14 : tensor<2x28x28x64xf16>
}
