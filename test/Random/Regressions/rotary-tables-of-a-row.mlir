// The rotary embedding of one row's products was computed in f32 beside tables of
// bf16, which its verifier refused.
// RUN: fuse-crosscheck %s
// --seed 15500914
// --fill normal

func.func @program(%a5: tensor<1x40xbf16>, %a8: tensor<24x40xbf16>, %a12: tensor<1x12xbf16>, %a13: tensor<1x12xbf16>) -> (tensor<1x24xbf16>) {
  %v10 = fuse.matmul %a5, %a8 transpose_rhs : tensor<1x40xbf16>, tensor<24x40xbf16> -> tensor<1x24xbf16>
  %v14 = fuse.rotary half heads_tokens %v10 tables(%a12, %a13) : tensor<1x24xbf16>, tensor<1x12xbf16>
  return %v14 : tensor<1x24xbf16>
}
