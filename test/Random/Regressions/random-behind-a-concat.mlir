// As random-behind-a-pad, in a concatenation.
// RUN: fuse-crosscheck %s
// --fill normal
// --check emulated,fused,unfused
func.func @program(%a1: tensor<i64>, %x: tensor<3x2x2xf32>) -> (tensor<8x2x2xf32>) {
  %v0 = fuse.random %a1 stream = 0 : tensor<i64> -> tensor<5x2x2xf32>
  %v5 = fuse.concat %x, %v0 dim = 0 : tensor<3x2x2xf32>, tensor<5x2x2xf32> -> tensor<8x2x2xf32>
  %v6 = fuse.reduce mean %v5 dims = [0, 1, 2] keep : tensor<8x2x2xf32> -> tensor<1x1x1xf32>
  %v7 = fuse.sub %v5, %v6 : tensor<8x2x2xf32>, tensor<1x1x1xf32> -> tensor<8x2x2xf32>
  return %v7 : tensor<8x2x2xf32>
}
