// What rows have one of lost some of its dimensions of size 1, and the rows none
// of theirs, so that one kernel held walks of different shapes: no schedule
// applied.
// RUN: fuse-crosscheck %s
// --check fused,emulated,compiled

func.func @program(%m: tensor<3x1x1x1xf32>, %x: tensor<3x1x2x10xf32>) -> (tensor<f32>, tensor<f32>) {
  %a = fuse.reduce max %m dims = [0, 1, 2, 3] : tensor<3x1x1x1xf32> -> tensor<f32>
  %row = fuse.reduce max %x dims = [1, 2, 3] : tensor<3x1x2x10xf32> -> tensor<3xf32>
  %b = fuse.reduce max %row dims = [0] : tensor<3xf32> -> tensor<f32>
  return %a, %b : tensor<f32>, tensor<f32>
}
