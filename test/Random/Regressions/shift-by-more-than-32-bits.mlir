// RUN: fuse-crosscheck %s
// Left shifts by amounts of more than 32 bits, of which LLVM reads 32 on a GPU.

func.func @program(%a: tensor<4x8xi64>, %b: tensor<4x8xi64>) -> tensor<4x8xi64> {
  %c = fuse.constant dense<4294967296> : tensor<i64>
  %n = fuse.mul %b, %c : tensor<4x8xi64>, tensor<i64> -> tensor<4x8xi64>
  %y = fuse.shl %a, %n : tensor<4x8xi64>, tensor<4x8xi64> -> tensor<4x8xi64>
  return %y : tensor<4x8xi64>
}
