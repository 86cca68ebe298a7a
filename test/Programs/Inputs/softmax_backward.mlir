// dx = y (g - sum(g y)).
func.func @softmax_backward(%y: tensor<?x4096xbf16> {fuse.dims = ["T"]}, %g: tensor<?x4096xbf16> {fuse.dims = ["T"]})
    -> tensor<?x4096xbf16> {
  %p = fuse.mul %y, %g : tensor<?x4096xbf16>
  %s = fuse.reduce sum %p dims = [1] keep : tensor<?x4096xbf16> -> tensor<?x1xbf16>
  %d = fuse.sub %g, %s : tensor<?x4096xbf16>, tensor<?x1xbf16> -> tensor<?x4096xbf16>
  %dx = fuse.mul %y, %d : tensor<?x4096xbf16>
  return %dx : tensor<?x4096xbf16>
}
