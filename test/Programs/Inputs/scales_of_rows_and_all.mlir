// The largest magnitude of each row, and that of all.
func.func @scales_of_rows_and_all(%x: tensor<?x1024xbf16> {fuse.dims = ["T"]}) -> (tensor<?xf32>, tensor<f32>) {
  %w = fuse.cast %x : tensor<?x1024xbf16> -> tensor<?x1024xf32>
  %a = fuse.abs %w : tensor<?x1024xf32>
  %r = fuse.reduce max %a dims = [1] : tensor<?x1024xf32> -> tensor<?xf32>
  %b = fuse.abs %w : tensor<?x1024xf32>
  %m = fuse.reduce max %b dims = [0, 1] : tensor<?x1024xf32> -> tensor<f32>
  return %r, %m : tensor<?xf32>, tensor<f32>
}
