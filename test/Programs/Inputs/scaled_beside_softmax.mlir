// Elements of the size of those of a softmax of a whole tensor, which only the
// names of dimensions say.
func.func @scaled_beside_softmax(%a: tensor<3x?x8x5x1xf32> {fuse.dims = ["n"]},
                                 %b: tensor<3x?x8x5x1xf32> {fuse.dims = ["n"]},
                                 %c: tensor<3x?x8x5x1xf32> {fuse.dims = ["n"]})
    -> (tensor<3x?x8x5x1xf32>, tensor<3x?x8x5x1xf32>) {
  %s = fuse.softmax %a dims = [0, 1, 2, 3, 4] : tensor<3x?x8x5x1xf32>
  %d = fuse.sub %b, %c : tensor<3x?x8x5x1xf32>, tensor<3x?x8x5x1xf32> -> tensor<3x?x8x5x1xf32>
  return %s, %d : tensor<3x?x8x5x1xf32>, tensor<3x?x8x5x1xf32>
}
