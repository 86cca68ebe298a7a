// Sums of 16 bits of each row and of all, a mean, and what is no longer than
// the dims say.
func.func @sums_of_rows_and_all(%x: tensor<?x?xf16> {fuse.dims = ["T", "K"]}) -> (tensor<?xf16>, tensor<1x1xf16>, tensor<f16>, tensor<f16>) {
  %r = fuse.reduce sum %x dims = [1] : tensor<?x?xf16> -> tensor<?xf16>
  %s = fuse.reduce sum %x dims = [0, 1] keep : tensor<?x?xf16> -> tensor<1x1xf16>
  %m = fuse.reduce mean %x dims = [1] : tensor<?x?xf16> -> tensor<?xf16>
  %n = fuse.reduce mean %x dims = [0, 1] : tensor<?x?xf16> -> tensor<f16>
  %o = fuse.reduce max %m dims = [0] : tensor<?xf16> -> tensor<f16>
  return %r, %s, %n, %o : tensor<?xf16>, tensor<1x1xf16>, tensor<f16>, tensor<f16>
}
