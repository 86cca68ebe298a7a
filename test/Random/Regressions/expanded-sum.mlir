// What is reduced has another size than the expansion of the result.
// RUN: fuse-crosscheck %s
// --seed 13201365
// --fill normal
// --check fused
func.func @program(%b17: tensor<2xf16>) -> (tensor<1x1xf16>) {
  %v18 = fuse.reduce sum %b17 dims = [0] keep : tensor<2xf16> -> tensor<1xf16>
  %v21 = tensor.expand_shape %v18 [[0, 1]] output_shape [1, 1] : tensor<1xf16> into tensor<1x1xf16>
  return %v21 : tensor<1x1xf16>
}
