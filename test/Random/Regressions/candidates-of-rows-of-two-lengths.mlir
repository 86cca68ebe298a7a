// Vectors of two divide the rows of 36 elements, but not those of 17, whose
// edges take more threads than a candidate for tuning had.
// RUN: fuse-crosscheck %s
// --dim d0=3
// --seed 122193385
// --fill normal
// --check emulated-schedules
func.func @program(%a8: tensor<1x2x1x1xf32>, %a9: tensor<1x1x17x1xf32>, %a10: tensor<1x1x17x1xf32>, %b0: tensor<4x?x3xf32> {fuse.dims = ["d0"]}) -> (tensor<1x2x1x1xf32>, tensor<4x?x3xf32>) {
  %v7 = fuse.reduce mean %b0 dims = [0, 1, 2] keep : tensor<4x?x3xf32> -> tensor<1x1x1xf32>
  %v8 = fuse.sub %b0, %v7 : tensor<4x?x3xf32>, tensor<1x1x1xf32> -> tensor<4x?x3xf32>
  %v21 = fuse.attention heads_tokens %a8, %a9, %a10 scale = 1.0 : tensor<1x2x1x1xf32>, tensor<1x1x17x1xf32>, tensor<1x1x17x1xf32>
  return %v21, %v8 : tensor<1x2x1x1xf32>, tensor<4x?x3xf32>
}
