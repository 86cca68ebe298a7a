// The oracle was certain of an infinity where partial sums of both signs overflow,
// which is NaN.
// RUN: fuse-crosscheck %s
// --fill wide
// --seed 1029
func.func @program(%x: tensor<8x5x3x8x31xf32>, %w: tensor<1x1x1x4x31xf32>) -> tensor<8x5x3x8x4xf32> {
  %y = fuse.matmul %x, %w transpose_rhs : tensor<8x5x3x8x31xf32>, tensor<1x1x1x4x31xf32> -> tensor<8x5x3x8x4xf32>
  return %y : tensor<8x5x3x8x4xf32>
}
