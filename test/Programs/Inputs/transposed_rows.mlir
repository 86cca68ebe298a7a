// Rows above those of a transposed tensor, which starts at no multiple of a vector of eight.
func.func @transposed_rows(%z: tensor<36x128xf32>, %x: tensor<128x92xf32>) -> tensor<128x128xf32> {
  %t = fuse.transpose %x permutation = [1, 0] : tensor<128x92xf32> -> tensor<92x128xf32>
  %c = fuse.concat %z, %t dim = 0 : tensor<36x128xf32>, tensor<92x128xf32> -> tensor<128x128xf32>
  %e = fuse.exp %c : tensor<128x128xf32>
  return %e : tensor<128x128xf32>
}
