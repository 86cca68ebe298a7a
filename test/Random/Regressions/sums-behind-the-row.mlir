// Partners of rotary pairs past the end of a row were computed from what lies there.
// RUN: fuse run %s --target emu --verify
// RUN: fuse run %s --target emu --strides a7=1600,32,2 --verify

func.func @program(%a6: tensor<4x1x16xbf16>, %a7: tensor<4x50x16xbf16>, %c: tensor<1x25xf32>, %s: tensor<1x25xf32>) -> (tensor<4x1x1xbf16>, tensor<4x1x50xf32>) {
  %v5 = fuse.matmul %a6, %a7 transpose_rhs : tensor<4x1x16xbf16>, tensor<4x50x16xbf16> -> tensor<4x1x50xbf16>
  %v6 = fuse.cast %v5 : tensor<4x1x50xbf16> -> tensor<4x1x50xf32>
  %v19 = fuse.rotary interleaved heads_tokens %v5 tables(%c, %s) : tensor<4x1x50xbf16>, tensor<1x25xf32>
  %v22 = fuse.reduce sum %v19 dims = [2] keep : tensor<4x1x50xbf16> -> tensor<4x1x1xbf16>
  return %v22, %v6 : tensor<4x1x1xbf16>, tensor<4x1x50xf32>
}
