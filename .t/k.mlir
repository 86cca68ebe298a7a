func.func @top8(%x: tensor<?x4096xbf16> {fuse.dims=["r"]}) -> (tensor<?x8xbf16>, tensor<?x8xi64>) {
  %v, %i = fuse.top_k %x k = 8 : tensor<?x4096xbf16> -> tensor<?x8xbf16>, tensor<?x8xi64>
  return %v, %i : tensor<?x8xbf16>, tensor<?x8xi64>
}
