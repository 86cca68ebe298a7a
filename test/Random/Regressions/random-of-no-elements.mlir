// RUN: fuse-crosscheck %s
// Random numbers for no elements, which a slice takes from behind the only one.
// --seed 430006014
func.func @program(%a0: tensor<8193xi64>, %a1: tensor<i64>) -> (tensor<0xf64>, tensor<0xi64>) {
  %v0 = fuse.reduce sum %a0 dims = [0] keep : tensor<8193xi64> -> tensor<1xi64>
  %v1 = fuse.slice %v0 offsets = [1] sizes = [0] : tensor<1xi64> -> tensor<0xi64>
  %v3 = fuse.cast %v1 : tensor<0xi64> -> tensor<0xf64>
  %v5 = fuse.dropout %v3, %a1 p = 0.0 stream = 2 : tensor<0xf64>, tensor<i64>
  return %v5, %v1 : tensor<0xf64>, tensor<0xi64>
}
