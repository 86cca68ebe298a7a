// Softmax of a part of each row.
func.func @softmax_of_slice(%x: tensor<?x256xf32> {fuse.dims = ["n"]}, %s: tensor<i64>) -> (tensor<?x64xf32>) {
  %1 = fuse.dynamic_slice %x, %s dim = 1 size = 64 : tensor<?x256xf32>, tensor<i64> -> tensor<?x64xf32>
  %2 = fuse.softmax %1 dims = [1] : tensor<?x64xf32>
  return %2 : tensor<?x64xf32>
}
