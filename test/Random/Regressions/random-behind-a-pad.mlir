// An index before the first one is known not to exist, and has no random number.
// RUN: fuse-crosscheck %s
// --seed 13400479
// --fill normal
// --check emulated,fused,unfused
func.func @program(%a1: tensor<i64>) -> (tensor<9x3x2xf32>) {
  %v0 = fuse.random %a1 stream = 0 : tensor<i64> -> tensor<5x2x2xf32>
  %v5 = fuse.pad %v0 low = [1, 0, 0] high = [3, 1, 0] value = nan : tensor<5x2x2xf32> -> tensor<9x3x2xf32>
  %v6 = fuse.reduce mean %v5 dims = [0, 1, 2] keep : tensor<9x3x2xf32> -> tensor<1x1x1xf32>
  %v7 = fuse.sub %v5, %v6 : tensor<9x3x2xf32>, tensor<1x1x1xf32> -> tensor<9x3x2xf32>
  return %v7 : tensor<9x3x2xf32>
}
