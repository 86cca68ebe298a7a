// Layer norms of groups that more than a warp holds, each of a row's two scaled by the row.
func.func @groups_of_1024(%x: tensor<?x2x1024xf16> {fuse.dims = ["n"]}) -> tensor<?x2x1024xf16> {
  %f = fuse.cast %x : tensor<?x2x1024xf16> -> tensor<?x2x1024xf32>
  %w = fuse.constant dense<1.0> : tensor<1024xf32>
  %y = fuse.layer_norm %f, %w eps = 1.0e-5 : tensor<?x2x1024xf32>, tensor<1024xf32>
  %m = fuse.reduce max %y dims = [1, 2] keep : tensor<?x2x1024xf32> -> tensor<?x1x1xf32>
  %q = fuse.div %y, %m : tensor<?x2x1024xf32>, tensor<?x1x1xf32> -> tensor<?x2x1024xf32>
  %z = fuse.cast %q : tensor<?x2x1024xf32> -> tensor<?x2x1024xf16>
  return %z : tensor<?x2x1024xf16>
}
