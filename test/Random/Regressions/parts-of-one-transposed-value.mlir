// RUN: fuse-crosscheck %s
// Both parts of a concatenation need one transposed value, each at its own places.
// --dim d0=37
func.func @program(%x: tensor<?x32xi32> {fuse.dims = ["d0"]}) -> (tensor<32x?xi32>) {
  %t = fuse.transpose %x permutation = [1, 0] : tensor<?x32xi32> -> tensor<32x?xi32>
  %a = fuse.slice %t offsets = [0, 0] sizes = [13, -1] : tensor<32x?xi32> -> tensor<13x?xi32>
  %b = fuse.slice %t offsets = [13, 0] sizes = [19, -1] : tensor<32x?xi32> -> tensor<19x?xi32>
  %n = fuse.neg %b : tensor<19x?xi32>
  %y = fuse.concat %a, %n dim = 0 : tensor<13x?xi32>, tensor<19x?xi32> -> tensor<32x?xi32>
  return %y : tensor<32x?xi32>
}
