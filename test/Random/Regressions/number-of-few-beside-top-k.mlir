// A number that is the maximum of as many elements as were selected did not
// compile: it was asked for its last dimension.
// RUN: fuse-crosscheck --check fused --check schedules --check unaligned --check emulated %s

func.func @program(%a0: tensor<33xi32>, %a1: tensor<8xi32>) -> (tensor<8xi32>, tensor<f64>) {
  %v0_v, %v0_i = fuse.top_k %a0 k = 8 : tensor<33xi32> -> tensor<8xi32>, tensor<8xi32>
  %v1 = fuse.clamp %v0_v, %v0_v, %a1 : tensor<8xi32>, tensor<8xi32>, tensor<8xi32> -> tensor<8xi32>
  %v2 = fuse.cast %a1 : tensor<8xi32> -> tensor<8xf64>
  %v3 = fuse.reduce max %v2 dims = [0] : tensor<8xf64> -> tensor<f64>
  return %v1, %v3 : tensor<8xi32>, tensor<f64>
}
