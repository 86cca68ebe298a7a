// Mean and variance of columns, neither with its dimension.
func.func @column_statistics(%x: tensor<?x1024xf32> {fuse.dims = ["n"]})
    -> (tensor<1024xf32>, tensor<1024xf32>) {
  %m = fuse.reduce mean %x dims = [0] : tensor<?x1024xf32> -> tensor<1024xf32>
  %d = fuse.sub %x, %m : tensor<?x1024xf32>, tensor<1024xf32> -> tensor<?x1024xf32>
  %q = fuse.mul %d, %d : tensor<?x1024xf32>
  %v = fuse.reduce mean %q dims = [0] : tensor<?x1024xf32> -> tensor<1024xf32>
  return %m, %v : tensor<1024xf32>, tensor<1024xf32>
}
