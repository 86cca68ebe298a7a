// Which sign a NaN has is open; fused and unfused differ in it.
// RUN: fuse-crosscheck %s
// --seed 13002644
// --fill rare
// --check strict
func.func @program(%a0: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %v0 = fuse.sign %a0 : tensor<f32>
  %v1 = fuse.gelu tanh %a0 : tensor<f32>
  return %v0, %v1 : tensor<f32>, tensor<f32>
}
