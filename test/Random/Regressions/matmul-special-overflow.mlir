// The oracle was certain of an infinity among terms that overflow to the other one,
// and of overflows of products, which an fma does not round.
// RUN: fuse-crosscheck %s
// --fill special
// --seed 5017
func.func @program(%a: tensor<4x2x8x7x1xf32>, %b: tensor<4x1x8x7x64xf32>) -> tensor<4x2x8x64x1xf32> {
  %y = fuse.matmul %b, %a transpose_lhs : tensor<4x1x8x7x64xf32>, tensor<4x2x8x7x1xf32> -> tensor<4x2x8x64x1xf32>
  return %y : tensor<4x2x8x64x1xf32>
}
