// Images of bytes, normalised and with their channels first.
func.func @image_ui8(%x: tensor<2x32x32x3xui8>, %m: tensor<3xf32>, %s: tensor<3xf32>) -> (tensor<2x3x32x32xf16>) {
  %1 = fuse.cast %x : tensor<2x32x32x3xui8> -> tensor<2x32x32x3xf32>
  %2 = fuse.constant dense<255.0> : tensor<f32>
  %3 = fuse.div %1, %2 : tensor<2x32x32x3xf32>, tensor<f32> -> tensor<2x32x32x3xf32>
  %4 = fuse.sub %3, %m : tensor<2x32x32x3xf32>, tensor<3xf32> -> tensor<2x32x32x3xf32>
  %5 = fuse.div %4, %s : tensor<2x32x32x3xf32>, tensor<3xf32> -> tensor<2x32x32x3xf32>
  %6 = fuse.transpose %5 permutation = [0, 3, 1, 2] : tensor<2x32x32x3xf32> -> tensor<2x3x32x32xf32>
  %7 = fuse.cast %6 : tensor<2x3x32x32xf32> -> tensor<2x3x32x32xf16>
  return %7 : tensor<2x3x32x32xf16>
}
