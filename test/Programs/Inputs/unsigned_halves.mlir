// Weights of four bits as torch keeps them, in ui8, times those of a row.
func.func @unsigned_halves(%q: tensor<?x32xui8> {fuse.dims = ["n"]}, %s: tensor<?x1xf32> {fuse.dims = ["n"]}, %x: tensor<16x64xbf16>)
    -> (tensor<?x64xf32>, tensor<?x64xi8>, tensor<16x?xbf16>) {
  %u = fuse.unpack unsigned %q : tensor<?x32xui8> -> tensor<?x64xui8>
  %i = fuse.unpack %q : tensor<?x32xui8> -> tensor<?x64xi8>
  %f = fuse.cast %u : tensor<?x64xui8> -> tensor<?x64xf32>
  %y = fuse.mul %f, %s : tensor<?x64xf32>, tensor<?x1xf32> -> tensor<?x64xf32>
  %w = fuse.cast %u : tensor<?x64xui8> -> tensor<?x64xbf16>
  %p = fuse.contract "mk,nk->mn" %x, %w : tensor<16x64xbf16>, tensor<?x64xbf16> -> tensor<16x?xbf16>
  return %y, %i, %p : tensor<?x64xf32>, tensor<?x64xi8>, tensor<16x?xbf16>
}
