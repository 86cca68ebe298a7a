// RUN: fuse-crosscheck %s
// Behind contractions a rotary op reads frequencies by the column, also past the last.
// --seed 730
// --fill normal
// --check emulated
func.func @program(%a5: tensor<2x8xf16>, %a6: tensor<8x24xf16>, %a7: tensor<24x8xf16>, %a8: tensor<i64>) -> (tensor<2x24xf16>, tensor<2x24xf16>) {
  %v11 = fuse.matmul %a5, %a6 : tensor<2x8xf16>, tensor<8x24xf16> -> tensor<2x24xf16>
  %v12 = fuse.matmul %a5, %a7 transpose_rhs : tensor<2x8xf16>, tensor<24x8xf16> -> tensor<2x24xf16>
  %v13 = fuse.mul %v11, %v12 : tensor<2x24xf16>
  %v14 = fuse.rotary interleaved heads_tokens %v12 offset(%a8) base = 1.0e4 scaling(#fuse.rope_longrope<factor = 4.0, original_max_position = 8192, short_factors = [4.0, 1.0, 1.5, 1.5, 4.0, 4.0, 4.0, 0.25, 4.0, 1.5, 0.25, 32.0]>) : tensor<2x24xf16>, tensor<i64>
  return %v14, %v13 : tensor<2x24xf16>, tensor<2x24xf16>
}
