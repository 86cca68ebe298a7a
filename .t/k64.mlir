func.func @top64(%x: tensor<?x32768xf32> {fuse.dims=["r"]}) -> (tensor<?x64xf32>, tensor<?x64xi64>) {
  %v, %i = fuse.top_k %x k = 64 : tensor<?x32768xf32> -> tensor<?x64xf32>, tensor<?x64xi64>
  return %v, %i : tensor<?x64xf32>, tensor<?x64xi64>
}
