// A composite beside a reduction, neither with its dimension.
func.func @logsumexp_less_mean(%x: tensor<?x4096xf32> {fuse.dims = ["n"]})
    -> tensor<?xf32> {
  %l = fuse.logsumexp %x dims = [1] : tensor<?x4096xf32> -> tensor<?xf32>
  %m = fuse.reduce mean %x dims = [1] : tensor<?x4096xf32> -> tensor<?xf32>
  %d = fuse.sub %l, %m : tensor<?xf32>
  return %d : tensor<?xf32>
}
