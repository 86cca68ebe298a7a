// RUN: fuse-crosscheck %s
// A size that is read from a moved value does not keep it from being stored where the
// rows are walked.

// --dim d0=2
// --dim d1=2
func.func @program(%a0: tensor<8xi1>, %a1: tensor<1x?x1x1xbf16> {fuse.dims = ["d0"]}, %a2: tensor<1x?x1x1xbf16> {fuse.dims = ["d1"]}, %a3: tensor<1x?x1x1xbf16> {fuse.dims = ["d1"]}) -> (tensor<1x?x1x1xbf16>, tensor<8xi1>) {
  %v0 = fuse.constant dense<false> : tensor<i1>
  %v1 = fuse.compare gt %a0, %v0 : tensor<8xi1>, tensor<i1> -> tensor<8xi1>
  %v2 = fuse.attention tokens_heads causal %a1, %a2, %a3 : tensor<1x?x1x1xbf16>, tensor<1x?x1x1xbf16>, tensor<1x?x1x1xbf16>
  return %v2, %v1 : tensor<1x?x1x1xbf16>, tensor<8xi1>
}
