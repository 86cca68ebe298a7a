// A strided result that a later kernel reads again has gaps that nobody may write,
// but no record of what is written.
// RUN: fuse-crosscheck --check=strided %s
// --seed 19008863
// --fill small

func.func @program(%a0: tensor<64xf16>, %a1: tensor<64xf16>, %a2: tensor<2x65x8xf64>, %a3: tensor<8x8xf64>, %a4: tensor<2x8x8xf64>, %a5: tensor<2x8x8xf64>) -> (tensor<64x1xf16>, tensor<2x65x8xf64>, tensor<2x65x8xf64>, tensor<128xf64>, tensor<64xf16>) {
  %v0 = fuse.rms_norm %a0, %a1 eps = 0.5 : tensor<64xf16>, tensor<64xf16>
  %v1 = tensor.expand_shape %a1 [[0, 1]] output_shape [64, 1] : tensor<64xf16> into tensor<64x1xf16>
  %v2 = fuse.matmul %a2, %a3 transpose_rhs : tensor<2x65x8xf64>, tensor<8x8xf64> -> tensor<2x65x8xf64>
  %v3 = fuse.matmul %a2, %a4 transpose_rhs : tensor<2x65x8xf64>, tensor<2x8x8xf64> -> tensor<2x65x8xf64>
  %v4 = fuse.sub %v2, %v3 : tensor<2x65x8xf64>
  %v5 = fuse.matmul %a2, %a5 transpose_rhs : tensor<2x65x8xf64>, tensor<2x8x8xf64> -> tensor<2x65x8xf64>
  %v6 = fuse.mul %v4, %v5 : tensor<2x65x8xf64>
  %v7 = fuse.sub %a5, %a5 : tensor<2x8x8xf64>, tensor<2x8x8xf64> -> tensor<2x8x8xf64>
  %v8 = tensor.collapse_shape %v7 [[0, 1, 2]] : tensor<2x8x8xf64> into tensor<128xf64>
  return %v1, %v2, %v6, %v8, %v0 : tensor<64x1xf16>, tensor<2x65x8xf64>, tensor<2x65x8xf64>, tensor<128xf64>, tensor<64xf16>
}
