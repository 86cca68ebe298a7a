// Halves and bytes, of columns of any number.
func.func @scanned_halves(%x: tensor<?x?xf16> {fuse.dims = ["n", "c"]}, %b: tensor<?x?xui8> {fuse.dims = ["n", "c"]}) -> (tensor<?x?xf16>, tensor<?x?xf16>, tensor<?x?xui8>, tensor<?x?xi32>) {
  %c = fuse.scan sum %x dim = 0 : tensor<?x?xf16>
  %e = fuse.scan prod %x dim = 0 exclusive : tensor<?x?xf16>
  %m = fuse.scan max %b dim = 0 : tensor<?x?xui8>
  %w = fuse.cast %b : tensor<?x?xui8> -> tensor<?x?xi32>
  %n = fuse.scan sum %w dim = 0 exclusive : tensor<?x?xi32>
  return %c, %e, %m, %n : tensor<?x?xf16>, tensor<?x?xf16>, tensor<?x?xui8>, tensor<?x?xi32>
}
