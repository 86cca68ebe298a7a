// Dimensions of size 1 went only after the kernel was formed: what all rows are
// reduced to was then taken for a result across these rows, which CPUs refused.
// RUN: fuse-crosscheck %s

func.func @program(%x: tensor<2x1xf32>, %w: tensor<2x33xf32>) -> (tensor<2x1xf32>, tensor<1x33xf32>) {
  %p = fuse.softmax %x dims = [1] : tensor<2x1xf32>
  %m = fuse.reduce max %x dims = [0] keep : tensor<2x1xf32> -> tensor<1x1xf32>
  %s = fuse.mul %x, %m : tensor<2x1xf32>, tensor<1x1xf32> -> tensor<2x1xf32>
  %y = fuse.matmul %s, %w transpose_lhs : tensor<2x1xf32>, tensor<2x33xf32> -> tensor<1x33xf32>
  return %p, %y : tensor<2x1xf32>, tensor<1x33xf32>
}
