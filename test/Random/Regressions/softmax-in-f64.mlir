// A softmax in f64 between products of bf16 on tensor cores.
// RUN: fuse-crosscheck %s
func.func @program(%in0: tensor<3x2x16xbf16>, %in1: tensor<3x128x16xbf16>, %in2: tensor<3x128x16xbf16>) -> tensor<3x2x16xbf16> {
  %0 = fuse.matmul %in0, %in1 transpose_rhs : tensor<3x2x16xbf16>, tensor<3x128x16xbf16> -> tensor<3x2x128xbf16>
  %5 = fuse.cast %0 : tensor<3x2x128xbf16> -> tensor<3x2x128xf64>
  %6 = fuse.exp %5 : tensor<3x2x128xf64>
  %9 = fuse.reduce sum %6 dims = [2] keep : tensor<3x2x128xf64> -> tensor<3x2x1xf64>
  %11 = fuse.div %6, %9 : tensor<3x2x128xf64>, tensor<3x2x1xf64>
  %12 = fuse.cast %11 : tensor<3x2x128xf64> -> tensor<3x2x128xbf16>
  %16 = fuse.matmul %12, %in2 : tensor<3x2x128xbf16>, tensor<3x128x16xbf16> -> tensor<3x2x16xbf16>
  return %16 : tensor<3x2x16xbf16>
}
