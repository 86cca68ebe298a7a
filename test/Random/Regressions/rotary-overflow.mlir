// The oracle was certain of inf - inf where a product and a sum are one fma, in
// which the product does not overflow.
// RUN: fuse-crosscheck %s
// --fill wide
// --seed 1026
func.func @program(%x: tensor<128x33x4xf64>, %p: tensor<128xi64>, %c: tensor<1x2xf32>, %s: tensor<1x2xf32>) -> tensor<128x33x4xf64> {
  %y = fuse.rotary half tokens_heads %x tables(%c, %s) positions(%p) : tensor<128x33x4xf64>, tensor<1x2xf32>, tensor<128xi64>
  return %y : tensor<128x33x4xf64>
}
