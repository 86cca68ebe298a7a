// Sums of the columns of one tensor, and the largest of another's.
func.func @columns_beside_columns(%x: tensor<?x1024xf32> {fuse.dims = ["n"]},
                                  %y: tensor<?x768xf32> {fuse.dims = ["m"]})
    -> (tensor<1024xf32>, tensor<768xf32>) {
  %a = fuse.reduce sum %x dims = [0] : tensor<?x1024xf32> -> tensor<1024xf32>
  %b = fuse.reduce max %y dims = [0] : tensor<?x768xf32> -> tensor<768xf32>
  return %a, %b : tensor<1024xf32>, tensor<768xf32>
}
