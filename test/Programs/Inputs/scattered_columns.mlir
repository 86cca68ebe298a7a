// Ids along the last dimension but for one of size 1: neighbours go to different places.
func.func @scattered_columns(%x: tensor<2x1x1x3x1xf16>, %y: tensor<2x1x1x8x1xf16>, %z: tensor<16x1xf64>, %w: tensor<8x1xf64>) -> (tensor<2x1x1x3x1xf16>, tensor<16x1xf64>) {
  %i = fuse.iota dim = 0 : tensor<8xi64>
  %r = fuse.reverse %i dims = [0] : tensor<8xi64>
  %a = fuse.scatter %x, %r, %y dim = 3 : tensor<2x1x1x3x1xf16>, tensor<8xi64>, tensor<2x1x1x8x1xf16> -> tensor<2x1x1x3x1xf16>
  %b = fuse.scatter %z, %r, %w dim = 0 : tensor<16x1xf64>, tensor<8xi64>, tensor<8x1xf64> -> tensor<16x1xf64>
  return %a, %b : tensor<2x1x1x3x1xf16>, tensor<16x1xf64>
}
