// Every row needs what all rows have been reduced to.
func.func @scaled_by_mean(%x: tensor<?x1024xf32> {fuse.dims = ["T"]}) -> tensor<?x1024xf32> {
  %top = fuse.reduce max %x dims = [1] keep : tensor<?x1024xf32> -> tensor<?x1xf32>
  %mean = fuse.reduce mean %top dims = [0] keep : tensor<?x1xf32> -> tensor<1x1xf32>
  %y = fuse.mul %x, %mean : tensor<?x1024xf32>, tensor<1x1xf32> -> tensor<?x1024xf32>
  return %y : tensor<?x1024xf32>
}
