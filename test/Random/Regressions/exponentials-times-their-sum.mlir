// What reads a sum had the factor of the exponentials twice.
// RUN: fuse-crosscheck %s
func.func @program(%q: tensor<2x5x16xf32>, %k: tensor<2x17x16xf32>, %v: tensor<2x17x16xf32>) -> tensor<2x5x16xf32> {
  %one = fuse.constant dense<1.0> : tensor<f32>
  %c = fuse.constant dense<0.25> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : tensor<2x5x16xf32>, tensor<2x17x16xf32> -> tensor<2x5x17xf32>
  %x = fuse.mul %s, %c : tensor<2x5x17xf32>, tensor<f32>
  %e = fuse.exp %x : tensor<2x5x17xf32>
  %t = fuse.reduce sum %e dims = [2] keep : tensor<2x5x17xf32> -> tensor<2x5x1xf32>
  %u = fuse.mul %e, %t : tensor<2x5x17xf32>, tensor<2x5x1xf32>
  %z = fuse.reduce sum %u dims = [2] keep : tensor<2x5x17xf32> -> tensor<2x5x1xf32>
  %a = fuse.add %z, %one : tensor<2x5x1xf32>, tensor<f32>
  %p = fuse.div %e, %a : tensor<2x5x17xf32>, tensor<2x5x1xf32>
  %o = fuse.matmul %p, %v : tensor<2x5x17xf32>, tensor<2x17x16xf32> -> tensor<2x5x16xf32>
  return %o : tensor<2x5x16xf32>
}
