// Sums of the columns of two tensors, as two gradients of biases.
func.func @columns_beside_columns(%x: tensor<?x1024xf32> {fuse.dims = ["n"]},
                                  %y: tensor<?x1024xbf16> {fuse.dims = ["n"]})
    -> (tensor<1024xf32>, tensor<1024xbf16>) {
  %a = fuse.reduce sum %x dims = [0] : tensor<?x1024xf32> -> tensor<1024xf32>
  %b = fuse.reduce sum %y dims = [0] : tensor<?x1024xbf16> -> tensor<1024xbf16>
  return %a, %b : tensor<1024xf32>, tensor<1024xbf16>
}
