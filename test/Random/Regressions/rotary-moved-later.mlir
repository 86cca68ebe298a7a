// Behind the reversal other features are rotated than the results' first ones.
// RUN: fuse-crosscheck %s
// --check fused,emulated
func.func @program(%a0: tensor<1x5x1x32x32xf32>, %a1: tensor<i32>) -> tensor<1x5x1x32x32xf32> {
  %v4 = fuse.rotary interleaved tokens_heads %a0 offset(%a1) base = 1.0e4 dims = 2 heads = 30 : tensor<1x5x1x32x32xf32>, tensor<i32>
  %v5 = fuse.reverse %v4 dims = [4] : tensor<1x5x1x32x32xf32>
  return %v5 : tensor<1x5x1x32x32xf32>
}
