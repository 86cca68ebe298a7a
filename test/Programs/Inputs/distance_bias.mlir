// ALiBi: causal scores less a slope times the distance.
func.func @distance_bias(%s: tensor<?x16x64x256xbf16> {fuse.dims = ["b"]}, %slopes: tensor<16x1x1xf32>) -> (tensor<?x16x64x256xbf16>) {
  %1 = fuse.iota dim = 0 : tensor<256xi32>
  %2 = tensor.expand_shape %1 [[0, 1]] output_shape [1, 256] : tensor<256xi32> into tensor<1x256xi32>
  %3 = fuse.iota dim = 0 : tensor<64xi32>
  %4 = tensor.expand_shape %3 [[0, 1]] output_shape [64, 1] : tensor<64xi32> into tensor<64x1xi32>
  %5 = fuse.sub %2, %4 : tensor<1x256xi32>, tensor<64x1xi32> -> tensor<64x256xi32>
  %6 = fuse.constant dense<192> : tensor<i32>
  %7 = fuse.sub %5, %6 : tensor<64x256xi32>, tensor<i32> -> tensor<64x256xi32>
  %8 = fuse.cast %7 : tensor<64x256xi32> -> tensor<64x256xf32>
  %9 = fuse.cast %s : tensor<?x16x64x256xbf16> -> tensor<?x16x64x256xf32>
  %10 = fuse.mul %slopes, %8 : tensor<16x1x1xf32>, tensor<64x256xf32> -> tensor<16x64x256xf32>
  %11 = fuse.add %9, %10 : tensor<?x16x64x256xf32>, tensor<16x64x256xf32> -> tensor<?x16x64x256xf32>
  %12 = fuse.sub %2, %4 : tensor<1x256xi32>, tensor<64x1xi32> -> tensor<64x256xi32>
  %13 = fuse.compare gt %12, %6 : tensor<64x256xi32>, tensor<i32> -> tensor<64x256xi1>
  %14 = fuse.constant dense<0xFF800000> : tensor<f32>
  %15 = tensor.expand_shape %14 [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  %16 = fuse.select %13, %15, %11 : tensor<64x256xi1>, tensor<1x1xf32>, tensor<?x16x64x256xf32> -> tensor<?x16x64x256xf32>
  %17 = fuse.softmax %16 dims = [3] : tensor<?x16x64x256xf32>
  %18 = fuse.cast %17 : tensor<?x16x64x256xf32> -> tensor<?x16x64x256xbf16>
  return %18 : tensor<?x16x64x256xbf16>
}
