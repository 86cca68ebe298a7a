func.func @cumsum8k(%x: tensor<?x8192xf32> {fuse.dims=["r"]}) -> tensor<?x8192xf32> {
  %c = fuse.scan sum %x : tensor<?x8192xf32>
  return %c : tensor<?x8192xf32>
}
