// Scans of the middle dimension, whose columns no two vectors of 16 bytes divide alike.
func.func @scanned_middle(%x: tensor<?x?x12xbf16> {fuse.dims = ["b", "n"]}, %i: tensor<?x?x12xi64> {fuse.dims = ["b", "n"]}) -> (tensor<?x?x12xbf16>, tensor<?x?x12xbf16>, tensor<?x?x12xi64>, tensor<?x?x12xi64>) {
  %c = fuse.scan sum %x dim = 1 reverse : tensor<?x?x12xbf16>
  %m = fuse.scan max %x dim = 1 exclusive reverse : tensor<?x?x12xbf16>
  %p = fuse.scan prod %i dim = 1 exclusive reverse : tensor<?x?x12xi64>
  %l = fuse.scan min %i dim = 1 reverse : tensor<?x?x12xi64>
  return %c, %m, %p, %l : tensor<?x?x12xbf16>, tensor<?x?x12xbf16>, tensor<?x?x12xi64>, tensor<?x?x12xi64>
}
