// Half of a reversed index is taken in parts, of which one is negative: an unsigned
// division read far outside of the packed bytes.
// RUN: fuse-crosscheck %s
// --seed 7700667
func.func @program(%packed: tensor<200x20xi8>, %y: tensor<5x40x2xf16>) -> tensor<5x40x2xf16> {
  %i = fuse.unpack unsigned %packed : tensor<200x20xi8> -> tensor<200x40xi8>
  %heads = tensor.expand_shape %i [[0, 1], [2]] output_shape [5, 40, 40] : tensor<200x40xi8> into tensor<5x40x40xi8>
  %f = fuse.cast %heads : tensor<5x40x40xi8> -> tensor<5x40x40xf32>
  %x = fuse.cast %f : tensor<5x40x40xf32> -> tensor<5x40x40xf16>
  %reversed = fuse.reverse %x dims = [0, 1, 2] : tensor<5x40x40xf16>
  %z = fuse.matmul %reversed, %y : tensor<5x40x40xf16>, tensor<5x40x2xf16> -> tensor<5x40x2xf16>
  return %z : tensor<5x40x2xf16>
}
