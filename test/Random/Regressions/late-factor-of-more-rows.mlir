// A factor behind the product with more rows than it was moved before it.
// RUN: fuse-crosscheck %s
func.func @program(%q: tensor<1x5x16xf32>, %k: tensor<1x17x16xf32>, %v: tensor<1x17x16xf32>, %g: tensor<3x1x1xf32>) -> tensor<3x5x16xf32> {
  %s = fuse.matmul %q, %k transpose_rhs : tensor<1x5x16xf32>, tensor<1x17x16xf32> -> tensor<1x5x17xf32>
  %e = fuse.exp %s : tensor<1x5x17xf32>
  %t = fuse.reduce sum %e dims = [2] keep : tensor<1x5x17xf32> -> tensor<1x5x1xf32>
  %b = fuse.mul %t, %g : tensor<1x5x1xf32>, tensor<3x1x1xf32> -> tensor<3x5x1xf32>
  %o = fuse.matmul %e, %v : tensor<1x5x17xf32>, tensor<1x17x16xf32> -> tensor<1x5x16xf32>
  %y = fuse.div %o, %b : tensor<1x5x16xf32>, tensor<3x5x1xf32> -> tensor<3x5x16xf32>
  return %y : tensor<3x5x16xf32>
}
