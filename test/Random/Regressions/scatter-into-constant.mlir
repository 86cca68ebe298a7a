// RUN: fuse-crosscheck %s
// A constant that a scatter writes into was copied into its kernel.
// --seed 1001995
// --check fused,schedules,unaligned,emulated
func.func @program(%a7: tensor<1xf32>, %b12: tensor<1xi1>, %b10: tensor<1xi32>) -> (tensor<1xf32>) {
  %v6 = fuse.constant dense<0.0> : tensor<1xf32>
  %v11 = fuse.scatter %v6, %b10, %a7 dim = 0 : tensor<1xf32>, tensor<1xi32>, tensor<1xf32> -> tensor<1xf32>
  %v13 = fuse.select %b12, %a7, %v11 : tensor<1xi1>, tensor<1xf32>, tensor<1xf32> -> tensor<1xf32>
  return %v13 : tensor<1xf32>
}
