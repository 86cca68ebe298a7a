// The exponentials are divided in f64 between two products.
// RUN: fuse-crosscheck %s
func.func @program(%a0: tensor<3x2x8xf32>, %a1: tensor<3x130x8xf32>, %a2: tensor<3x130x8xf32>, %a3: tensor<3x2x1xf32>) -> tensor<3x2x8xf32> {
  %w0 = fuse.matmul %a0, %a1 transpose_rhs : tensor<3x2x8xf32>, tensor<3x130x8xf32> -> tensor<3x2x130xf32>
  %w5 = fuse.add %w0, %a3 : tensor<3x2x130xf32>, tensor<3x2x1xf32> -> tensor<3x2x130xf32>
  %w6 = fuse.exp %w5 : tensor<3x2x130xf32>
  %w7 = fuse.cast %w6 : tensor<3x2x130xf32> -> tensor<3x2x130xf64>
  %w8 = fuse.cast %w7 : tensor<3x2x130xf64> -> tensor<3x2x130xf32>
  %w9 = fuse.reduce sum %w8 dims = [2] keep : tensor<3x2x130xf32> -> tensor<3x2x1xf32>
  %w16 = fuse.matmul %w8, %a2 : tensor<3x2x130xf32>, tensor<3x130x8xf32> -> tensor<3x2x8xf32>
  %w17 = fuse.div %w16, %w9 : tensor<3x2x8xf32>, tensor<3x2x1xf32> -> tensor<3x2x8xf32>
  return %w17 : tensor<3x2x8xf32>
}
