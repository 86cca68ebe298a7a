// The same as rotary-overflow with an infinity beside the product.
// RUN: fuse-crosscheck %s
// --seed 10649
// --fill special
// --check fused
func.func @program(%a1: tensor<2x100x4xbf16>, %a2: tensor<2x2xbf16>, %a3: tensor<2x2xbf16>, %a4: tensor<2x1xf32>, %a5: tensor<2x1xf32>) -> tensor<2x100x4xbf16> {
  %v0 = fuse.rotary half tokens_heads %a1 tables(%a2, %a3) inverse : tensor<2x100x4xbf16>, tensor<2x2xbf16>
  %v1 = fuse.rotary half tokens_heads %v0 tables(%a4, %a5) dims = 2 : tensor<2x100x4xbf16>, tensor<2x1xf32>
  return %v1 : tensor<2x100x4xbf16>
}
