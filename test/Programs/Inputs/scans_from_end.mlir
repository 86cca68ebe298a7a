// Scans from the end, of rows of any length; two types, which have no vectors in common.
func.func @scans_from_end(%x: tensor<?x?xbf16> {fuse.dims=["r","n"]}, %i: tensor<?x?xi64> {fuse.dims=["r","n"]}) -> (tensor<?x?xbf16>, tensor<?x?xi64>) {
  %c = fuse.scan sum %x reverse : tensor<?x?xbf16>
  %e = fuse.scan prod %i exclusive reverse : tensor<?x?xi64>
  return %c, %e : tensor<?x?xbf16>, tensor<?x?xi64>
}
