// RUN: fuse-crosscheck %s
// The oracle was certain that a mean overflows where the sum does; a mean of partial
// means does not.
// --dim d0=2
// --dim d1=31
// --seed 3002943
// --fill wide
// --check fused
func.func @program(%a0: tensor<2x1x?x?xf32> {fuse.dims = ["d0", "d1"]}) -> (tensor<f32>) {
  %v0 = fuse.reduce mean %a0 dims = [0, 1, 2, 3] : tensor<2x1x?x?xf32> -> tensor<f32>
  return %v0 : tensor<f32>
}
