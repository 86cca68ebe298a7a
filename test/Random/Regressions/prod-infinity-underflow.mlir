// The oracle was certain of inf where denormals, multiplied first, give 0 and
// then 0 * inf: which of both depends on the order.
// RUN: fuse-crosscheck %s
// --fill special
// --seed 194
func.func @program(%x: tensor<3x7x8x5x8xf32>) -> tensor<3x7x1x1x8xf32> {
  %p = fuse.reduce prod %x dims = [2, 3] keep : tensor<3x7x8x5x8xf32> -> tensor<3x7x1x1x8xf32>
  %y = fuse.relu %p : tensor<3x7x1x1x8xf32>
  return %y : tensor<3x7x1x1x8xf32>
}
