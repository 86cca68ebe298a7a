// RUN: fuse-crosscheck %s
// A scan along columns took along a softmax of all of them.
// --dim d0=3
// --seed 82037337
// --fill masked
// --check compiled,emulated,fused,unaligned
func.func @program(%a0: tensor<3x?x16xf64> {fuse.dims = ["d0"]}) -> (tensor<3x?x16xui8>, tensor<3x?x16xf64>) {
  %v0 = fuse.cast %a0 : tensor<3x?x16xf64> -> tensor<3x?x16xui8>
  %v5 = fuse.scan prod %v0 dim = 1 : tensor<3x?x16xui8>
  %v6 = fuse.softmax %a0 dims = [1, 2] : tensor<3x?x16xf64>
  return %v5, %v6 : tensor<3x?x16xui8>, tensor<3x?x16xf64>
}
