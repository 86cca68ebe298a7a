// A sum over a tensor that has the shape of what rows are reduced to, once
// dimensions are one, follows from no row.
// RUN: fuse-crosscheck %s
// --seed 12601040
// --fill normal
// --check fused,schedules,emulated
func.func @program(%a1: tensor<5x1xf32>, %a4: tensor<5x8x1xf32>) -> (tensor<1x1xf32>, tensor<5x8x1xf32>) {
  %v10 = fuse.exp %a1 : tensor<5x1xf32>
  %v11 = fuse.log_softmax %a4 dims = [1, 2] : tensor<5x8x1xf32>
  %v12 = fuse.reduce mean %v10 dims = [0, 1] keep : tensor<5x1xf32> -> tensor<1x1xf32>
  %v13 = fuse.sub %v10, %v12 : tensor<5x1xf32>, tensor<1x1xf32> -> tensor<5x1xf32>
  %v14 = fuse.mul %v13, %v13 : tensor<5x1xf32>, tensor<5x1xf32> -> tensor<5x1xf32>
  %v15 = fuse.reduce mean %v14 dims = [0, 1] keep : tensor<5x1xf32> -> tensor<1x1xf32>
  return %v15, %v11 : tensor<1x1xf32>, tensor<5x8x1xf32>
}
