// The sigmoid of a NaN is surely one, whatever the smallest results are off by.
// RUN: fuse-crosscheck %s
// --seed 9502892
// --fill normal
// --check fused
func.func @program(%a0: tensor<1x1xf32>) -> (tensor<1x1xf32>) {
  %v0 = fuse.rsqrt %a0 : tensor<1x1xf32>
  %v1 = fuse.sigmoid %v0 : tensor<1x1xf32>
  %v2 = fuse.reduce max %v1 dims = [1] keep : tensor<1x1xf32> -> tensor<1x1xf32>
  return %v2 : tensor<1x1xf32>
}
