// Groups may begin with a dimension of size 1: what they are reduced to was computed
// again for each lane, also past the end of the row.
// RUN: fuse-crosscheck %s
func.func @program(%x: tensor<21x1x32xf32>, %w: tensor<32xf32>) -> tensor<21x1x32xf32> {
  %s = fuse.mul %x, %w : tensor<21x1x32xf32>, tensor<32xf32>
  %g = fuse.softmax %s dims = [1, 2] : tensor<21x1x32xf32>
  %y = fuse.softmax %g dims = [0, 1, 2] : tensor<21x1x32xf32>
  return %y : tensor<21x1x32xf32>
}
