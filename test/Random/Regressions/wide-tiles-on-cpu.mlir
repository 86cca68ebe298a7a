// RUN: fuse-crosscheck %s
// Tiles on the CPU took vectors wider than what a dynamic dimension is known to be a
// multiple of, and read past the end.
// --dim d0=4
// --seed 3002593
// --fill special
// --check fused,schedules,unfused
func.func @program(%a0: tensor<1x32x?xi32> {fuse.dims = ["d0"]}) -> (tensor<?x1x32xi32>, tensor<?x1x1xf64>, tensor<?x1x1xf64>, tensor<1x32x?xi32>) {
  %v0 = fuse.transpose %a0 permutation = [2, 0, 1] : tensor<1x32x?xi32> -> tensor<?x1x32xi32>
  %v1 = fuse.max %a0, %a0 : tensor<1x32x?xi32>, tensor<1x32x?xi32> -> tensor<1x32x?xi32>
  %v2 = fuse.argmin %v0 dim = 2 keep : tensor<?x1x32xi32> -> tensor<?x1x1xi64>
  %v3 = fuse.cast %v2 : tensor<?x1x1xi64> -> tensor<?x1x1xf64>
  %v4 = fuse.recip %v3 : tensor<?x1x1xf64>
  %v5 = fuse.relu %v0 : tensor<?x1x32xi32>
  return %v5, %v4, %v4, %v1 : tensor<?x1x32xi32>, tensor<?x1x1xf64>, tensor<?x1x1xf64>, tensor<1x32x?xi32>
}
