// The product with the weight overflows, but not in an fma with the bias: the
// oracle was certain of the infinity.
// RUN: fuse-crosscheck %s
// --dim d0=7
// --dim d1=7
// --seed 8003143
// --fill rare
// --check emulated,fused
func.func @program(%a0: tensor<1x?x7x1x?xf32> {fuse.dims = ["d0", "d1"]}, %a1: tensor<?xf32> {fuse.dims = ["d1"]}) -> tensor<1x?x7x1x?xf32> {
  %v2 = fuse.layer_norm %a0, %a1, %a1 eps = 0.5 : tensor<1x?x7x1x?xf32>, tensor<?xf32>, tensor<?xf32>
  return %v2 : tensor<1x?x7x1x?xf32>
}
