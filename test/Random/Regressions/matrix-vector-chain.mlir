// RUN: fuse-crosscheck %s
// A product with a vector that reads another one was rewritten with an operand
// that was gone.
// --seed 9197
// --fill normal
// --check fused,unfused
func.func @program(%a1: tensor<2x2x1xbf16>, %a2: tensor<1x1x2xbf16>, %b0: tensor<2x1x2xbf16>) -> (tensor<1x1x1x1xbf16>) {
  %v1 = fuse.matmul %b0, %a1 : tensor<2x1x2xbf16>, tensor<2x2x1xbf16> -> tensor<2x1x1xbf16>
  %v2 = fuse.contract "vcq,htv->hcqt" %v1, %a2 : tensor<2x1x1xbf16>, tensor<1x1x2xbf16> -> tensor<1x1x1x1xbf16>
  return %v2 : tensor<1x1x1x1xbf16>
}
