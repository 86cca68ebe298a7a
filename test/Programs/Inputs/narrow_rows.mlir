// The largest elements, sums and maxima of rows of i16.
func.func @narrow_rows(%x: tensor<?x65xi16> {fuse.dims = ["n"]}) -> (tensor<?x65xi16>, tensor<?x3xi16>, tensor<?x3xi64>, tensor<?x65xi16>, tensor<?xi64>) {
  %1, %2 = fuse.top_k %x k = 3 : tensor<?x65xi16> -> tensor<?x3xi16>, tensor<?x3xi64>
  %3 = fuse.scan sum %x : tensor<?x65xi16>
  %4 = fuse.scan max %x exclusive : tensor<?x65xi16>
  %5 = fuse.argmax %x dim = 1 : tensor<?x65xi16> -> tensor<?xi64>
  return %3, %1, %2, %4, %5 : tensor<?x65xi16>, tensor<?x3xi16>, tensor<?x3xi64>, tensor<?x65xi16>, tensor<?xi64>
}
