// A vector went on in the next row of a broadcast's result, and past the end of
// its operand.
// RUN: fuse-crosscheck %s
// --check fused,emulated
func.func @program(%a: tensor<7x2x31xf32>, %b: tensor<7x1x31xf32>) -> (tensor<7x2x31xf32>, tensor<7x2x31xf32>) {
  %v1 = fuse.abs %a : tensor<7x2x31xf32>
  %v2 = fuse.broadcast %b like %a : tensor<7x1x31xf32>, tensor<7x2x31xf32> -> tensor<7x2x31xf32>
  return %v2, %v1 : tensor<7x2x31xf32>, tensor<7x2x31xf32>
}
