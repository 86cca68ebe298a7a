// GELU in its tanh form, over any number of rows.
func.func @gelu(%x: tensor<?x4096xbf16> {fuse.dims = ["rows"]}) -> tensor<?x4096xbf16> {
  %y = fuse.gelu tanh %x : tensor<?x4096xbf16>
  return %y : tensor<?x4096xbf16>
}
