// RUN: fuse-crosscheck %s
// Two inputs that were collapsed to sizes by one rule: nobody knew them to be equal.
// --dim d0=1
// --seed 9601162
// --fill normal
func.func @program(%a1: tensor<8x1x1xf16>, %b0: tensor<8x8x?xf16> {fuse.dims = ["d0"]}) -> (tensor<8x8x?xf16>) {
  %v1 = fuse.rms_norm %b0 eps = 0.5 : tensor<8x8x?xf16>
  %v2 = fuse.logsumexp %v1 dims = [1, 2] keep : tensor<8x8x?xf16> -> tensor<8x1x1xf16>
  %v3 = fuse.compare le %b0, %v2 : tensor<8x8x?xf16>, tensor<8x1x1xf16> -> tensor<8x8x?xi1>
  %v4 = fuse.select %v3, %a1, %b0 : tensor<8x8x?xi1>, tensor<8x1x1xf16>, tensor<8x8x?xf16> -> tensor<8x8x?xf16>
  return %v4 : tensor<8x8x?xf16>
}
