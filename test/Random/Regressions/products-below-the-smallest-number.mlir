// Products below the smallest number of f32 have bits that none has: their sum is not
// added exactly, and may be rounded to a number that is not zero.
// RUN: fuse-crosscheck --check emulated %s
// --seed 50002871
// --fill special
func.func @program(%a0: tensor<127x2xf32>, %a1: tensor<127x2xi16>, %a2: tensor<33x2xf32>) -> tensor<127x33xf32> {
  %v2 = fuse.matmul %a0, %a2 transpose_rhs : tensor<127x2xf32>, tensor<33x2xf32> -> tensor<127x33xf32>
  %v5 = fuse.log2 %v2 : tensor<127x33xf32>
  return %v5 : tensor<127x33xf32>
}
