// RUN: fuse-crosscheck %s
// A product without tensor cores computes its operand, but does not turn its
// result: no schedule applied where nothing is aligned.
// --seed 54000268
// --fill normal
// --check compiled
func.func @program(%a4: tensor<2x2x2x8xbf16>, %a5: tensor<2x8xi64>, %a6: tensor<1x2x8x8xbf16>) -> (tensor<2x1x2x2x8xbf16>) {
  %v10 = fuse.gather %a6, %a5 dim = 0 : tensor<1x2x8x8xbf16>, tensor<2x8xi64> -> tensor<2x8x2x8x8xbf16>
  %v11 = fuse.transpose %v10 permutation = [0, 2, 1, 3, 4] : tensor<2x8x2x8x8xbf16> -> tensor<2x2x8x8x8xbf16>
  %v12 = tensor.collapse_shape %v11 [[0], [1], [2, 3], [4]] : tensor<2x2x8x8x8xbf16> into tensor<2x2x64x8xbf16>
  %v13 = fuse.matmul %a4, %v12 transpose_rhs : tensor<2x2x2x8xbf16>, tensor<2x2x64x8xbf16> -> tensor<2x2x2x64xbf16>
  %v14 = fuse.cast %v13 : tensor<2x2x2x64xbf16> -> tensor<2x2x2x64xf32>
  %v21 = fuse.cast %v14 : tensor<2x2x2x64xf32> -> tensor<2x2x2x64xbf16>
  %v22 = fuse.matmul %v21, %v12 : tensor<2x2x2x64xbf16>, tensor<2x2x64x8xbf16> -> tensor<2x2x2x8xbf16>
  %v25 = tensor.expand_shape %v22 [[0], [1], [2, 3], [4]] output_shape [2, 2, 1, 2, 8] : tensor<2x2x2x8xbf16> into tensor<2x2x1x2x8xbf16>
  %v26 = fuse.transpose %v25 permutation = [1, 2, 0, 3, 4] : tensor<2x2x1x2x8xbf16> -> tensor<2x1x2x2x8xbf16>
  return %v26 : tensor<2x1x2x2x8xbf16>
}
