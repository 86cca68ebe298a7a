// Rows divided by their element of the largest magnitude, of another tensor's
// value there, and by one of a table.
func.func @row_by_extreme(%x: tensor<?x1030xf32> {fuse.dims = ["T"]}, %z: tensor<?x1030xf32> {fuse.dims = ["T"]}, %table: tensor<1030xf32>) -> (tensor<?x1030xf32>, tensor<?x1xf32>) {
  %a = fuse.abs %x : tensor<?x1030xf32>
  %i = fuse.argmin %a dim = 1 keep : tensor<?x1030xf32> -> tensor<?x1xi32>
  %e = fuse.take_along %z, %i dim = 1 : tensor<?x1030xf32>, tensor<?x1xi32> -> tensor<?x1xf32>
  %g = fuse.gather %table, %i dim = 0 : tensor<1030xf32>, tensor<?x1xi32> -> tensor<?x1xf32>
  %s = fuse.add %e, %g : tensor<?x1xf32>
  %y = fuse.mul %x, %s : tensor<?x1030xf32>, tensor<?x1xf32> -> tensor<?x1030xf32>
  %m = fuse.reduce max %y dims = [1] keep : tensor<?x1030xf32> -> tensor<?x1xf32>
  return %y, %m : tensor<?x1030xf32>, tensor<?x1xf32>
}
