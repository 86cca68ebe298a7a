// The maximum and the minimum of a row, side by side.
func.func @joined_extremes(%x: tensor<?x512xf32> {fuse.dims = ["n"]})
    -> tensor<?x2xf32> {
  %a = fuse.reduce max %x dims = [1] keep : tensor<?x512xf32> -> tensor<?x1xf32>
  %b = fuse.reduce min %x dims = [1] keep : tensor<?x512xf32> -> tensor<?x1xf32>
  %c = fuse.concat %a, %b dim = 1 : tensor<?x1xf32>, tensor<?x1xf32> -> tensor<?x2xf32>
  return %c : tensor<?x2xf32>
}
